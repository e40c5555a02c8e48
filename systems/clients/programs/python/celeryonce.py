# celery-once: the argument is the port.

import sys

from celery_once.backends.redis import Redis
from celery_once.tasks import AlreadyQueued

backend = Redis({"url": "redis://127.0.0.1:" + sys.argv[1] + "/0"})
backend.raise_or_lock("qo_task", 60)
try:
    backend.raise_or_lock("qo_task", 60)
    raise AssertionError("a task was queued twice")
except AlreadyQueued as error:
    assert 59 < error.countdown <= 60, error.countdown
assert backend.clear_lock("qo_task") == 1
backend.raise_or_lock("qo_task", 60)
