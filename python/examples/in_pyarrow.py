"""A scan of files of Parquet in batches: the rows whose key is seen for the first time, in memory that never grows."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.dataset as ds

from firstseen import Detector


def first_rows(dataset: ds.Dataset, column: str, detector: Detector) -> Iterator[pa.RecordBatch]:
    """The rows of each batch whose value in a column is seen for the first time."""
    for batch in dataset.to_batches():
        yield batch.filter(pa.array(detector.observe_many(batch.column(column))))


if __name__ == "__main__":
    folder, column = sys.argv[1:]
    with Detector(memory="64MiB") as seen:
        for rows in first_rows(ds.dataset(folder), column, seen):
            print(rows.to_pydict())
