"""Processor time of a key in Python: the package, and what programs use in its place. Prints a row of JSON a turn.

Takes the number of keys, the number of rounds, and the folder of the package.
"""

import json
import os
import random
import sys
import time

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from pybloom_live import BloomFilter
from rbloom import Bloom

COUNT, ROUNDS = int(sys.argv[1]), int(sys.argv[2])
sys.path.insert(0, sys.argv[3])
from firstseen import Detector  # noqa: E402

random.seed(1)
NUMBERS = [random.randrange(COUNT) for _ in range(COUNT)]
TEXTS = [f"https://example.com/item/{number}" for number in NUMBERS]
FEW = max(1, COUNT // 50)
FPR = 1e-6


def threads_seconds(pid):
    """The processor time that all threads of a process have taken."""
    folder = f"/proc/{pid}/task"
    texts = []
    for thread in os.listdir(folder):
        with open(f"{folder}/{thread}/schedstat") as file:
            texts.append(file.read())
    return sum(int(text.split()[0]) for text in texts) / 1e9


def ours(keys, ask):
    with Detector(memory="64MiB", own_process=True) as seen:
        pid = seen._child._process.pid
        ask(seen, keys[:1])
        begin = time.process_time() + threads_seconds(pid)
        ask(seen, keys)
        return time.process_time() + threads_seconds(pid) - begin


def many(seen, keys):
    seen.observe_many(keys)


def single(seen, keys):
    for key in keys:
        seen.observe(key)


def alone(use):
    begin = time.process_time()
    use()
    return time.process_time() - begin


def use_set(keys=TEXTS):
    seen = set()
    for key in keys:
        if key not in seen:
            seen.add(key)


def use_rbloom():
    seen = Bloom(COUNT, FPR)
    for key in TEXTS:
        if key not in seen:
            seen.add(key)


def use_pybloom():
    seen = BloomFilter(COUNT, FPR)
    for key in TEXTS[:FEW]:
        seen.add(key)


ARROW, ARRAY = pa.array(TEXTS), np.array(NUMBERS)
FRAME, SERIES = pd.DataFrame({"key": TEXTS}), pl.Series(TEXTS)
TURNS = {
    "firstseen, column of Arrow": (COUNT, lambda: ours(ARROW, many)),
    "firstseen, list of str": (COUNT, lambda: ours(TEXTS, many)),
    "firstseen, integers of NumPy": (COUNT, lambda: ours(ARRAY, many)),
    "firstseen, one str at a time": (FEW, lambda: ours(TEXTS[:FEW], single)),
    "set": (COUNT, lambda: alone(use_set)),
    "rbloom": (COUNT, lambda: alone(use_rbloom)),
    "pybloom_live": (FEW, lambda: alone(use_pybloom)),
    "pandas, drop_duplicates": (COUNT, lambda: alone(FRAME.drop_duplicates)),
    "polars, is_first_distinct": (COUNT, lambda: alone(SERIES.is_first_distinct)),
}
for _ in range(ROUNDS):
    for name, (count, turn) in TURNS.items():
        print(json.dumps({"name": name, "nanoseconds": turn() / count * 1e9}), flush=True)
