"""Detectors of passages: parts of texts that were seen before."""

from __future__ import annotations

import os
import struct
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from ._texts import TextDetector

_TEXT = struct.Struct("<IIII")
_SPAN = struct.Struct("<dII")


class Span(NamedTuple):
    """A part of a text that was seen before: `text[start:end]`."""

    start: int
    end: int
    #: The share of it that was seen, from 0 to 1.
    share: float


class PassagesAnswer(NamedTuple):
    """What is known of a text."""

    #: The parts that were seen before.
    spans: list[Span]
    #: The passages of the text.
    passages: int
    #: Its characters.
    characters: int
    #: Its characters that were seen before.
    seen_characters: int


class Passages(TextDetector[PassagesAnswer]):
    """Finds the passages of a text that were seen before, such as paragraphs.

    >>> passages = Passages(by="line")
    >>> passages.observe("one line of text\\nanother line of text").spans
    []
    >>> text = "a new line of text\\nanother line of text"
    >>> [text[start:end] for start, end, share in passages.observe(text).spans]
    ['another line of text']

    The options are those of `createPassages` of the library.
    """

    _type = "passages"

    def __init__(
        self,
        *,
        by: str | None = None,
        separator: str | None = None,
        ngram: int | None = None,
        overlap: float | None = None,
        min_length: int | None = None,
        min_words: int | None = None,
        skip_empty: bool | None = None,
        memory: str | int | None = None,
        algorithm: str | None = None,
        fpr: float | None = None,
        window: str | int | None = None,
        window_slack: float | None = None,
        refresh: bool | None = None,
        distinct_elements: int | None = None,
        length_elements: int | None = None,
        gaps_elements: Sequence[int] | None = None,
        parameters: Mapping[str, str | int | float | bool] | None = None,
        layout: str | None = None,
        seed: int | None = None,
        fingerprint: str | None = None,
        secret: str | bytes | None = None,
        partitions: int | None = None,
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
        overlap: float | None = None,
        min_length: int | None = None,
        min_words: int | None = None,
        skip_empty: bool | None = None,
        max_memory: str | int | None = None,
        clock: Literal["system", "manual"] | None = None,
        own_process: bool = False,
    ) -> Passages:
        """The detector of a file that `save`, `firstseen passages` or the library has written."""
        options = {name: value for name, value in locals().items() if name not in ("cls", "path", "own_process")}
        return cls._load(path, options, own_process)

    @staticmethod
    def _answers_of(body: bytes) -> list[PassagesAnswer]:
        """The answers in a body: those before `texts` describe their spans, which follow."""
        heads: list[tuple[int, ...]] = []
        spans_bytes = 0
        while len(heads) * _TEXT.size + spans_bytes < len(body):
            heads.append(_TEXT.unpack_from(body, len(heads) * _TEXT.size))
            spans_bytes += heads[-1][0] * _SPAN.size
        at = len(heads) * _TEXT.size
        answers = []
        for count, passages, characters, seen_characters in heads:
            end = at + count * _SPAN.size
            spans = [Span(first, last, share) for share, first, last in _SPAN.iter_unpack(body[at:end])]
            answers.append(PassagesAnswer(spans, passages, characters, seen_characters))
            at = end
        return answers
