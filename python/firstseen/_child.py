"""The child process that holds the detectors: `firstseen pipe`."""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import tempfile
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from ._channel import Buffer, Channel, ChannelClosed
from ._names import snake_name, snake_text
from ._node import find_command, find_node
from ._protocol import PROTOCOL_VERSION, Kind
from ._shield import Shield
from .errors import ChildError, FirstseenError, NodeError

Body = Sequence[Buffer]
Result = TypeVar("Result")

#: Seconds for which the end of a child is waited for, after its input has ended.
_END_SECONDS = 10.0
#: Bytes of a snapshot that are sent at a time.
_PIECE_BYTES = 2**20


class BodyError(Exception):
    """What makes the bodies of requests has failed. The pipes are as they were."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(str(cause))
        self.cause = cause


def _error_of(body: bytes) -> FirstseenError:
    data: dict[str, Any] = json.loads(body)
    texts = {name: snake_text(text) for name, text in data.items() if name in ("remedy", "expected")}
    option = data.get("option")
    return FirstseenError(
        data["code"], snake_text(data["message"]), option=None if option is None else snake_name(option), **texts
    )


class Child:
    """A process of `firstseen pipe`. Requests of several threads follow one another."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._owner = os.getpid()
        self._requests = 0
        self._detectors = 0
        #: Detectors that nobody has any more. A collector of garbage adds them, so they are closed by the next request.
        self._abandoned: deque[int] = deque()
        self._end: str | None = None
        self._messages = tempfile.TemporaryFile()
        self._process, self._channel = self._start()
        _children.add(self)
        self._greet()

    def _start(self) -> tuple[subprocess.Popen[bytes], Channel]:
        arguments = [find_node(), find_command(), "pipe"]
        # A signal of the terminal is for the parent alone.
        group: dict[str, Any] = {"start_new_session": True}
        if os.name == "nt":
            group = {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP")}
        child_input, output = os.pipe()
        input, child_output = os.pipe()
        try:
            process = subprocess.Popen(
                arguments, stdin=child_input, stdout=child_output, stderr=self._messages, **group
            )
        except OSError as error:
            for descriptor in (output, input):
                os.close(descriptor)
            raise NodeError("E_NODE", f"{arguments[0]} cannot be started: {error}") from error
        finally:
            for descriptor in (child_input, child_output):
                os.close(descriptor)
        return process, Channel(output, input)

    def _greet(self) -> None:
        try:
            kind, _, body = self._channel.receive()
            hello = json.loads(body) if kind == Kind.HELLO else {}
        except (ChannelClosed, ValueError):
            hello = {}
        if hello.get("protocol") == PROTOCOL_VERSION:
            return
        self._lose("did not begin as firstseen pipe does")
        remedy = "install a firstseen and a Node of the same age"
        raise NodeError("E_NODE", f"the child process {self._end}", remedy=remedy)

    @property
    def is_usable(self) -> bool:
        """True if the child runs, and is that of this process and not of the one that has forked it."""
        return self._end is None and self._owner == os.getpid()

    def new_detector(self) -> int:
        """A number for a detector."""
        with self._lock:
            self._detectors += 1
            return self._detectors

    def abandon(self, detector: int) -> None:
        """Has a detector closed by the next request."""
        self._abandoned.append(detector)

    def request(self, kind: Kind, detector: int, body: Body = ()) -> bytes:
        """Sends a request, and returns the body of its answer."""
        return self._run(lambda: self._receive(self._send(kind, detector, body)))

    def request_all(
        self, kind: Kind, detector: int, bodies: Iterable[Body], answers: list[bytes], answer_bytes: int | None
    ) -> None:
        """Sends requests one after another, and adds the bodies of their answers, up to the first that is refused.

        `answer_bytes`: the most bytes of an answer, if the next request may be sent before it.
        """
        is_ahead = answer_bytes is not None and 2 * answer_bytes <= self._channel.waiting_bytes
        self._run(lambda: self._exchange(kind, detector, iter(bodies), answers, is_ahead))

    def save_bytes(self, detector: int, body: Body) -> bytes:
        """A snapshot of a detector."""
        pieces: list[bytes] = []
        self._run(lambda: self._receive(self._send(Kind.SAVE, detector, body), pieces))
        return b"".join(pieces)

    def load_bytes(self, detector: int, body: Body, snapshot: Buffer) -> bytes:
        """Loads a detector from a snapshot, and returns the answer."""
        return self._run(lambda: self._send_snapshot(detector, body, memoryview(snapshot)))

    def _run(self, operation: Callable[[], Result]) -> Result:
        with self._lock, Shield():
            self._check()
            try:
                self._close_abandoned()
                return operation()
            except ChannelClosed:
                self._lose("ended")
                raise self._ended() from None
            except (FirstseenError, BodyError):
                raise
            except BaseException:
                # A frame may have been cut off, so that nothing after it would be understood.
                self._lose("was ended, because a request was interrupted")
                raise

    def _exchange(
        self, kind: Kind, detector: int, bodies: Iterator[Body], answers: list[bytes], is_ahead: bool
    ) -> None:
        waiting: deque[int] = deque()
        problem: Exception | None = None
        while problem is None:
            try:
                body = next(bodies, None)
            except Exception as error:
                # What makes the bodies has failed, and not a pipe.
                problem = error
                break
            if body is None:
                break
            waiting.append(self._send(kind, detector, body))
            if len(waiting) > is_ahead:
                problem = self._take(waiting.popleft(), answers)
        for request in waiting:
            problem = self._take(request, answers) or problem
        if problem is not None:
            raise problem if isinstance(problem, FirstseenError) else BodyError(problem)

    def _take(self, request: int, answers: list[bytes]) -> FirstseenError | None:
        """Adds an answer. Returns the error if the request was refused."""
        try:
            answers.append(self._receive(request))
        except FirstseenError as error:
            return error
        return None

    def _send(self, kind: Kind, detector: int, body: Body) -> int:
        self._requests = (self._requests + 1) % 2**32
        self._channel.send(kind, self._requests, detector, body)
        return self._requests

    def _send_snapshot(self, detector: int, body: Body, snapshot: memoryview) -> bytes:
        request = self._send(Kind.LOAD, detector, body)
        for at in range(0, snapshot.nbytes, _PIECE_BYTES):
            self._channel.send(Kind.BYTES, request, detector, [snapshot[at : at + _PIECE_BYTES]])
        self._channel.send(Kind.BYTES, request, detector, ())
        return self._receive(request)

    def _receive(self, request: int, pieces: list[bytes] | None = None) -> bytes:
        while True:
            kind, answered, body = self._channel.receive()
            if answered != request:
                raise RuntimeError(f"the child answered request {answered} in place of {request}")
            if kind == Kind.ERROR:
                raise _error_of(body)
            if kind != Kind.BYTES:
                return body
            if pieces is not None:
                pieces.append(body)

    def _close_abandoned(self) -> None:
        while self._abandoned:
            self._take(self._send(Kind.CLOSE, self._abandoned.popleft(), ()), [])

    def _check(self) -> None:
        if self._owner != os.getpid():
            raise FirstseenError(
                "E_USAGE",
                f"this detector is that of process {self._owner}, which has forked this one",
                remedy="create the detector in this process, or send it with pickle, which makes a copy",
            )
        if self._end is not None:
            raise self._ended()

    def _lose(self, what: str) -> None:
        """Ends the child, and notes why."""
        self._channel.close()
        try:
            self._process.wait(_END_SECONDS if what == "ended" else 0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        code = self._process.returncode
        self._messages.seek(0)
        said = self._messages.read().decode(errors="replace").strip()[-500:]
        how = f"by signal {-code}" if code < 0 else f"with exit code {code}"
        self._end = f"{what} ({how})" if what == "ended" else what
        if said:
            self._end += f", and said: {said}"

    def _ended(self) -> ChildError:
        return ChildError("E_CHILD", f"the child process {self._process.pid} {self._end}")

    def close(self) -> None:
        """Ends the child, and waits for its end."""
        with self._lock:
            if self.is_usable:
                self._lose("ended")

    def disown(self) -> None:
        """Closes the pipes in a process that was forked, where they would keep the child alive without its parent."""
        self._lock = threading.Lock()
        self._channel.close()


_children: weakref.WeakSet[Child] = weakref.WeakSet()
_shared_lock = threading.Lock()
_shared: Child | None = None


def shared_child() -> Child:
    """The child that the detectors of this process share."""
    global _shared
    with _shared_lock:
        if _shared is None or not _shared.is_usable:
            _shared = Child()
        return _shared


def _after_fork() -> None:
    global _shared, _shared_lock
    _shared_lock = threading.Lock()
    _shared = None
    for child in list(_children):
        child.disown()


def _close_all() -> None:
    for child in list(_children):
        child.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
atexit.register(_close_all)
