#!/bin/sh
# virtual_hosts.sh FOLDER COMMAND...
#
# Runs COMMAND on host h1 of two hosts, h1 and h2, that are there for as long as it runs: each with a network, a name and
# a numbering of processes of its own. mpirun reaches h2 through FOLDER/agent, which gives it a bare environment, as ssh
# does. The working folder is FOLDER/work; where FOLDER/h2-work exists, it stands in that place on h2: hosts that share
# no files. What is left a while after the command is listed in FOLDER/left.
#
# To be started as the first process of namespaces of its own, so that all ends with it:
#   unshare --user --map-root-user --net --mount --pid --fork --kill-child --mount-proc sh virtual_hosts.sh ...
set -e
folder=$1
shift

mount -t tmpfs tmpfs /run
mount -t tmpfs tmpfs /dev/shm
ip link set lo up
ip link add petri0 type bridge
ip link set petri0 up
for number in 1 2; do
  ip netns add "h$number"
  ip link add "veth$number" type veth peer name eth0 netns "h$number"
  ip link set "veth$number" master petri0 up
  ip -n "h$number" address add "10.77.0.$number/24" dev eth0
  ip -n "h$number" link set eth0 up
  ip -n "h$number" link set lo up
done
printf '127.0.0.1 localhost\n10.77.0.1 h1\n10.77.0.2 h2\n' >/run/hosts
mount --bind /run/hosts /etc/hosts

# mpirun calls it as it would call ssh: host, then the words of a shell command.
cat >"$folder/agent" <<END
#!/bin/sh
host=\$1
shift
exec env -i PATH="$PATH" nsenter --net="/run/netns/\$host" unshare --uts --mount --pid --fork --kill-child --mount-proc \
  sh -c "hostname \$host; if [ -d '$folder/'\$host-work ]; then mount --bind '$folder/'\$host-work '$folder/work'; fi
    \$*"
END
chmod +x "$folder/agent"

export OMPI_MCA_plm_rsh_agent="$folder/agent" PRTE_MCA_plm_ssh_agent="$folder/agent"
export OMPI_MCA_btl=tcp,self OMPI_MCA_btl_tcp_if_include=10.77.0.0/24
export OMPI_MCA_oob_tcp_if_include=10.77.0.0/24 PRTE_MCA_prte_if_include=10.77.0.0/24
cd "$folder/work"
status=0
nsenter --net=/run/netns/h1 unshare --uts sh -c 'hostname h1; exec "$@"' sh "$@" || status=$?

for try in 1 2 3 4 5 6 7 8 9 10; do
  : >"$folder/left"
  for process in /proc/[0-9]*; do
    [ "$process" = "/proc/$$" ] || tr '\0' ' ' <"$process/cmdline" >>"$folder/left" 2>/dev/null || true
  done
  ls -A /dev/shm >>"$folder/left"
  [ -s "$folder/left" ] || break
  sleep 0.3
done
exit $status
