# Sourced by the scripts beside it: one place for what Open MPI wants to be told in containers and on small machines.
# Harmless elsewhere. The names before and after Open MPI 5 differ, so both are set.

# mpirun refuses to run as root unless it is told twice.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
# The tests start up to 16 ranks, whatever the number of cores.
export OMPI_MCA_rmaps_base_oversubscribe=1
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
# A container often denies cross-memory attach; asking for it only prints a warning into the output. Without any
# mechanism Open MPI 4.1 has no windows: the emulated one needs no permission.
export OMPI_MCA_btl_vader_single_copy_mechanism=emulated OMPI_MCA_btl_sm_single_copy_mechanism=none
# Open MPI 5 asks the routing table by default, finds no route from this host to itself, and complains on stderr.
export OMPI_MCA_reachable=weighted

say() { printf '\n== %s\n' "$*"; }
die() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; exit 1; }
