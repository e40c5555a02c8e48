"""What detectors of documents and of passages have in common: they observe texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from ._held import Held
from ._keys import bodies_of_keys
from ._protocol import MAX_TEXT_BYTES, Kind

Answer = TypeVar("Answer")


class TextDetector(Held, Generic[Answer]):
    """A detector whose keys are texts, each with an answer of several parts."""

    @staticmethod
    def _answers_of(body: bytes) -> list[Answer]:
        """The answers in the body of a frame."""
        raise NotImplementedError

    def observe(self, text: str | bytes) -> Answer:
        """Compares a text with what was seen before, and adds what is new of it."""
        return self.observe_many([text])[0]

    def observe_many(self, texts: Sequence[str | bytes] | Any) -> list[Answer]:
        """Observes texts, in order: a list, or a column of texts as `Detector.observe_many` takes."""
        answers = self._ask_texts(Kind.OBSERVE, texts)
        self._unsaved += len(answers)
        return answers

    def test(self, text: str | bytes) -> Answer:
        """Returns what `observe` would return, and adds nothing."""
        return self.test_many([text])[0]

    def test_many(self, texts: Sequence[str | bytes] | Any) -> list[Answer]:
        """Returns what `observe_many` would return for each text alone, and adds nothing."""
        return self._ask_texts(Kind.TEST, texts)

    def _ask_texts(self, kind: Kind, texts: Any) -> list[Answer]:
        bodies = self._ask_all(kind, bodies_of_keys(texts, MAX_TEXT_BYTES))
        return [answer for body in bodies for answer in self._answers_of(body)]

    def _count(self, answers: list[bytes]) -> int:
        return sum(len(self._answers_of(body)) for body in answers)
