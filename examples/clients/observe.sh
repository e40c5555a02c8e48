#!/bin/sh
# Passes each line of its input the first time that any program which shares the detector sees it. Needs: redis-cli
# The detector is made once: redis-cli -p 6390 FS.CREATE lines MEMORY 64MiB
# WHEN_AWAY is what to do when the server cannot be asked: stop (the default), or pass, which may pass a line twice.

set -eu
away() { [ "${WHEN_AWAY:-stop}" = pass ] && echo distinct; }
ask() { redis-cli -e -p "${FIRSTSEEN_PORT:-6390}" "$@"; }

while IFS= read -r line; do
  # The same id in both attempts: if only the reply was lost, the key is not answered duplicate.
  id=$(cat /proc/sys/kernel/random/uuid)
  verdict=$(ask FS.OBSERVEID lines "$id" "$line" || { sleep 1; ask FS.OBSERVEID lines "$id" "$line" || away; })
  if [ "$verdict" = distinct ]; then printf '%s\n' "$line"; fi
done
