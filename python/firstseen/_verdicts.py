"""The verdicts of many keys."""

from __future__ import annotations

from typing import Any


def verdicts_of(answers: list[bytes]) -> Any:
    """True for each key that is seen for the first time: an array of NumPy, or a list if NumPy is missing."""
    joined = b"".join(answers)
    try:
        import numpy as np
    except ImportError:
        return [verdict == 0 for verdict in joined]
    return np.frombuffer(joined, np.uint8) == 0
