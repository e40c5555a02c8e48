"""Columns of Arrow, polars and pandas in the frames of a pipe, without an object for a key."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any

from ._channel import Buffer
from ._limits import BATCH_KEYS, MAX_DATA_BYTES, check_length, key_error
from ._protocol import PREFIX, Form
from .errors import FirstseenError

Body = Sequence[Buffer]


def is_arrow(keys: Any) -> bool:
    """Tells if keys are a column that pyarrow can take."""
    if not any(hasattr(keys, name) for name in ("__arrow_c_array__", "__arrow_c_stream__", "__arrow_array__")):
        return False
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        return False
    return True


def _null_error(count: int) -> FirstseenError:
    remedy = "drop them with drop_null() or drop_nulls(), or fill them with a text"
    return key_error(f"a column of keys has {count:,} nulls, which are not keys", remedy)


def _column(keys: Any) -> list[Any]:
    """The chunks of a column, of a type whose buffers are keys as they are."""
    import pyarrow as pa

    if isinstance(keys, (pa.Array, pa.ChunkedArray)):
        column = keys
    elif hasattr(keys, "__arrow_c_stream__"):
        column = pa.chunked_array(keys)
    else:
        column = pa.array(keys)
    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    plain = [_plain(chunk) for chunk in chunks]
    nulls = sum(chunk.null_count for chunk in plain)
    if nulls:
        raise _null_error(nulls)
    return plain


def _plain(chunk: Any) -> Any:
    import pyarrow as pa

    types, kind = pa.types, chunk.type
    if types.is_dictionary(kind):
        return _plain(chunk.dictionary).take(chunk.indices)
    if types.is_string(kind) or types.is_binary(kind) or types.is_large_string(kind) or types.is_large_binary(kind):
        return chunk
    if types.is_string_view(kind):
        return chunk.cast(pa.large_string())
    if types.is_binary_view(kind) or types.is_fixed_size_binary(kind):
        return chunk.cast(pa.large_binary())
    if not types.is_integer(kind):
        remedy = "cast it to strings, such as with cast(pyarrow.string()) or cast(polars.String)"
        raise key_error(f"a column of keys has the type {kind}", remedy)
    try:
        return chunk.cast(pa.uint64())
    except pa.ArrowInvalid as error:
        problem = "a column of keys has a negative integer, but an integer must be from 0 to 2^64 - 1"
        raise key_error(problem, "cast it to strings") from error


def bodies_of_arrow(keys: Any, limit: int) -> Iterator[Body]:
    """The bodies for a column. Its offsets and its data are sent from where they are."""
    for chunk in _column(keys):
        for at in range(0, len(chunk), BATCH_KEYS):
            yield from _bodies_of_slice(chunk.slice(at, BATCH_KEYS), limit)


def _bodies_of_slice(part: Any, limit: int) -> Iterator[Body]:
    import pyarrow as pa
    import pyarrow.compute as pc

    count, first = len(part), part.offset
    buffers = part.buffers()
    if pa.types.is_integer(part.type):
        yield [PREFIX.pack(Form.INTEGERS, count), memoryview(buffers[1])[8 * first : 8 * (first + count)]]
        return
    is_long = pa.types.is_large_string(part.type) or pa.types.is_large_binary(part.type)
    size = 8 if is_long else 4
    offsets = memoryview(buffers[1])[size * first : size * (first + count + 1)]
    start, end = (int.from_bytes(offsets[at : at + size], "little") for at in (0, size * count))
    if end - start > limit:
        check_length(pc.max(pc.binary_length(part)).as_py(), limit)
    if end - start > MAX_DATA_BYTES and count > 1:
        yield from _bodies_of_slice(part.slice(0, count // 2), limit)
        yield from _bodies_of_slice(part.slice(count // 2), limit)
        return
    data: Buffer = memoryview(buffers[2])[start:end] if buffers[2] is not None else b""
    yield [PREFIX.pack(Form.LONG_BYTES if is_long else Form.BYTES, count), offsets, data]


def bodies_of_texts(texts: Sequence[str], limit: int) -> Iterator[Body] | None:
    """The bodies for a batch of texts, if the program has imported pyarrow, which encodes them in half of the time."""
    pa = sys.modules.get("pyarrow")
    if pa is None:
        return None
    try:
        column = pa.array(texts, pa.large_string())
    except (pa.ArrowException, ValueError):
        return None
    return _bodies_of_slice(column, limit)
