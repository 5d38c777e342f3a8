#!/bin/bash
# A Slurm of one node for tests, with files, ports and a key of its own: slurm-node.sh start|stop FOLDER
# It listens on this machine only; `export SLURM_CONF=FOLDER/slurm.conf` makes sbatch and the others talk to it.
set -euo pipefail
command=$1 folder=$(realpath -m "$2")
export SLURM_CONF=$folder/slurm.conf
PATH=$PATH:/usr/sbin

stop() {
  local name pid
  for name in slurmd slurmctld munged; do
    pid=$(cat "$folder/$name.pid" 2>/dev/null) || continue
    kill "$pid" 2>/dev/null || continue
    # One that has ended may stay a zombie for as long as nobody asks for it.
    for _ in $(seq 100); do
      grep -q '^State:.*Z' "/proc/$pid/status" 2>/dev/null && break
      kill -0 "$pid" 2>/dev/null || break
      sleep 0.05
    done
    kill -9 "$pid" 2>/dev/null || true
  done
}

start() {
  local user node free
  mkdir -p "$folder"/{state,spool}
  chmod 700 "$folder"
  user=$(id -un) node=$(hostname -s)
  free=$(python3 -c 'import socket
sockets = [socket.socket() for _ in range(2)]
for s in sockets: s.bind(("127.0.0.1", 0))
print(*(s.getsockname()[1] for s in sockets))')
  head -c 128 /dev/urandom > "$folder/munge.key"
  chmod 400 "$folder/munge.key"
  munged --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" --pid-file="$folder/munged.pid" \
    --log-file="$folder/munged.log" --seed-file="$folder/munge.seed"
  # A job that is put back may run again at once, not after two minutes (cred_expire, at least 5).
  cat > "$SLURM_CONF" <<END
ClusterName=test
SlurmctldHost=$node(127.0.0.1)
SlurmUser=$user
SlurmdUser=$user
SlurmctldPort=${free% *}
SlurmdPort=${free#* }
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket,cred_expire=5
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_res
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SchedulerParameters=sched_interval=1,batch_sched_delay=0,defer_batch=0
ReturnToService=2
KillWait=1
NodeName=$node NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=test Nodes=$node Default=YES MaxTime=INFINITE State=UP
END
  slurmctld
  slurmd -N "$node"
  for _ in $(seq 300); do
    if sinfo --noheader --format=%T 2>/dev/null | grep -qE 'idle|mixed|allocated'; then return; fi
    sleep 0.1
  done
  echo "slurm-node.sh: the node does not come up; see $folder/*.log" >&2
  tail -n 20 "$folder"/*.log >&2
  stop
  return 1
}

case $command in
  start | stop) "$command" ;;
  *) echo "slurm-node.sh start|stop FOLDER" >&2; exit 64 ;;
esac
