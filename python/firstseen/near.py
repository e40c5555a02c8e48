"""Detectors of near-duplicate documents."""

from __future__ import annotations

import math
import os
import struct
from collections.abc import Mapping
from typing import Literal, NamedTuple

from ._texts import TextDetector


class NearAnswer(NamedTuple):
    """What is known of a document."""

    #: True if no document like this one was kept before.
    is_first: bool
    #: The similarity to the nearest kept document, from 0 to 1; None if there is none, or it is not known.
    similarity: float | None
    #: The number of that document, in the order of those that were kept; None if it is not known.
    nearest: int | None


class NearDetector(TextDetector[NearAnswer]):
    """Tells if a document is like one that was kept before.

    >>> near = NearDetector(similarity=0.8)
    >>> text = "the quick brown fox jumps over the lazy dog while the cat sleeps in the warm sun"
    >>> near.observe(text).is_first
    True
    >>> near.observe(text.upper()).is_first
    False

    The options are those of `createNear` of the library.
    """

    _type = "near"

    def __init__(
        self,
        *,
        similarity: float | None = None,
        shingle: str | None = None,
        memory: str | int | None = None,
        window: str | int | None = None,
        window_slack: float | None = None,
        refresh: bool | None = None,
        fpr: float | None = None,
        lsh: str | None = None,
        hashes: int | None = None,
        variant: str | None = None,
        bands: str | None = None,
        agreeing: int | None = None,
        sets: int | None = None,
        document_bytes: int | None = None,
        encoding: str | None = None,
        case: str | None = None,
        normalize: str | None = None,
        add: str | None = None,
        explain: int | None = None,
        algorithm: str | None = None,
        distinct_documents: int | None = None,
        verify: bool | None = None,
        sketch_bytes: int | None = None,
        confidence: float | None = None,
        layout: str | None = None,
        seed: int | None = None,
        secret: str | bytes | None = None,
        parameters: Mapping[str, str | int | float | bool] | None = None,
        clock: Literal["system", "manual"] | None = None,
        own_process: bool = False,
    ) -> None:
        options = {name: value for name, value in locals().items() if name not in ("self", "own_process", "__class__")}
        super().__init__(options, own_process)

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        *,
        max_memory: str | int | None = None,
        clock: Literal["system", "manual"] | None = None,
        own_process: bool = False,
    ) -> NearDetector:
        """The detector of a file that `save`, `firstseen near` or the library has written."""
        return cls._load(path, {"max_memory": max_memory, "clock": clock}, own_process)

    @staticmethod
    def _answers_of(body: bytes) -> list[NearAnswer]:
        count = len(body) // 17
        similarities = struct.unpack_from(f"<{count}d", body)
        numbers = struct.unpack_from(f"<{count}q", body, 8 * count)
        verdicts = body[16 * count :]
        return [
            NearAnswer(verdict == 0, None if math.isnan(similarity) else similarity, None if number < 0 else number)
            for similarity, number, verdict in zip(similarities, numbers, verdicts)
        ]
