"""Ctrl-C waits for the end of a request, whose frame would be cut off otherwise."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any


class Shield:
    """Holds SIGINT back in the main thread. A second one is let through."""

    __slots__ = ("_former", "_held")

    def __init__(self) -> None:
        self._former: Any = None
        self._held: FrameType | None = None

    def __enter__(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        former = signal.getsignal(signal.SIGINT)
        if callable(former):
            self._former = former
            signal.signal(signal.SIGINT, self._hold)

    def _hold(self, number: int, frame: FrameType | None) -> None:
        if self._held is not None:
            self._former(number, frame)
        self._held = frame

    def __exit__(
        self, type: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._former is None:
            return
        signal.signal(signal.SIGINT, self._former)
        if self._held is not None:
            self._former(signal.SIGINT, self._held)
