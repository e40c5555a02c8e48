"""Plans: the algorithm, its parameters and its memory for a stream."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from ._child import Child
from ._names import encoded_json, encoded_options, snake_data
from ._protocol import Kind


def plan(
    *,
    distinct_elements: int | None = None,
    length_elements: int | None = None,
    memory: str | int | None = None,
    min_memory_bytes: int | None = None,
    fpr: float | None = None,
    layout: str | None = None,
    window_elements: int | None = None,
    window_milliseconds: int | None = None,
    window_slack: float | None = None,
    gaps_elements: Sequence[int] | None = None,
    partitions: int | None = None,
) -> dict[str, Any]:
    """Recommends an algorithm, its parameters and its memory. Takes seconds, in a process of its own.

    >>> plan(distinct_elements=100_000)["memory_bytes"]
    524288

    The options and the result are those of `plan` of the library, with names in snake_case.
    """
    options = dict(locals())
    child = Child()
    try:
        answer = child.request(Kind.PLAN, 0, [encoded_json(encoded_options(options))])
    finally:
        child.close()
    result: dict[str, Any] = snake_data(json.loads(answer))
    return result
