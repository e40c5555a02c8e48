"""The errors of the package."""

from __future__ import annotations


class FirstseenError(Exception):
    """An error with a stable code, and with what to do about it.

    The codes are those of docs/ERRORS.md, and `E_NODE` and `E_CHILD` of this package.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        remedy: str | None = None,
        option: str | None = None,
        expected: str | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.remedy = remedy
        self.option = option
        self.expected = expected
        #: The keys at the beginning of a call that were observed before the error; None if the call has no keys.
        self.observed: int | None = None

    def __str__(self) -> str:
        text = f"{self.code}: {self.message}"
        # The messages of some errors end with the remedy.
        if self.remedy and self.remedy not in self.message:
            text += f"; {self.remedy}"
        if self.observed:
            text += f" (the first {self.observed:,} keys of this call were observed)"
        return text


class NodeError(FirstseenError):
    """Node is missing or too old, or it cannot run firstseen."""


class ChildError(FirstseenError):
    """The child process has ended, and its detectors with it."""
