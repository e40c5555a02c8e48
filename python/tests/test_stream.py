"""Streams without their repeats."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest

from firstseen import Detector, dedup, dedup_async


def test_dedup() -> None:
    assert list(dedup(["a", "b", "a"])) == ["a", "b"]
    assert list(dedup([], memory="1MiB")) == []
    items = [{"id": i % 3000} for i in range(5000)]
    assert list(dedup(items, key=lambda item: item["id"], memory="1MiB")) == items[:3000]


def test_a_detector_that_goes_on_has_no_item_that_was_not_yielded() -> None:
    with Detector(memory="1MiB") as seen:
        stream = dedup(["a", "b", "c"], detector=seen)
        assert next(stream) == "a"
        del stream
        assert list(dedup(["a", "b", "c"], detector=seen)) == ["b", "c"]
        with pytest.raises(TypeError):
            list(dedup(["a"], detector=seen, memory="1MiB"))


def test_what_came_before_an_error_of_the_source_is_yielded() -> None:
    def source() -> Iterator[str]:
        yield from ["a", "a", "b"]
        raise OSError("cut off")

    items = []
    with pytest.raises(OSError, match="cut off"):
        for item in dedup(source(), memory="1MiB"):
            items.append(item)
    assert items == ["a", "b"]


def test_dedup_async() -> None:
    async def source() -> AsyncIterator[str]:
        for item in ["a", "b", "a"]:
            yield item

    async def run() -> list[str]:
        return [item async for item in dedup_async(source(), memory="1MiB")]

    assert asyncio.run(run()) == ["a", "b"]
