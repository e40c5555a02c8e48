# Runs firstseen as an engine's task, of which one is killed in the middle. Arguments: the phase to kill, how, and the command.
# how: self kills the task's program, parent the process of the engine above it, slow makes the task last for a minute. With Hadoop
# it is the first attempt of the first task. Otherwise it is the first task of the phase that creates the folder
# $FIRSTSEEN_FIRST.PHASE.
phase=$1 how=$2
shift 2
# The phase is the last of these words, because this script may run another one.
for word in "$@"; do
  case $word in map | combine | reduce) now=$word ;; esac
done
is_first() {
  if [ -n "$mapreduce_task_attempt_id" ]; then
    [ "${mapreduce_task_attempt_id%_000000_0}" != "$mapreduce_task_attempt_id" ]
  else
    [ -n "$FIRSTSEEN_FIRST" ] && mkdir "$FIRSTSEEN_FIRST.$phase" 2> /dev/null
  fi
}
if [ "$now" != "$phase" ] || ! is_first; then exec "$@"; fi
if [ "$how" = slow ]; then
  (head -c 100000 && sleep 60 && cat) | "$@"
  exit
fi
head -c 300000 | "$@"
[ "$how" = parent ] && kill -9 $PPID
kill -9 $$
