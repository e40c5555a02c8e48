"""The frames of `firstseen pipe`, as docs/PIPE.md has them."""

from __future__ import annotations

import struct
import sys
from enum import IntEnum

if sys.byteorder != "little":
    raise ImportError("firstseen sends numbers as they are in memory, which must be little-endian")

PROTOCOL_VERSION = 1
MAX_BODY_BYTES = 2**26
#: Bytes of a key, and of a document or a text.
MAX_KEY_BYTES = 2**20
MAX_TEXT_BYTES = 2**24

#: The length of the body, the kind, 0, the number of the request, and that of the detector.
HEADER = struct.Struct("<IHHII")
#: The form and the count of keys.
PREFIX = struct.Struct("<II")


class Kind(IntEnum):
    """The kinds of frames."""

    HELLO = 0
    CREATE = 1
    LOAD = 2
    BYTES = 3
    SAVE = 4
    OBSERVE = 5
    TEST = 6
    CLAIM = 7
    COMMIT = 8
    ABORT = 9
    EXTEND = 10
    STATS = 11
    ADVANCE = 12
    CLEAR = 13
    CLOSE = 14
    PLAN = 15
    ERROR = 255


class Form(IntEnum):
    """The forms of keys."""

    BYTES = 0
    LONG_BYTES = 1
    INTEGERS = 2
    RECORDS = 3
    LONG_RECORDS = 4
