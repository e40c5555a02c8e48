# Runs firstseen as an engine's task that is killed in the middle, in its first attempt. Arguments: the phase to kill, how, and the
# command. how: self kills the task's program, parent the process of the engine above it, slow makes the task last for a minute.
phase=$1 how=$2
shift 2
for word in "$@"; do
  case $word in map | combine | reduce) now=$word && break ;; esac
done
case $now:$mapreduce_task_attempt_id in
$phase:*_000000_0)
  if [ "$how" = slow ]; then
    (head -c 100000 && sleep 60 && cat) | "$@"
    exit
  fi
  head -c 300000 | "$@"
  [ "$how" = parent ] && kill -9 $PPID
  kill -9 $$
  ;;
*) exec "$@" ;;
esac
