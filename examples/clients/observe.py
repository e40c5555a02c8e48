# Passes each line of its input the first time that any program which shares the detector sees it. Needs: pip install redis
# The detector is made once: redis-cli -p 6390 FS.CREATE lines MEMORY 64MiB
# WHEN_AWAY is what to do when the server cannot be asked: stop (the default), or pass, which may pass a line twice.

import os
import sys
import time
import uuid

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

ATTEMPTS = 4
PASSES = os.environ.get("WHEN_AWAY") == "pass"

client = redis.Redis(
    port=int(os.environ.get("FIRSTSEEN_PORT", "6390")),
    decode_responses=True,
    socket_timeout=5,
    retry=Retry(NoBackoff(), 0),  # The program repeats its requests itself.
)


def is_distinct(key):
    # The same id in each attempt: if only the reply was lost, the key is not answered duplicate.
    request = str(uuid.uuid4())
    for attempt in range(ATTEMPTS):
        try:
            return client.execute_command("FS.OBSERVEID", "lines", request, key) == ["distinct"]
        except (redis.ConnectionError, redis.TimeoutError):
            if attempt + 1 < ATTEMPTS:
                time.sleep(2**attempt / 10)
            elif not PASSES:
                raise
    return True


for line in sys.stdin:
    if is_distinct(line.rstrip("\n")):
        sys.stdout.write(line)
