"""Deduplicates text or Parquet on Spark, with firstseen map and firstseen reduce as pipes. README.md describes it."""

import argparse
import os
import re
import shlex

from pyspark.sql import SparkSession
from pyspark.sql.functions import col

PARTITION_END = 4
"""The number of the file in a position, as firstseen map writes it."""
FILE_START, FILE_END = 5, 11
"""Partition and position: what elements are sorted by."""
KEY_END = 23

REPOSITORY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")


def parsed():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("inputs", nargs="+", help="files and folders, in the order of their paths")
    parser.add_argument("--output", required=True, help="folder for the output; it must not exist")
    parser.add_argument("--reducers", type=int, default=1, help="number of reduce tasks (default: 1)")
    parser.add_argument("--parquet", action="store_true", help="the inputs are Parquet; --flags names columns as keys")
    parser.add_argument("--flags", default="", help="flags of firstseen: the detector and the keys")
    parser.add_argument("--map-flags", default="", help="more flags of firstseen map")
    parser.add_argument("--reduce-flags", default="", help="more flags of firstseen reduce, such as --keep-position")
    command = f"node {shlex.quote(os.path.join(REPOSITORY, 'packages/firstseen/bin/firstseen.js'))}"
    parser.add_argument("--firstseen", default=command, help="runs firstseen on every node")
    options = parser.parse_args()
    if options.reducers < 1:
        parser.error(f"--reducers is {options.reducers}; give a whole number from 1")
    return options


def files_of(spark, inputs):
    """The files of all inputs, in the order of their paths. Their contents are not read."""
    found = spark.read.format("binaryFile").option("recursiveFileLookup", "true").load(inputs)
    return sorted(path for (path,) in found.select("path").collect())


def literal(path):
    """A path that Spark does not take for a pattern."""
    return re.sub(r"([\[\]{}*?\\])", r"\\\1", path)


def text_of(spark, path):
    """The lines of a file. A line that is not UTF-8 ends the job, because a pipe would change it."""
    lines = spark.read.option("lineSep", "\n").text(literal(path)).select(col("value").cast("binary"))
    return lines.rdd.map(lambda row: bytes(row[0]).decode("utf-8"))


def rows_of(spark, path):
    """The rows of a file as JSON objects."""
    return spark.read.parquet(literal(path)).toJSON()


def piped(rdd, command):
    """Lines through a program. A task whose program fails is a failed task."""
    return rdd.pipe(command, env=dict(os.environ), checkCode=True)


def keyed(index, lines):
    """Elements with what they are sorted by. Each Spark partition is a part of one file, and they are in the order of the stream,
    so the number of the Spark partition takes the place of that of the file."""
    for line in lines:
        key = line[:FILE_START] + format(index, "06x") + line[FILE_END:KEY_END]
        yield key, line[KEY_END:]


def distinct(records, options):
    """The records of an RDD that firstseen passes on."""
    program = f"{options.firstseen} {{}} {options.flags} {{}}"
    elements = piped(records, program.format("map", options.map_flags)).mapPartitionsWithIndex(keyed)
    ordered = elements.repartitionAndSortWithinPartitions(options.reducers, lambda key: int(key[:PARTITION_END]))
    lines = ordered.map(lambda element: element[0] + element[1])
    return piped(lines, program.format("reduce", options.reduce_flags))


def main():
    options = parsed()
    spark = SparkSession.builder.appName("firstseen").getOrCreate()
    # A key that is null is not a missing key.
    spark.conf.set("spark.sql.jsonGenerator.ignoreNullFields", "false")
    read = rows_of if options.parquet else text_of
    # One file after the other, because Spark does not keep the order of the files that it reads at once.
    parts = [read(spark, path) for path in files_of(spark, options.inputs)]
    # There are none if all files are empty, because Spark passes over these.
    records = spark.sparkContext.union(parts) if parts else spark.sparkContext.emptyRDD()
    distinct(records, options).saveAsTextFile(options.output)
    spark.stop()


if __name__ == "__main__":
    main()
