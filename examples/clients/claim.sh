#!/bin/sh
# Ships each order of its input once, however many workers get it. Needs: redis-cli
# The detector is made once: redis-cli -p 6390 FS.CREATE orders CLAIMS LEASE 30s WINDOW 1d MEMORY 64MiB
# WHEN_AWAY is what to do when the server cannot be asked: stop (the default), or pass, which may ship an order twice.

set -eu
away() { [ "${WHEN_AWAY:-stop}" = pass ] && echo distinct; }
ask() {
  command=$1
  shift
  redis-cli -e -p "${FIRSTSEEN_PORT:-6390}" "$command" orders "$@" || away
}

ship() {
  case $1 in *[!0-9]*) echo "$1 is not a number" >&2; return 1 ;; esac
  echo "shipped $1"
}

ship_once() {
  token=$(cat /proc/sys/kernel/random/uuid)
  verdict=$(ask FS.CLAIM "$1" TOKEN "$token")
  # Otherwise it is shipped, or another worker is at it: a queue has to deliver it again.
  case $verdict in distinct*) ;; *) return 0 ;; esac
  if ship "$1"; then ask FS.COMMIT "$1" "$token" > /dev/null; else ask FS.ABORT "$1" "$token" > /dev/null; fi
}

while IFS= read -r order; do ship_once "$order" < /dev/null; done
