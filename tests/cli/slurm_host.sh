#!/bin/sh
# slurm_host.sh FOLDER COMMAND...
#
# Runs COMMAND on a host named slurm1 with a Slurm of its own, which is there for as long as it runs. The working folder
# is FOLDER/work. What is left a while after the command is listed in FOLDER/left: job steps and processes.
#
# To be started by root as the first process of namespaces of its own, so that all ends with it:
#   unshare --net --uts --mount --pid --fork --kill-child --mount-proc sh slurm_host.sh ...
# Status 77 where Slurm does not come up; FOLDER/slurm has its logs.
set -e
folder=$1
shift
slurm=$folder/slurm
mkdir -p "$slurm/state" "$slurm/spool"
chmod 755 "$folder" "$slurm"

hostname slurm1
ip link set lo up
# Slurm asks for addresses beside the loopback's (getaddrinfo with AI_ADDRCONFIG) and finds no place to listen without.
ip link add petri0 type bridge
ip address add 10.78.0.1/24 dev petri0
ip link set petri0 up
mount -t tmpfs tmpfs /run
mount -t tmpfs tmpfs /dev/shm
printf '127.0.0.1 localhost\n10.78.0.1 slurm1\n' >/run/hosts
mount --bind /run/hosts /etc/hosts

head -c 1024 /dev/urandom >/run/munge.key
chmod 600 /run/munge.key
mkdir /run/munge
cat >"$slurm/slurm.conf" <<END
ClusterName=petri
SlurmctldHost=slurm1
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=/run/munge/socket
StateSaveLocation=$slurm/state
SlurmdSpoolDir=$slurm/spool
SlurmctldPidFile=/run/slurmctld.pid
SlurmdPidFile=/run/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SlurmdParameters=config_overrides
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
MpiDefault=pmix
NodeName=slurm1 NodeAddr=10.78.0.1 CPUs=16 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
END
export SLURM_CONF="$slurm/slurm.conf"

munged --foreground --force --key-file=/run/munge.key --socket=/run/munge/socket --pid-file=/run/munge/pid \
  --log-file="$slurm/munged.log" --seed-file=/run/munge/seed 2>>"$slurm/munged.log" &
daemons=$!
for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  [ -S /run/munge/socket ] && break
  sleep 0.1
done
slurmctld -D >"$slurm/slurmctld.log" 2>&1 &
daemons="$daemons $!"
slurmd -D >"$slurm/slurmd.log" 2>&1 &
daemons="$daemons $!"
up=
for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
  case "$(timeout 2 sinfo --noheader --format=%T 2>/dev/null)" in
    idle) up=1 && break ;;
  esac
  sleep 0.5
done
[ -n "$up" ] || exit 77

cd "$folder/work"
status=0
"$@" || status=$?

for try in 1 2 3 4 5 6 7 8 9 10; do
  squeue --noheader --steps >"$folder/left"
  [ -s "$folder/left" ] || break
  sleep 0.3
done
kill $daemons
wait $daemons || true
for process in /proc/[0-9]*; do
  [ "$process" = "/proc/$$" ] || tr '\0' ' ' <"$process/cmdline" >>"$folder/left" 2>/dev/null || true
done
exit $status
