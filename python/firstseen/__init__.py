"""Passes each element of an unbounded stream the first time it is seen, in memory that never grows.

>>> from firstseen import Detector
>>> seen = Detector(memory="64MiB")
>>> seen.observe("a"), seen.observe("a")
(True, False)
"""

from .detector import Detector, Key
from .errors import ChildError, FirstseenError, NodeError
from .near import NearAnswer, NearDetector
from .passages import Passages, PassagesAnswer, Span
from .planning import plan
from .stream import dedup, dedup_async

__version__ = "0.1.0"

__all__ = [
    "ChildError",
    "Detector",
    "FirstseenError",
    "Key",
    "NearAnswer",
    "NearDetector",
    "NodeError",
    "Passages",
    "PassagesAnswer",
    "Span",
    "dedup",
    "dedup_async",
    "plan",
]
