# Runs firstseen as an engine's task, of which one is killed in the middle. Arguments: the phase to kill, how, and the command.
# how: self kills the task's program, parent the process of the engine above it. slow makes the task last for a minute, and creates
# $FIRSTSEEN_FIRST.PHASE/slow then. With Hadoop it is the first attempt of the first task. Otherwise it is the first task of the phase
# with 300,000 bytes to read that creates the folder $FIRSTSEEN_FIRST.PHASE.
phase=$1 how=$2
shift 2
# The phase is the last of these words, because this script may run another one.
for word in "$@"; do
  case $word in map | combine | reduce) now=$word ;; esac
done
if [ "$now" != "$phase" ]; then exec "$@"; fi
if [ -n "$mapreduce_task_attempt_id" ]; then
  if [ "${mapreduce_task_attempt_id%_000000_0}" = "$mapreduce_task_attempt_id" ]; then exec "$@"; fi
  begin() { head -c 300000; }
else
  if [ -z "$FIRSTSEEN_FIRST" ]; then exec "$@"; fi
  begun=$(mktemp) || exit
  head -c 300000 > "$begun"
  begin() { cat "$begun" && rm "$begun"; }
  if [ "$(wc -c < "$begun")" -lt 300000 ] || ! mkdir "$FIRSTSEEN_FIRST.$phase" 2> /dev/null; then
    (begin && cat) | "$@"
    exit
  fi
fi
if [ "$how" = slow ]; then
  (begin && sleep 60 && { touch "$FIRSTSEEN_FIRST.$phase/slow" 2> /dev/null || true; } && cat) | "$@"
  exit
fi
begin | "$@"
[ "$how" = parent ] && kill -9 $PPID
kill -9 $$
