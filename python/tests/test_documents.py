"""Near-duplicates, passages and plans."""

from __future__ import annotations

import doctest

import pytest

import firstseen
import firstseen.detector
import firstseen.near
import firstseen.passages
import firstseen.planning
import firstseen.stream
from firstseen import FirstseenError, NearDetector, Passages, Span, plan

FOX = "the quick brown fox jumps over the lazy dog while the cat sleeps in the warm sun of june"
SEA = "waves of the grey sea break upon the stones of a shore where nobody has ever lived before"


def test_near_duplicates() -> None:
    with NearDetector(memory="4MiB") as near:
        assert near.observe_many([SEA, FOX]) == [(True, None, None), (True, None, None)]
        is_first, similarity, nearest = near.test(FOX.upper())
        assert (is_first, nearest) == (False, 1)
        assert similarity is not None and similarity > 0.9
        assert near.stats()["observed"] == 2


def test_passages() -> None:
    with Passages(by="line", memory="1MiB") as passages:
        first, second = passages.observe_many([f"{FOX}\n{SEA}", f"é new line of this text\n{SEA}"])
        assert first == ([], 2, len(FOX) + len(SEA) + 1, 0)
        assert second.spans == [Span(24, 24 + len(SEA), 1)]
        assert second.seen_characters == len(SEA)
        assert passages.test("nothing of it was seen").spans == []


def test_an_impossible_plan() -> None:
    with pytest.raises(FirstseenError):
        plan(fpr=2)


@pytest.mark.parametrize(
    "module", [firstseen, firstseen.detector, firstseen.near, firstseen.passages, firstseen.planning, firstseen.stream]
)
def test_the_examples_of_docstrings(module: object) -> None:
    result = doctest.testmod(module)  # type: ignore[arg-type]
    assert result.attempted > 0
    assert result.failed == 0
