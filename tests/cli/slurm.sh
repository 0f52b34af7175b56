#!/usr/bin/env bash
# scree sweep --slurm on a real Slurm: slurmctld, slurmd and munge of Debian's slurm-wlm, started here for this test alone, on other ports than
# the usual ones. An array with chunks, a bad case, --collect while jobs run, only what is missing again, a task that is stopped by USR1 and
# requeued goes on from its checkpoint with the same bits, a node that dies.
#   tests/cli/slurm.sh       with SCREE_LONG=1 (./test --long); exit status 77: without, not root, or no slurm-wlm
set -euo pipefail
cd "$(dirname "$0")/../.."
scree=$(realpath "${SCREE_BIN:?SCREE_BIN is not set}")
[ -n "${SCREE_LONG:-}" ] || { echo "slurm: skipped without SCREE_LONG=1"; exit 77; }
for tool in slurmctld slurmd sbatch munged; do
    command -v $tool >/dev/null || { echo "slurm: skipped, there is no $tool (Debian: slurm-wlm)"; exit 77; }
done
[ "$(id -u)" = 0 ] || { echo "slurm: skipped, slurmd needs root"; exit 77; }
work=$(mktemp -d)
chmod 755 "$work"
stop() {
    for pid in "$work"/run/*.pid; do [ ! -e "$pid" ] || kill "$(cat "$pid")" 2>/dev/null || true; done
    sleep 1
    rm -rf "$work"
}
trap stop EXIT
fail() { echo "slurm: $*" >&2; squeue >&2 || true; exit 1; }
until_true() { # SECONDS COMMAND
    local left=$1
    shift
    until "$@"; do
        left=$((left - 1))
        [ $left -gt 0 ] || return 1
        sleep 1
    done
}

# ---- a cluster of one node
mkdir -p "$work"/{state,spool,run,munge}
chmod 700 "$work/munge"
head -c 1024 /dev/urandom >"$work/munge/key"
chmod 600 "$work/munge/key"
munged --force --key-file="$work/munge/key" --socket="$work/munge.socket" --pid-file="$work/run/munged.pid" \
    --log-file="$work/munge/log" --seed-file="$work/munge/seed" 2>"$work/munge.err" || fail "munged: $(cat "$work/munge.err")"
host=$(hostname -s)
cat >"$work/slurm.conf" <<END
ClusterName=scree
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=26817
SlurmdPort=26818
AuthType=auth/munge
AuthInfo=socket=$work/munge.socket
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/run/slurmctld.pid
SlurmdPidFile=$work/run/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,batch_sched_delay=0,requeue_delay=1
MaxArraySize=101
KillWait=5
JobRequeue=1
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF=$work/slurm.conf
slurmctld -c
slurmd -c
ready() { sinfo -h -o %t | grep -q idle; }
until_true 60 ready || fail "the node is not idle: $(sinfo)"
empty() { [ -z "$(squeue -h)" ]; }

# ---- an array with chunks; the rows are those of a sweep without a scheduler
vary=(--vary materials.stone.friction=0.1:0.5:5 --vary materials.stone.rolling="1 mm,2 mm,-1 mm" --set run.until="20 ms")
"$scree" sweep examples/ball.yaml "${vary[@]}" -o "$work/local" -q 2>/dev/null && fail "a negative length is no failure"
"$scree" sweep examples/ball.yaml "${vary[@]}" -o "$work/sweep" --slurm --submit --chunk 4 --limit 2 --sbatch=--time=10 >"$work/out"
grep -q 'tasks        4' "$work/out" || fail "15 cases by 4 are not 4 tasks: $(cat "$work/out")"
"$scree" sweep --collect "$work/sweep" -q 2>/dev/null || true # while jobs run
until_true 120 empty || fail "the array does not end"
"$scree" sweep --collect "$work/sweep" -q 2>/dev/null && fail "--collect does not tell of failed cases"
cmp "$work/local/index.csv" "$work/sweep/index.csv" || fail "the index is not that of a sweep without a scheduler"

# ---- only what is missing
rm "$work/sweep/rows/case_000003.csv" "$work/sweep/rows/case_000010.csv"
"$scree" sweep --resume -o "$work/sweep" --slurm --submit --chunk 1 >"$work/out"
[ "$(cat "$work/sweep/slurm/cases.txt")" = "3
10" ] || fail "missing are 3 and 10, not $(cat "$work/sweep/slurm/cases.txt")"
until_true 60 empty || fail "the second array does not end"
"$scree" sweep --collect "$work/sweep" -q 2>/dev/null || true
cmp "$work/local/index.csv" "$work/sweep/index.csv" || fail "the index after the second array is another"
"$scree" sweep --resume -o "$work/sweep" --slurm --retry >"$work/out"
[ "$(wc -w <"$work/sweep/slurm/cases.txt")" = 5 ] || fail "--retry takes not the 5 failed cases: $(cat "$work/sweep/slurm/cases.txt")"

# ---- a task that is stopped by USR1, as before the end of its time, is requeued and goes on with the same bits
long=(--vary "seed=1,2" --keep full --set run.until="6 s" --set output.every="6 s")
"$scree" sweep examples/pile.yaml "${long[@]}" -o "$work/whole" -q 2>/dev/null || true
"$scree" sweep examples/pile.yaml "${long[@]}" -o "$work/stopped" --slurm --submit >"$work/out"
begun() { ls "$work"/stopped/case_*/checkpoint.h5 >/dev/null 2>&1 || squeue -h -t R | grep -q .; }
until_true 60 begun || fail "no task begins"
sleep 2
scancel --signal=USR1 "$(squeue -h -o %A | head -1)"
requeued() { grep -ql Interrupted "$work"/stopped/slurm/*.log 2>/dev/null || empty; }
until_true 60 requeued || fail "USR1 does not stop a case"
until_true 240 empty || fail "the requeued task does not end: $(cat "$work"/stopped/slurm/*.log)"
"$scree" sweep --collect "$work/stopped" -q 2>/dev/null || true
cmp "$work/whole/index.csv" "$work/stopped/index.csv" || fail "a task that was requeued has other results"
grep -l Interrupted "$work"/stopped/slurm/*.log >/dev/null || echo "slurm: the tasks had ended before USR1 came"

# ---- a node that dies: its task is missing, and runs again
"$scree" sweep examples/pile.yaml "${long[@]}" -o "$work/lost" --slurm --submit >"$work/out"
running() { squeue -h -t R | grep -q .; }
until_true 60 running || fail "no task begins"
sleep 1
kill -9 "$(cat "$work/run/slurmd.pid")"
scancel -u root
rm -f "$work/run/slurmd.pid"
slurmd -c
until_true 60 empty || fail "the lost tasks stay in the queue"
until_true 60 ready || fail "the node does not come back: $(sinfo)"
"$scree" sweep --resume -o "$work/lost" --slurm --submit >"$work/out"
until_true 240 empty || fail "the array after the loss does not end"
"$scree" sweep --collect "$work/lost" -q 2>/dev/null || true
cmp "$work/whole/index.csv" "$work/lost/index.csv" || fail "after the loss of a node the results are others"
echo "slurm: chunks, missing cases, requeue after USR1, a lost node: the same index"
