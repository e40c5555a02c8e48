#!/bin/sh
# Passes each line of its input the first time that any program which shares the detector sees it. Needs: redis-cli

set -eu
ask() { redis-cli -e -p "${FIRSTSEEN_PORT:-6390}" "$@"; }

ask FS.CREATE lines memory 64MiB > /dev/null
while IFS= read -r line; do
  # The same id in both attempts: if only the reply was lost, the key is not answered duplicate.
  id=$(cat /proc/sys/kernel/random/uuid)
  verdict=$(ask FS.OBSERVEID lines "$id" "$line" || { sleep 1; ask FS.OBSERVEID lines "$id" "$line"; })
  if [ "$verdict" = distinct ]; then printf '%s\n' "$line"; fi
done
