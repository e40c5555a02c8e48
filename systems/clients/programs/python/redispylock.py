# The locks of redis-py: arguments are the port and the version of the protocol.

import asyncio
import sys

import redis
import redis.asyncio
from redis.exceptions import LockError, LockNotOwnedError

port, version = sys.argv[1:]
client = redis.Redis(port=int(port), protocol=int(version))
name = "idem:lock" + version
lock = client.lock(name, timeout=60)
other = client.lock(name, timeout=60)
assert lock.acquire(blocking=False)
assert not other.acquire(blocking=False)
assert lock.locked() and lock.owned() and not other.owned()
assert lock.extend(10)
assert client.pttl(name) > 69000
assert lock.extend(90, replace_ttl=True)
assert 60000 < client.pttl(name) <= 90000
assert lock.reacquire()
assert client.ttl(name) == 60
other.local.token = b"another"
for change in (other.release, other.reacquire, lambda: other.extend(1)):
    try:
        change()
        raise AssertionError("a lock of another was changed")
    except LockNotOwnedError:
        other.local.token = b"another"
lock.release()
assert not lock.locked()
with client.lock(name, timeout=60):
    assert client.exists(name) == 1
assert client.exists(name) == 0
try:
    client.lock(name).acquire(blocking=False)
    raise AssertionError("a lock without a time was held")
except redis.ResponseError as error:
    assert "give EX 60" in str(error), error
try:
    client.eval("return 1", 1, name, "token")
    raise AssertionError("a script was run")
except redis.ResponseError as error:
    assert "runs no scripts" in str(error), error


async def lock_asynchronously():
    async with redis.asyncio.Redis(port=int(port), protocol=int(version)) as client:
        async with client.lock(name, timeout=60) as lock:
            assert await lock.extend(1)
            assert await lock.owned()
        try:
            await lock.release()
            raise AssertionError("a lock was released twice")
        except LockError:
            pass


asyncio.run(lock_asynchronously())
