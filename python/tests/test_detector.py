"""Verdicts of detectors, for keys of all kinds."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from firstseen import Detector, FirstseenError

from .support import run_command, sample_lines

np = pytest.importorskip("numpy")
pa = pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")


@pytest.fixture
def seen() -> Iterator[Detector]:
    with Detector(memory="1MiB") as detector:
        yield detector


def test_one_key(seen: Detector) -> None:
    assert seen.test("a") is True
    assert seen.observe("a") is True
    assert seen.observe("a") is False
    assert "a" in seen
    assert "b" not in seen
    assert seen.observe(b"a") is False, "text is the same key as its UTF-8"
    assert seen.observe(97) is True, "an integer is another key than text"
    assert seen.observe(2**64 - 1) is True
    assert seen.stats()["observed"] == 5


def columns(texts: list[str]) -> dict[str, Any]:
    return {
        "list": texts,
        "tuple": tuple(texts),
        "generator": (text for text in texts),
        "bytes": [text.encode() for text in texts],
        "text and bytes": [text.encode() if i % 3 else text for i, text in enumerate(texts)],
        "numpy text": np.array(texts),
        "numpy objects": np.array(texts, object),
        "arrow": pa.array(texts),
        "arrow large": pa.array(texts, pa.large_string()),
        "arrow view": pa.array(texts, pa.string_view()),
        "arrow binary": pa.array([text.encode() for text in texts]),
        "arrow dictionary": pa.array(texts).dictionary_encode(),
        "arrow slice": pa.array(["other", *texts, "other"]).slice(1, len(texts)),
        "arrow chunks": pa.chunked_array([texts[:3], [], texts[3:20_000], texts[20_000:]], pa.string()),
        "polars": pl.Series(texts),
        "polars categories": pl.Series(texts, dtype=pl.Categorical),
        "pandas": pd.Series(texts),
        "pandas objects": pd.Series(texts, dtype=object),
        "pandas categories": pd.Series(texts, dtype="category"),
        "pandas index": pd.Index(texts),
    }


TEXTS = sample_lines(40_000)
FIRST = run_command(["--memory", "1MiB"], TEXTS)


@pytest.mark.parametrize("kind", columns([]))
def test_text_of_all_kinds_has_the_verdicts_of_the_command(seen: Detector, kind: str) -> None:
    verdicts = seen.observe_many(columns(TEXTS)[kind])
    assert verdicts.dtype == bool
    assert [text for text, is_first in zip(TEXTS, verdicts) if is_first] == FIRST


INTEGERS: dict[str, Callable[[list[int]], Any]] = {
    "list": list,
    "range": lambda integers: range(integers[0], integers[-1] + 1),
    "numpy": np.array,
    "numpy 32": lambda integers: np.array(integers, np.uint32),
    "numpy strided": lambda integers: np.array([integers, integers]).T[:, 0],
    "numpy list": lambda integers: list(np.array(integers)),
    "arrow": pa.array,
    "arrow 16": lambda integers: pa.array(integers, pa.int16()),
    "arrow slice": lambda integers: pa.array([9, *integers]).slice(1),
    "polars": pl.Series,
    "pandas": pd.Series,
    "pandas nullable": lambda integers: pd.Series(integers, dtype="Int64"),
}


@pytest.mark.parametrize("kind", INTEGERS)
def test_integers_of_all_kinds(seen: Detector, kind: str) -> None:
    integers = list(range(100, 20_000))
    seen.observe_many([1, 150, 15_000])
    verdicts = seen.observe_many(INTEGERS[kind](integers))
    assert [integers[i] for i in np.flatnonzero(~verdicts)] == [150, 15_000]


def test_keys_of_several_kinds_are_observed_in_order(seen: Detector) -> None:
    assert seen.observe_many(["a", 1, b"a", 1, "b", 2**64 - 1, "b"]).tolist() == [
        *[True, True, False, False, True, True, False]
    ]


def test_no_keys(seen: Detector) -> None:
    columns: list[Any] = [[], pa.array([], pa.string()), pl.Series([], dtype=pl.String), np.array([], np.uint64)]
    for empty in columns:
        assert seen.observe_many(empty).tolist() == []


def test_test_many_adds_nothing(seen: Detector) -> None:
    seen.observe("a")
    assert seen.test_many(["a", "b", "b"]).tolist() == [False, True, True]
    assert seen.observe("b") is True


REFUSED: dict[str, tuple[Any, str]] = {
    "float": ([1.5], "of type float"),
    "none": (["a", None], "of type NoneType"),
    "boolean": ([True], "of type bool"),
    "negative": ([-1], "must be from 0 to 2^64 - 1"),
    "too large": ([2**64], "must be from 0 to 2^64 - 1"),
    "surrogate": (["\ud800"], "cannot be encoded"),
    "one text": ("abc", "the keys are one str"),
    "arrow nulls": (pa.array(["a", None]), "has 1 nulls"),
    "arrow floats": (pa.array([1.5]), "has the type double"),
    "arrow negative": (pa.array([-1]), "has a negative integer"),
    "numpy negative": (np.array([-1]), "must be from 0 to 2^64 - 1"),
    "numpy floats": (np.array([1.5]), "of type float"),
    "two dimensions": (np.array([[1], [2]]), "has 2 dimensions"),
    "polars nulls": (pl.Series(["a", None]), "has 1 nulls"),
    "pandas nulls": (pd.Series(["a", None]), "has 1 nulls"),
    "long": (["a" * (2**20 + 1)], "a key has 1,048,577 bytes"),
    "arrow long": (pa.array(["a" * (2**20 + 1)]), "a key has 1,048,577 bytes"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_not_a_key_is_refused(seen: Detector, kind: str) -> None:
    keys, message = REFUSED[kind]
    with pytest.raises(FirstseenError) as caught:
        seen.observe_many(keys)
    assert caught.value.code == "E_KEY"
    assert message in str(caught.value)
    assert caught.value.remedy
    assert seen.stats()["observed"] == 0
    assert seen.observe("after") is True


def test_an_error_tells_how_many_keys_of_the_call_were_observed(seen: Detector) -> None:
    keys: list[Any] = [*map(str, range(20_000)), None]
    with pytest.raises(FirstseenError) as caught:
        seen.observe_many(keys)
    assert caught.value.observed == 16_384 == seen.stats()["observed"]
    assert "the first 16,384 keys of this call were observed" in str(caught.value)


def test_a_full_detector_observes_nothing_after_what_it_refuses() -> None:
    with Detector(algorithm="exact", memory="64KiB") as seen:
        with pytest.raises(FirstseenError) as caught:
            seen.observe_many(list(range(200_000)))
        assert caught.value.code == "E_FULL"
        assert caught.value.observed == seen.stats()["observed"] == 0


def test_keys_of_records() -> None:
    with Detector(memory="1MiB", keys=["user.id"]) as seen:
        assert seen.observe({"user": {"id": "a"}, "n": 1}) is True
        records = [{"user": {"id": "a"}, "n": 2}, {"user": {"id": "b"}}, {"user": {"id": "b"}}]
        assert seen.observe_many(records).tolist() == [False, True, False]
        with pytest.raises(FirstseenError) as caught:
            seen.observe({"n": 1})
        assert caught.value.code == "E_KEY_MISSING"


def test_keys_that_do_not_fit_into_a_frame_are_sent_in_several(seen: Detector) -> None:
    big = [chr(97 + i % 26) * 2**20 for i in range(100)]
    assert seen.observe_many(big).sum() == 26
    assert seen.observe_many(pa.array(big)).sum() == 0


def test_a_list_without_numpy_and_pyarrow(seen: Detector, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("numpy", "pyarrow"):
        monkeypatch.setitem(sys.modules, name, None)
    verdicts: Any = seen.observe_many(TEXTS)
    assert type(verdicts) is list
    assert [text for text, is_first in zip(TEXTS, verdicts) if is_first] == FIRST


def test_windows_and_manual_clocks() -> None:
    with Detector(memory="1MiB", window="1h", clock="manual") as seen:
        seen.advance(0)
        assert seen.observe("a") is True
        seen.advance(3_599_000)
        assert seen.observe("a") is False
        seen.advance(7_300_000)
        assert seen.observe("a") is True


def test_clear(seen: Detector) -> None:
    seen.observe("a")
    seen.clear()
    assert seen.observe("a") is True


def test_settings_and_stats_have_names_of_python(seen: Detector) -> None:
    assert seen.settings["memory_bytes"] == 2**20
    assert seen.stats()["cells_bytes"] == 2**20
    assert "N" in seen.settings["parameters"]


def test_errors_have_names_of_python() -> None:
    with pytest.raises(FirstseenError) as caught:
        Detector(distinct_elements=-1)
    error = caught.value
    assert (error.code, error.option) == ("E_PARAMETER", "distinct_elements")
    assert "distinct_elements is -1" in error.message
    with pytest.raises(FirstseenError) as caught:
        Detector(fpr=float("nan"))
    assert caught.value.code == "E_PARAMETER"


def test_a_seed_and_a_secret_have_all_their_bits() -> None:
    with Detector(memory="1MiB", seed=2**64 - 1) as seen:
        assert seen.settings["seed"] == str(2**64 - 1)
    with Detector(memory="1MiB", secret=bytes(range(16))) as seen:
        assert seen.settings["keyed"] is True


def test_a_closed_detector_says_so(seen: Detector) -> None:
    seen.close()
    with pytest.raises(FirstseenError) as caught:
        seen.observe("a")
    assert caught.value.code == "E_CLOSED"
