# Passes each line of its input once a day, as Redis says, and asks the server beside it. At the end it prints how often the two agreed.
# Needs: pip install redis
# The server runs with --map 'dedup:*=events', and has:
# redis-cli -p 6390 FS.CREATE events ALGORITHM exactwindow WINDOW 1d MEMORY 256MiB

import collections
import os
import sys

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

in_use = redis.Redis(port=int(os.environ.get("REDIS_PORT", "6379")))
on_trial = redis.Redis(
    port=int(os.environ.get("FIRSTSEEN_PORT", "6390")), socket_timeout=1, retry=Retry(NoBackoff(), 0)
)
counts = collections.Counter()


def is_new(client, key):
    return client.set("dedup:" + key, 1, nx=True, ex=86400) is True


for line in sys.stdin:
    key = line.rstrip("\n")
    own = is_new(in_use, key)
    try:
        counts[own, is_new(on_trial, key)] += 1
    except redis.RedisError as error:
        # What is on trial stops nothing.
        counts[type(error).__name__] += 1
    if own:
        sys.stdout.write(line)

print("new to both:", counts[True, True], file=sys.stderr)
print("seen by both:", counts[False, False], file=sys.stderr)
print("new to Redis only:", counts[True, False], file=sys.stderr)
print("new to firstseen only:", counts[False, True], file=sys.stderr)
print("not compared:", sum(counts[one] for one in counts if isinstance(one, str)), file=sys.stderr)
