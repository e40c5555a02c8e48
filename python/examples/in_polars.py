"""The namespace `firstseen` of polars: rows that are seen for the first time, over many frames.

A detector is asked in the order of the rows, so the expression belongs to an eager frame, or to the batches of a
stream.
"""

from __future__ import annotations

import polars as pl

from firstseen import Detector


@pl.api.register_expr_namespace("firstseen")
class FirstseenExpressions:
    def __init__(self, expression: pl.Expr) -> None:
        self._expression = expression

    def is_first(self, detector: Detector) -> pl.Expr:
        """True for each row whose value is seen for the first time."""

        def observe(values: pl.Series) -> pl.Series:
            return pl.Series(values.name, detector.observe_many(values))

        return self._expression.map_batches(observe, return_dtype=pl.Boolean, is_elementwise=False)


if __name__ == "__main__":
    with Detector(memory="64MiB") as seen:
        for urls in (["/a", "/b", "/a"], ["/b", "/c"]):
            frame = pl.DataFrame({"url": urls})
            print(frame.filter(pl.col("url").firstseen.is_first(seen))["url"].to_list())  # type: ignore[attr-defined]
