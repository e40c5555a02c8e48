"""Drops near-duplicates from a new dump of a corpus in Spark, with `firstseen near`.

    spark-submit spark_near.py DUMP OUTPUT STATE

All tasks drop what is similar to the documents of earlier dumps, which STATE remembers. What remains goes through one process in the
order of its ids, which drops the repeats within the dump and adds the rest to the state. STATE is on a disk that all tasks can read.
"""

import os
import shlex
import sys

from pyspark import StorageLevel
from pyspark.sql import SparkSession
from pyspark.sql.functions import struct, to_json

FIRSTSEEN = os.environ.get("FIRSTSEEN", "npx firstseen")


def main(dump, output, state):
    spark = SparkSession.builder.appName("firstseen near").getOrCreate()
    near = f"{FIRSTSEEN} near --format ndjson --state"
    old, new = shlex.quote(state), shlex.quote(f"{state}.new")
    lines = spark.read.json(dump).orderBy("id").select(to_json(struct("*"))).rdd.map(lambda row: row[0])
    has_earlier = os.path.exists(state)
    if has_earlier:
        lines = lines.pipe(f"{near} {old} --read-only", checkCode=True)
    # Kept on disk, because a single task reads them next, and would do the work of all tasks again.
    lines = lines.persist(StorageLevel.DISK_ONLY)
    print(f"{lines.count()} documents are not similar to earlier ones")
    # A task that Spark runs again must not find what it added itself, so each attempt starts with a copy of the state.
    prepare = f"rm -f {new}" if not has_earlier else f"cp {old} {new}"
    attempt = shlex.quote(f"{prepare} && exec {near} {new}")
    lines.coalesce(1).pipe(f"sh -c {attempt}", checkCode=True).saveAsTextFile(output)
    os.replace(f"{state}.new", state)


main(*sys.argv[1:])
