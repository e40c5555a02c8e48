"""What all detectors have: options, snapshots and an end."""

from __future__ import annotations

import base64
import json
import os
import weakref
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from types import TracebackType
from typing import Any, ClassVar, TypeVar

from ._channel import Buffer
from ._child import Body, BodyError, Child, shared_child
from ._names import encoded_json, encoded_options, snake_data
from ._protocol import Kind
from .errors import ChildError, FirstseenError

Self = TypeVar("Self", bound="Held")


def _absolute(path: str | os.PathLike[str]) -> str:
    """A path as the child understands it, which has another working folder after `os.chdir`."""
    absolute = os.path.abspath(os.fspath(path))
    try:
        absolute.encode()
    except UnicodeEncodeError as error:
        raise FirstseenError("E_STATE_FILE", f"a path is not UTF-8: {error}", remedy="name another path") from error
    return absolute


class Held:
    """A detector in the child process."""

    _type: ClassVar[str]
    #: The options of `load` that a copy gets again.
    _repeated: ClassVar[tuple[str, ...]] = ("clock",)

    _child: Child
    _number: int

    def __init__(self, options: Mapping[str, Any], own_process: bool) -> None:
        self._begin(own_process)
        self._open(lambda: self._child.request(Kind.CREATE, self._number, [self._request(options)]), options)

    def _open(self, request: Callable[[], bytes], options: Mapping[str, Any]) -> None:
        """Has the child make the detector. A process of its own ends if that is refused."""
        try:
            self._describe(request())
        except BaseException:
            if self._own_process:
                self._child.close()
            raise
        self._load_options = {name: options.get(name) for name in self._repeated}

    def _begin(self, own_process: bool) -> None:
        self._own_process = own_process
        self._child = Child() if own_process else shared_child()
        self._number = self._child.new_detector()
        self._is_closed = False
        #: Keys that were observed since the detector was saved.
        self._unsaved = 0
        self._saved_path: str | None = None

    def _request(self, options: Mapping[str, Any], **others: Any) -> bytes:
        return encoded_json({"type": self._type, "options": encoded_options(options), **others})

    def _describe(self, answer: bytes) -> None:
        description = json.loads(answer)
        self._settings: dict[str, Any] = snake_data(description["settings"])
        self._note = base64.b64decode(description["note"])
        self._finalizer = weakref.finalize(self, _release, self._child, self._number, self._own_process)
        # The end of the program ends the child.
        self._finalizer.atexit = False

    @classmethod
    def _load(cls: type[Self], path: str | os.PathLike[str], options: Mapping[str, Any], own_process: bool) -> Self:
        self = cls.__new__(cls)
        self._begin(own_process)
        absolute = _absolute(path)
        body = [self._request(options, path=absolute)]
        self._open(lambda: self._child.request(Kind.LOAD, self._number, body), options)
        self._saved_path = absolute
        return self

    def _ask(self, kind: Kind, body: Body = ()) -> bytes:
        """Sends one request."""
        self._check_open()
        try:
            return self._child.request(kind, self._number, body)
        except ChildError as error:
            raise self._lost(error) from None

    def _ask_all(self, kind: Kind, bodies: Iterable[Body], *, answer_bytes: int | None = None) -> list[bytes]:
        """Sends requests. Raises the error of the first that is refused, with the answers before it as `answers`."""
        self._check_open()
        answers: list[bytes] = []
        try:
            self._child.request_all(kind, self._number, bodies, answers, answer_bytes)
        except ChildError as error:
            raise self._lost(error) from None
        except FirstseenError as error:
            error.observed = self._count(answers) if kind == Kind.OBSERVE else None
            raise
        except BodyError as error:
            raise error.cause from None
        return answers

    def _count(self, answers: list[bytes]) -> int:
        """The number of keys that have these answers."""
        raise NotImplementedError

    def _check_open(self) -> None:
        if self._is_closed:
            raise FirstseenError("E_CLOSED", "the detector is closed", remedy="create another one")

    def _lost(self, error: ChildError) -> ChildError:
        """The error for the end of the child, with what was lost."""
        since = "it was created" if self._saved_path is None else f"it was saved in {self._saved_path}"
        message = f"{error.message}; what the detector has observed since {since} is lost: {self._unsaved:,} keys"
        remedy = "create a detector, and observe them again"
        if self._saved_path is not None:
            remedy = "load the saved one, and observe them again"
        return ChildError(error.code, message, remedy=remedy)

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that the options have led to."""
        return self._settings

    @property
    def note(self) -> bytes:
        """What the program has saved with the snapshot that was loaded, such as a position in a stream."""
        return self._note

    def stats(self) -> dict[str, Any]:
        """What the detector has done: the stats of the library, with names in snake_case."""
        stats: dict[str, Any] = snake_data(json.loads(self._ask(Kind.STATS)))
        return stats

    def save(self, path: str | os.PathLike[str], *, note: bytes = b"") -> None:
        """Saves the detector in a file, which is replaced as a whole. The command and the library can load it.

        `note`: what else is to be known of it, such as a position in a stream.
        """
        absolute = _absolute(path)
        self._ask(Kind.SAVE, [encoded_json({"path": absolute, "note": base64.b64encode(note).decode()})])
        self._saved_path, self._unsaved, self._note = absolute, 0, note

    def advance(self, milliseconds: float) -> None:
        """Sets the time of a detector with `clock="manual"`, in milliseconds since 1970."""
        self._ask(Kind.ADVANCE, [encoded_json({"milliseconds": milliseconds})])

    def close(self) -> None:
        """Releases the memory of the detector."""
        if self._is_closed:
            return
        self._is_closed = True
        self._finalizer.detach()
        if self._own_process:
            self._child.close()
        elif self._child.is_usable:
            # A child that has ended holds nothing any more.
            with suppress(ChildError):
                self._child.request(Kind.CLOSE, self._number)

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(
        self, type: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __getstate__(self) -> dict[str, Any]:
        self._check_open()
        note = base64.b64encode(self._note).decode()
        try:
            snapshot = self._child.save_bytes(self._number, [encoded_json({"note": note})])
        except ChildError as error:
            raise self._lost(error) from None
        return {"snapshot": snapshot, "options": self._load_options, "own_process": self._own_process}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._begin(state["own_process"])
        options: dict[str, Any] = state["options"]
        snapshot: Buffer = state["snapshot"]
        self._open(lambda: self._child.load_bytes(self._number, [self._request(options)], snapshot), options)


def _release(child: Child, number: int, own_process: bool) -> None:
    if own_process:
        child.close()
    else:
        child.abandon(number)
