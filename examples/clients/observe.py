# Passes each line of its input the first time that any program which shares the detector sees it. Needs: pip install redis

import os
import sys
import time
import uuid

import redis

ATTEMPTS = 5

client = redis.Redis(port=int(os.environ.get("FIRSTSEEN_PORT", "6390")), decode_responses=True)
client.execute_command("FS.CREATE", "lines", "memory", "64MiB")


def is_distinct(key):
    # The same id in each attempt: if only the reply was lost, the key is not answered duplicate.
    request = str(uuid.uuid4())
    for attempt in range(ATTEMPTS):
        try:
            return client.execute_command("FS.OBSERVEID", "lines", request, key) == ["distinct"]
        except redis.ConnectionError:
            if attempt + 1 == ATTEMPTS:
                raise
            time.sleep(2**attempt / 10)


for line in sys.stdin:
    if is_distinct(line.rstrip("\n")):
        sys.stdout.write(line)
