"""The two pipes to a child process: whole frames, without a copy of what is sent."""

from __future__ import annotations

import os
from collections.abc import Sequence

from ._protocol import HEADER

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

Buffer = bytes | bytearray | memoryview

_READ_BYTES = 2**16
#: Bytes of a body up to which it is copied behind its header.
_JOINED_BYTES = 2**12
#: Bytes that a pipe holds where the system lets it be set, so that one call moves a whole batch.
_PIPE_BYTES = 2**20


def _write(descriptor: int, parts: list[memoryview]) -> int:
    """Writes some bytes of the parts, and returns how many."""
    return os.writev(descriptor, parts) if len(parts) > 1 and hasattr(os, "writev") else os.write(descriptor, parts[0])


class ChannelClosed(Exception):
    """The other side has closed its pipe."""


def _widen(descriptor: int) -> int:
    """Makes a pipe larger where that can be done, and returns the bytes that it holds for certain."""
    set_size = getattr(fcntl, "F_SETPIPE_SZ", None)
    if set_size is None:
        return 0
    try:
        return int(fcntl.fcntl(descriptor, set_size, _PIPE_BYTES))
    except OSError:
        return int(fcntl.fcntl(descriptor, fcntl.F_GETPIPE_SZ))


class Channel:
    """The pipe to the input of a child, and that from its output."""

    def __init__(self, output: int, input: int) -> None:
        self._output = output
        self._input = input
        self._received = bytearray()
        _widen(output)
        #: Bytes of answers that may wait, while more is sent; 0 where this is not known.
        self.waiting_bytes = _widen(input) // 4

    def send(self, kind: int, request: int, detector: int, body: Sequence[Buffer]) -> None:
        """Writes a frame."""
        views = [memoryview(part).cast("B") for part in body]
        length = sum(map(len, views))
        header = HEADER.pack(length, kind, 0, request, detector)
        # One call of the system for a small frame takes less time than one for several parts.
        small = length <= _JOINED_BYTES
        try:
            self._write_all([memoryview(b"".join((header, *views)))] if small else [memoryview(header), *views])
        except BrokenPipeError as error:
            raise ChannelClosed from error

    def _write_all(self, parts: list[memoryview]) -> None:
        while parts:
            written = _write(self._output, parts)
            while parts and written >= len(parts[0]):
                written -= len(parts.pop(0))
            if written:
                parts[0] = parts[0][written:]

    def receive(self) -> tuple[int, int, bytes]:
        """Reads a frame: its kind, the number of its request, and its body."""
        length, kind, _, request, _ = HEADER.unpack(self._read(HEADER.size))
        return kind, request, self._read(length)

    def _read(self, length: int) -> bytes:
        received = self._received
        while len(received) < length:
            piece = os.read(self._input, max(_READ_BYTES, length - len(received)))
            if not piece:
                raise ChannelClosed
            received += piece
        read = bytes(received[:length])
        del received[:length]
        return read

    def close(self) -> None:
        """Closes both pipes, which ends the child."""
        for descriptor in (self._output, self._input):
            try:
                os.close(descriptor)
            except OSError:
                pass
        self._output = self._input = -1
