# Ships each order of its input once, however many workers get it. Needs: pip install redis
# The detector is made once: redis-cli -p 6390 FS.CREATE orders CLAIMS LEASE 30s WINDOW 1d MEMORY 64MiB
# WHEN_AWAY is what to do when the server cannot be asked: stop (the default), or pass, which may ship an order twice.

import os
import sys
import uuid

import redis
from redis.backoff import ConstantBackoff
from redis.retry import Retry

client = redis.Redis(
    port=int(os.environ.get("FIRSTSEEN_PORT", "6390")),
    decode_responses=True,
    socket_timeout=5,
    retry=Retry(ConstantBackoff(0.2), 2),
)
PASSES = os.environ.get("WHEN_AWAY") == "pass"


def ship(order):
    if not order.isdigit():
        raise ValueError("is not a number")
    print("shipped", order)


def ask(command, order, *words):
    try:
        return client.execute_command(command, "orders", order, *words)
    except (redis.ConnectionError, redis.TimeoutError):
        if not PASSES:
            raise
        return ["distinct"]


def ship_once(order):
    # A client that repeats a claim after a lost reply gives the same token, and is answered distinct again.
    token = str(uuid.uuid4())
    if ask("FS.CLAIM", order, "TOKEN", token)[0] != "distinct":
        return  # It is shipped, or another worker is at it: a queue has to deliver it again.
    try:
        ship(order)
    except ValueError:
        ask("FS.ABORT", order, token)
        raise
    ask("FS.COMMIT", order, token)


for line in sys.stdin:
    try:
        ship_once(line.strip())
    except ValueError as error:
        print(line.strip(), error, file=sys.stderr)
