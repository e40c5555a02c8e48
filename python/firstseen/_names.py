"""The names of the library in snake_case, as Python has them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from .errors import FirstseenError

_HUMP = re.compile(r"(?<=[a-z0-9])([A-Z])")
_CAMEL = re.compile(r"\b[a-z]+(?:[A-Z][a-z]+)+\b")
#: Integers above are sent as text: a number of JSON has 53 bits.
_MAX_EXACT = 2**53 - 1


def snake_name(name: str) -> str:
    """`distinct_elements` for `distinctElements`."""
    return _HUMP.sub(r"_\1", name).lower() if _CAMEL.fullmatch(name) else name


def camel_name(name: str) -> str:
    """`distinctElements` for `distinct_elements`."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def snake_text(text: str) -> str:
    """A message of the library, whose options have the names of Python."""
    return _CAMEL.sub(lambda match: snake_name(match[0]), text)


def snake_data(data: Any) -> Any:
    """JSON of the library with the names of Python. Parameters of an algorithm keep their names."""
    if isinstance(data, list):
        return [snake_data(item) for item in data]
    if not isinstance(data, dict):
        return data
    return {snake_name(name): value if name == "parameters" else snake_data(value) for name, value in data.items()}


def _value(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, int) and value > _MAX_EXACT:
        return str(value)
    return value


def encoded_json(content: Mapping[str, Any]) -> bytes:
    """JSON of a request. Raises FirstseenError E_PARAMETER for what JSON cannot hold."""
    try:
        return json.dumps(content, allow_nan=False).encode()
    except (TypeError, ValueError) as error:
        raise FirstseenError(
            "E_PARAMETER", f"an option is of a type that it cannot have: {error}", remedy="give text, numbers or lists"
        ) from error


def encoded_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options as the library has them. What is None was not given."""
    return {camel_name(name): _value(value) for name, value in options.items() if value is not None}
