"""Keys in the frames of a pipe: text, bytes, integers and records of Python and of NumPy."""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, groupby
from typing import Any

from ._arrow import bodies_of_arrow, bodies_of_texts, is_arrow
from ._channel import Buffer
from ._limits import BATCH_KEYS, MAX_DATA_BYTES, check_length, key_error
from ._protocol import MAX_KEY_BYTES, PREFIX, Form
from .errors import FirstseenError

Body = Sequence[Buffer]

_MAX_INTEGER = 2**64 - 1
#: The type of 32-bit integers.
_OFFSET_TYPE = "I" if array("I").itemsize == 4 else "L"


def type_error(given: object) -> FirstseenError:
    name = type(given).__name__
    problem = f"a key is of type {name}, but must be str, bytes or int"
    return key_error(problem, "make a str of it, such as with str(key)")


def encoded_text(text: str) -> bytes:
    """The UTF-8 of a text. Raises FirstseenError E_KEY for half of a surrogate pair, which has none."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        remedy = "encode it yourself, such as with text.encode('utf-8', 'surrogatepass')"
        raise key_error(f"a text cannot be encoded: {error}", remedy) from error


def _checked_integer(key: int) -> int:
    if 0 <= key <= _MAX_INTEGER:
        return key
    raise key_error(f"a key is {key}, but an integer must be from 0 to 2^64 - 1", "make a str of it")


def _encoded_record(record: Mapping[str, Any]) -> bytes:
    try:
        return json.dumps(record, ensure_ascii=False, allow_nan=False).encode()
    except (TypeError, ValueError) as error:
        raise key_error(f"a record cannot be written as JSON: {error}", "leave out what JSON cannot hold") from error


def _form_of(key: object) -> Form:
    if isinstance(key, (str, bytes, bytearray, memoryview)):
        return Form.BYTES
    if isinstance(key, Mapping):
        return Form.RECORDS
    if isinstance(key, int) and not isinstance(key, bool):
        return Form.INTEGERS
    if hasattr(key, "__index__") and not isinstance(key, bool) and type(key).__name__ != "bool":
        return Form.INTEGERS
    raise type_error(key)


def _encoded(key: Any) -> bytes:
    if isinstance(key, str):
        return encoded_text(key)
    return _encoded_record(key) if isinstance(key, Mapping) else bytes(key)


def body_of_key(key: Any) -> Body:
    """The body for one key."""
    if type(key) is str:
        data = encoded_text(key)
    else:
        form = _form_of(key)
        if form == Form.INTEGERS:
            return [PREFIX.pack(form, 1), _checked_integer(int(key)).to_bytes(8, "little")]
        data = _encoded(key)
        if form == Form.RECORDS:
            return _body_of_parts(form, [data])
    return [PREFIX.pack(Form.BYTES, 1), PREFIX.pack(0, len(data)), data]


def _body_of_parts(form: Form, parts: Sequence[bytes]) -> Body:
    offsets = array(_OFFSET_TYPE, accumulate(map(len, parts), initial=0))
    return [PREFIX.pack(form, len(parts)), memoryview(offsets), b"".join(parts)]


def bodies_of_parts(form: Form, parts: Sequence[bytes], limit: int) -> Iterator[Body]:
    """The bodies for parts of which each has at most `limit` bytes."""
    total = sum(map(len, parts))
    if total > limit:
        check_length(max(map(len, parts)), limit)
    if total > MAX_DATA_BYTES and len(parts) > 1:
        half = len(parts) // 2
        yield from bodies_of_parts(form, parts[:half], limit)
        yield from bodies_of_parts(form, parts[half:], limit)
    else:
        yield _body_of_parts(form, parts)


def _body_of_integers(keys: Iterable[Any]) -> Body:
    integers = array("Q", keys)
    return [PREFIX.pack(Form.INTEGERS, len(integers)), memoryview(integers)]


def _bodies_of_mixed(keys: Sequence[Any], limit: int) -> Iterator[Body]:
    for form, group in groupby(keys, _form_of):
        if form == Form.INTEGERS:
            yield _body_of_integers(_checked_integer(int(key)) for key in group)
        else:
            yield from bodies_of_parts(form, [_encoded(key) for key in group], limit)


def _bodies_of_list(keys: Sequence[Any], limit: int) -> Iterator[Body]:
    """The bodies for a batch, by the quickest way that its keys allow."""
    kinds = set(map(type, keys))
    if kinds == {str}:
        yield from bodies_of_texts(keys, limit) or bodies_of_parts(Form.BYTES, list(map(encoded_text, keys)), limit)
    elif kinds == {int}:
        try:
            yield _body_of_integers(keys)
        except OverflowError:
            yield _body_of_integers(map(_checked_integer, keys))
    else:
        yield from _bodies_of_mixed(keys, limit)


def _bodies_of_numpy(keys: Any, limit: int) -> Iterator[Body]:
    if keys.ndim != 1:
        raise key_error(f"an array of keys has {keys.ndim} dimensions", "give one of 1 dimension, such as a column")
    if keys.dtype.kind not in "iu":
        yield from bodies_of_list(keys.tolist(), limit)
        return
    if keys.dtype.kind == "i" and keys.size and keys.min() < 0:
        _checked_integer(int(keys.min()))
    for at in range(0, len(keys), BATCH_KEYS):
        batch = keys[at : at + BATCH_KEYS].astype("<u8", order="C", copy=False)
        yield [PREFIX.pack(Form.INTEGERS, len(batch)), memoryview(batch)]


def bodies_of_list(keys: Sequence[Any], limit: int) -> Iterator[Body]:
    for at in range(0, len(keys), BATCH_KEYS):
        yield from _bodies_of_list(keys[at : at + BATCH_KEYS], limit)


def bodies_of_keys(keys: Any, limit: int = MAX_KEY_BYTES) -> Iterator[Body]:
    """The bodies for keys of any kind, in order."""
    if isinstance(keys, (str, bytes, bytearray, Mapping)):
        raise key_error(f"the keys are one {type(keys).__name__}", "give a list of keys, or call observe or test")
    if type(keys).__module__.split(".")[0] == "numpy":
        return _bodies_of_numpy(keys, limit)
    if is_arrow(keys):
        return bodies_of_arrow(keys, limit)
    if type(keys).__module__.split(".")[0] == "pandas" and keys.dtype.kind in "iu" and hasattr(keys.dtype, "itemsize"):
        return _bodies_of_numpy(keys.to_numpy(), limit)
    return bodies_of_list(keys if isinstance(keys, (list, tuple)) else list(keys), limit)
