"""Deduplicates text or Parquet on Spark, with firstseen map and firstseen reduce as pipes. README.md describes it."""

import json
import os
import re
import subprocess
import sys

from pyspark import AccumulatorParam, TaskContext
from pyspark.sql import SparkSession
from pyspark.sql.functions import col, date_format

# Where an element has the number of its partition, that of its file, and the end of what elements are sorted by.
PARTITION_END, FILE_START, FILE_END, KEY_END = 4, 5, 11, 23
DRIVER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "driver.mjs")


def answer(driver, value):
    """What driver.mjs answers. If it does not, it has printed why."""
    print(json.dumps(value), file=driver.stdin, flush=True)
    line = driver.stdout.readline()
    return json.loads(line) if line else sys.exit(driver.wait())


def files_of(spark, inputs):
    """Path, length and time of change of the files of all inputs, in the order of their paths. Their contents are not read."""
    found = spark.read.format("binaryFile").option("recursiveFileLookup", "true").load(inputs)
    changed = date_format("modificationTime", "yyyy-MM-dd HH:mm")
    return sorted(tuple(row) for row in found.select("path", "length", changed).collect())


def records_of(spark, path, is_parquet):
    """The lines of a file, or its rows as JSON objects. A line that is not UTF-8 ends the job, because a pipe would change it."""
    path = re.sub(r"([\[\]{}*?\\])", r"\\\1", path)  # Spark would take it for a pattern.
    if is_parquet:
        return spark.read.parquet(path).toJSON()
    lines = spark.read.option("lineSep", "\n").text(path).select(col("value").cast("binary"))
    return lines.rdd.map(lambda row: bytes(row[0]).decode("utf-8"))


def keyed(index, lines):
    """Elements with what they are sorted by. Each Spark partition is a part of one file, and they are in the order of the stream,
    so the number of the Spark partition takes the place of that of the file."""
    for line in lines:
        yield line[:FILE_START] + format(index, "06x") + line[FILE_END:KEY_END], line[KEY_END:]


class Tasks(AccumulatorParam):
    """The tasks that succeeded. Spark takes from each what one attempt added, that whose output it has committed."""

    def zero(self, value):
        return []

    def addInPlace(self, value1, value2):
        return value1 + value2


def distinct(records, commands, reducers, tasks):
    """The records of an RDD that firstseen passes on. Each task adds its attempt and the partitions that it has taken."""

    def reduced(index, elements):
        attempt, partitions = TaskContext.get().taskAttemptId(), {}
        yield f"{attempt} {index}"
        for key, rest in elements:
            partitions[int(key[:PARTITION_END])] = True
            yield key + rest
        tasks.add([(attempt, list(partitions))])

    # A task whose program fails is a failed task.
    elements = records.pipe(commands["map"], dict(os.environ), True).mapPartitionsWithIndex(keyed)
    ordered = elements.repartitionAndSortWithinPartitions(reducers, lambda key: int(key[:PARTITION_END]))
    return ordered.mapPartitionsWithIndex(reduced).pipe(commands["reduce"], dict(os.environ), True)


def main():
    with subprocess.Popen(["node", DRIVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as driver:
        job = answer(driver, sys.argv[1:])
        spark = SparkSession.builder.appName("firstseen").getOrCreate()
        # A key that is null is not a missing key.
        spark.conf.set("spark.sql.jsonGenerator.ignoreNullFields", "false")
        files = files_of(spark, job["paths"])
        commands = answer(driver, files)
        # One file after the other, because Spark does not keep the order of the files that it reads at once.
        parts = [records_of(spark, path, job["parquet"]) for path, _, _ in files]
        # There are none if all files are empty, because Spark passes over these.
        records = spark.sparkContext.union(parts) if parts else spark.sparkContext.emptyRDD()
        tasks = spark.sparkContext.accumulator([], Tasks())
        distinct(records, commands, job["reducers"], tasks).saveAsTextFile(job["output"])
        answer(driver, tasks.value)
        spark.stop()


if __name__ == "__main__":
    main()
