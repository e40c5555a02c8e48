# redis-py: arguments are the port and the version of the protocol.

import sys

import redis

port, version = sys.argv[1:]
client = redis.Redis(port=int(port), protocol=int(version), client_name="test", decode_responses=True)
name = "redispy" + version
bloom = client.bf()
assert bloom.reserve(name, 0.001, 100) is True or bloom.card(name) == 0
try:
    bloom.reserve(name, 0.001, 100)
    raise AssertionError("a filter was reserved twice")
except redis.ResponseError as error:
    assert "item exists" in str(error), error
assert bloom.add(name, "a") == 1
assert bloom.add(name, "a") == 0
assert bloom.madd(name, "a", "b") == [0, 1]
assert bloom.mexists(name, "b", "c") == [1, 0]
assert bloom.card(name) == 2
assert bloom.insert(name, ["c", "d"], noCreate=True) == [1, 1]
info = bloom.info(name)
assert (info["Capacity"] if isinstance(info, dict) else info.capacity) == 100, info
with client.pipeline() as pipeline:
    for key in ["a", "e"]:
        pipeline.execute_command("BF.ADD", name, key)
    pipeline.ping()
    assert pipeline.execute() == [0, 1, True]
with client.pipeline(transaction=False) as pipeline:
    for key in ["a", "e", "f"]:
        pipeline.execute_command("FS.OBSERVE", name, key)
    assert pipeline.execute() == [["duplicate"], ["duplicate"], ["distinct"]]
try:
    with client.pipeline() as pipeline:
        pipeline.watch(name)
    raise AssertionError("a detector was watched")
except redis.ResponseError as error:
    assert "WATCH is not offered" in str(error), error
assert client.delete(name) == 1
assert client.set("dedup:" + name, 1, nx=True, ex=86400) is True
assert client.set("dedup:" + name, 1, nx=True, ex=86400) is None
assert client.setnx("once:" + name, 1) == 1
assert client.sadd(name + ":dupefilter", "a", "b") == 2
assert client.smismember(name + ":dupefilter", ["a", "c"]) == [1, 0]
assert client.set("idem:" + name, "mine", nx=True, px=60000) is True
assert client.get("idem:" + name) == "mine"
with client.pipeline() as pipeline:
    pipeline.set("idem:" + name, "done", ex=86400)
    pipeline.set("idem:" + name, "other", nx=True, px=60000)
    assert pipeline.execute() == [True, None]
assert client.get("idem:" + name) == "processed"
