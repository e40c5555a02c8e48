"""A detector of keys."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from ._held import Held
from ._keys import bodies_of_keys, body_of_key
from ._limits import BATCH_KEYS
from ._protocol import Kind
from ._verdicts import verdicts_of

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

#: A key, or a record of a detector with the option `keys`.
Key = str | bytes | int | Mapping[str, Any]
Parameter = str | int | float | bool


class Detector(Held):
    """Tells if a key is seen for the first time, in memory that never grows.

    >>> seen = Detector(memory="64MiB")
    >>> seen.observe("https://example.com/")
    True
    >>> seen.observe("https://example.com/")
    False
    >>> seen.observe_many(["a", "b", "a"]).tolist()
    [True, True, False]

    The options are those of `create` of the library. A detector is in a process that all detectors of the program
    share; with `own_process`, it has one of its own, and so a processor.
    """

    _type = "keys"
    _repeated = ("clock", "on_overload", "fpr")

    def __init__(
        self,
        *,
        memory: str | int | None = None,
        algorithm: str | None = None,
        fpr: float | None = None,
        window: str | int | None = None,
        window_slack: float | None = None,
        refresh: bool | None = None,
        distinct_elements: int | None = None,
        length_elements: int | None = None,
        gaps_elements: Sequence[int] | None = None,
        parameters: Mapping[str, Parameter] | None = None,
        layout: str | None = None,
        seed: int | None = None,
        fingerprint: str | None = None,
        secret: str | bytes | None = None,
        partitions: int | None = None,
        witness: bool | int | str | None = None,
        keys: Sequence[str] | None = None,
        format: str | None = None,
        key_except: Sequence[str] | None = None,
        ignores_case: Any = None,
        trims: Any = None,
        normalize: Any = None,
        numbers_by_value: Any = None,
        ignores_order: Any = None,
        on_overload: Literal["warn", "fail"] | None = None,
        clock: Literal["system", "manual"] | None = None,
        own_process: bool = False,
    ) -> None:
        options = {name: value for name, value in locals().items() if name not in ("self", "own_process", "__class__")}
        super().__init__(options, own_process)

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        *,
        keys: Sequence[str] | None = None,
        format: str | None = None,
        max_memory: str | int | None = None,
        on_overload: Literal["warn", "fail"] | None = None,
        fpr: float | None = None,
        clock: Literal["system", "manual"] | None = None,
        own_process: bool = False,
    ) -> Detector:
        """The detector of a file that `save`, the command or the library has written."""
        options = {name: value for name, value in locals().items() if name not in ("cls", "path", "own_process")}
        return cls._load(path, options, own_process)

    def observe(self, key: Key) -> bool:
        """Adds a key. Returns True if it is seen for the first time."""
        answer = self._ask(Kind.OBSERVE, body_of_key(key))
        self._unsaved += 1
        return answer == b"\0"

    def test(self, key: Key) -> bool:
        """Returns what `observe` would return, and adds nothing."""
        return self._ask(Kind.TEST, body_of_key(key)) == b"\0"

    def __contains__(self, key: Key) -> bool:
        return not self.test(key)

    def observe_many(self, keys: Any) -> npt.NDArray[np.bool_]:
        """Adds keys, in order. Returns True for each that is seen for the first time.

        The keys are a list, an array of NumPy, or a column of pyarrow, polars or pandas. The result is an array of
        NumPy, or a list if NumPy is missing.
        """
        return self._answer_many(Kind.OBSERVE, keys)

    def test_many(self, keys: Any) -> npt.NDArray[np.bool_]:
        """Returns what `observe_many` would return for each key alone, and adds nothing."""
        return self._answer_many(Kind.TEST, keys)

    def clear(self) -> None:
        """Makes the detector as it was when it was created."""
        self._ask(Kind.CLEAR)

    def _answer_many(self, kind: Kind, keys: Any) -> npt.NDArray[np.bool_]:
        answers = self._ask_all(kind, bodies_of_keys(keys), answer_bytes=self._answer_bytes)
        if kind == Kind.OBSERVE:
            self._unsaved += self._count(answers)
        verdicts: npt.NDArray[np.bool_] = verdicts_of(answers)
        return verdicts

    @property
    def _answer_bytes(self) -> int | None:
        """The bytes of an answer, unless keys may be refused: those after them are not to be observed."""
        may_refuse = self._settings["algorithm"].startswith("exact") or self._load_options["on_overload"] == "fail"
        return None if may_refuse or "key_scheme" in self._settings else BATCH_KEYS

    def _count(self, answers: list[bytes]) -> int:
        return sum(map(len, answers))
