"""What a frame of keys holds."""

from __future__ import annotations

from ._protocol import MAX_BODY_BYTES
from .errors import FirstseenError

#: Keys of a frame, at most. Their verdicts fit into a pipe, so that the next frame is sent meanwhile.
BATCH_KEYS = 2**14
#: Bytes of the keys of a frame, at most, beside their offsets.
MAX_DATA_BYTES = MAX_BODY_BYTES - 8 * (BATCH_KEYS + 2)


def key_error(problem: str, remedy: str) -> FirstseenError:
    """The error for a key that cannot be one."""
    return FirstseenError("E_KEY", problem, remedy=remedy)


def check_length(length: int, limit: int) -> None:
    """Raises FirstseenError E_KEY for a key that is longer than the library takes."""
    if length > limit:
        raise key_error(f"a key has {length:,} bytes, but the limit is {limit:,} bytes", "hash the key first")
