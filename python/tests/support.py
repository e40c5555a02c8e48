"""What several tests use."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from firstseen._node import find_command, find_node

ROOT = Path(__file__).parents[2]


def run_command(arguments: Sequence[str], lines: Sequence[str] = ()) -> list[str]:
    """The lines that the command prints."""
    text = "".join(f"{line}\n" for line in lines)
    result = subprocess.run(
        [find_node(), find_command(), *arguments], input=text.encode(), capture_output=True, check=True
    )
    return result.stdout.decode().splitlines()


def sample_lines(count: int) -> list[str]:
    """Lines of which a third are repeats. Some are not ASCII."""
    return [f"https://example.com/{'é' if i % 5 else 'e'}/{(i * 7919) % (2 * count // 3)}" for i in range(count)]
