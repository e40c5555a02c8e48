"""The accessor `firstseen` of pandas: rows that are seen for the first time, over many frames."""

from __future__ import annotations

import pandas as pd

from firstseen import Detector


@pd.api.extensions.register_series_accessor("firstseen")
class FirstseenAccessor:
    def __init__(self, series: pd.Series) -> None:
        self._series = series

    def is_first(self, detector: Detector) -> pd.Series:
        """True for each row whose value is seen for the first time."""
        return pd.Series(detector.observe_many(self._series), index=self._series.index)


if __name__ == "__main__":
    with Detector(memory="64MiB") as seen:
        for urls in (["/a", "/b", "/a"], ["/b", "/c"]):
            frame = pd.DataFrame({"url": urls})
            print(frame[frame["url"].firstseen.is_first(seen)]["url"].tolist())
