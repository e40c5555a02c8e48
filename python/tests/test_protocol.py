"""The constants of the package are those of docs/PIPE.md, and its options those of the library."""

from __future__ import annotations

import inspect
import json
import re
from typing import Any

import pytest

import firstseen
from firstseen import Detector, FirstseenError, NearDetector, Passages
from firstseen._held import Held
from firstseen._names import camel_name, snake_name
from firstseen._protocol import MAX_BODY_BYTES, Form, Kind

from .support import ROOT

PAGE = (ROOT / "docs" / "PIPE.md").read_text()


def rows_of(name: str) -> list[list[str]]:
    table = PAGE.split(f"<!-- {name}:begin -->")[1].split(f"<!-- {name}:end -->")[0]
    return [re.split(r"\s*\|\s*", line)[1:-1] for line in table.strip().splitlines()[2:]]


def test_kinds() -> None:
    assert {kind.name.lower(): kind.value for kind in Kind} == {
        row[0].strip("`"): int(row[1]) for row in rows_of("kinds")
    }


def test_forms() -> None:
    assert [form.value for form in Form] == [int(row[0]) for row in rows_of("forms")]


def test_longest_body() -> None:
    assert f"at most {MAX_BODY_BYTES // 2**20} MiB" in PAGE


def test_version() -> None:
    package = json.loads((ROOT / "packages" / "firstseen" / "package.json").read_text())
    project = (ROOT / "python" / "pyproject.toml").read_text()
    assert firstseen.__version__ == package["version"]
    assert f'version = "{package["version"]}"' in project


#: Options that a program in another process cannot give.
NOT_SENT = {"module", "now"}


@pytest.mark.parametrize("kind", [Detector, NearDetector, Passages])
def test_the_options_are_those_of_the_library(kind: Any) -> None:
    refused: Any = Held.__new__(kind)
    refused._begin(False)
    with pytest.raises(FirstseenError) as caught:
        refused._child.request(Kind.CREATE, refused._number, [refused._request({"none": 1})])
    known = set(re.split(r", ", caught.value.expected.removeprefix("one of ")))  # type: ignore[union-attr]
    parameters = set(inspect.signature(kind.__init__).parameters) - {"self", "own_process"}
    # Only the list of `Detector` names the clock: the others take it before they look at the rest.
    assert parameters == known - NOT_SENT | {"clock"}


def test_names() -> None:
    for name in ("distinct_elements", "fpr", "limit_at_any_fpr"):
        assert snake_name(camel_name(name)) == name
    assert snake_name("N") == "N"
