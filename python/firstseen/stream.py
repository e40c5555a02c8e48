"""Streams without their repeats."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from itertools import compress
from typing import Any, TypeVar, cast

from .detector import Detector, Key

Item = TypeVar("Item")

#: Items that are read ahead, if nothing is lost with those that the reader does not take.
_AHEAD_ITEMS = 2**10


def dedup(
    items: Iterable[Item],
    *,
    key: Callable[[Item], Any] | None = None,
    detector: Detector | None = None,
    batch_size: int | None = None,
    **options: Any,
) -> Iterator[Item]:
    """Yields each item whose key is seen for the first time.

    >>> list(dedup(["a", "b", "a"]))
    ['a', 'b']
    >>> list(dedup([{"id": 1}, {"id": 1}], key=lambda item: item["id"], memory="1MiB"))
    [{'id': 1}]

    `detector`: one that goes on after the stream; otherwise the options are those of `Detector`.
    `batch_size`: the items that are read and observed at a time. By default it is 1 with a detector that goes on, so
    that it has no item that was not yielded, and 1,024 without. Give 1 for a stream whose items come one by one.
    """
    size = batch_size or (_AHEAD_ITEMS if detector is None else 1)
    with _detector(detector, options) as seen:
        source = iter(items)
        while True:
            batch, problem = _read(source, size)
            if batch:
                yield from compress(batch, seen.observe_many(batch if key is None else list(map(key, batch))))
            if problem is not None:
                raise problem
            if len(batch) < size:
                return


def _detector(detector: Detector | None, options: dict[str, Any]) -> AbstractContextManager[Detector]:
    if detector is None:
        return Detector(**options)
    if options:
        raise TypeError(f"dedup has a detector, so it takes no options of one: {', '.join(options)}")
    return nullcontext(detector)


def _read(source: Iterator[Item], size: int) -> tuple[list[Item], Exception | None]:
    """The next items, and the error of the source that came after them."""
    batch: list[Item] = []
    try:
        for item in source:
            batch.append(item)
            if len(batch) == size:
                break
    except Exception as error:
        return batch, error
    return batch, None


async def dedup_async(
    items: AsyncIterable[Item],
    *,
    key: Callable[[Item], Any] | None = None,
    detector: Detector | None = None,
    **options: Any,
) -> AsyncIterator[Item]:
    """As `dedup` for an asynchronous stream, one item at a time. The event loop goes on meanwhile."""
    with await asyncio.to_thread(_detector, detector, options) as seen:
        async for item in items:
            if await asyncio.to_thread(seen.observe, cast(Key, item) if key is None else key(item)):
                yield item
