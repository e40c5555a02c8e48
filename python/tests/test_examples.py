"""The programs in `examples`, and those of docs/PYTHON.md."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from .support import ROOT

EXAMPLES = ROOT / "python" / "examples"
PAGE = (ROOT / "docs" / "PYTHON.md").read_text()


def output_of(arguments: list[str], folder: Path) -> str:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    result = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, cwd=folder, env=environment
    )
    assert result.stderr == ""
    return result.stdout


@pytest.mark.parametrize("name", ["polars", "pandas"])
def test_frames(name: str, tmp_path: Path) -> None:
    pytest.importorskip(name)
    assert output_of([str(EXAMPLES / f"in_{name}.py")], tmp_path) == "['/a', '/b']\n['/c']\n"


def test_pyarrow(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    for number, urls in enumerate((["/a", "/b", "/a"], ["/b", "/c"])):
        pq.write_table(pa.table({"url": urls}), tmp_path / f"{number}.parquet")
    printed = output_of([str(EXAMPLES / "in_pyarrow.py"), str(tmp_path), "url"], tmp_path)
    assert printed == "{'url': ['/a', '/b']}\n{'url': ['/c']}\n"


PROGRAMS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def test_the_page_begins_with_five_lines() -> None:
    assert len(PROGRAMS[0].strip().splitlines()) == 5


@pytest.mark.parametrize("number", range(len(PROGRAMS)))
def test_the_programs_of_the_page_print_what_their_comments_say(number: int, tmp_path: Path) -> None:
    program = PROGRAMS[number]
    expected = [line.split("  # ", 1)[1] for line in program.splitlines() if "print(" in line]
    (tmp_path / "program.py").write_text(program)
    assert output_of(["program.py"], tmp_path).splitlines() == expected
