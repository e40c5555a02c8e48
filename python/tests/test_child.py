"""The child process: its death, forks, threads and signals."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import firstseen._child as child_module
from firstseen import ChildError, Detector, FirstseenError


def kill_child(detector: Detector) -> None:
    process = detector._child._process
    process.kill()
    process.wait()


def test_the_death_of_the_child_says_what_was_lost(tmp_path: Path) -> None:
    with Detector(memory="1MiB", own_process=True) as seen:
        seen.observe_many(["a", "b", "c"])
        seen.save(tmp_path / "seen.1st")
        seen.observe("d")
        kill_child(seen)
        with pytest.raises(ChildError) as caught:
            seen.observe("e")
        text = str(caught.value)
        assert caught.value.code == "E_CHILD"
        assert f"since it was saved in {tmp_path / 'seen.1st'} is lost: 1 keys" in text
        if os.name != "nt":
            assert "by signal 9" in text
        with pytest.raises(ChildError):
            seen.stats()


def test_the_death_in_the_middle_of_a_call() -> None:
    with Detector(memory="1MiB", own_process=True) as seen:
        timer = threading.Timer(0.2, kill_child, [seen])
        timer.start()
        with pytest.raises(ChildError) as caught:
            while True:
                seen.observe_many(list(range(100_000)))
        timer.join()
        assert "what the detector has observed since it was created is lost" in str(caught.value)


def test_a_new_detector_has_a_new_child_after_the_death() -> None:
    with Detector(memory="1MiB") as lost:
        kill_child(lost)
        with pytest.raises(ChildError):
            lost.observe("a")
        with Detector(memory="1MiB") as seen:
            assert seen.observe("a") is True


def test_detectors_share_a_child_and_give_back_their_memory() -> None:
    with Detector(memory="1MiB") as first, Detector(memory="1MiB") as second:
        assert first._child is second._child
        assert first.observe("a") and second.observe("a")
    abandoned = Detector(memory="1MiB")
    number = abandoned._number
    child = abandoned._child
    del abandoned
    gc.collect()
    assert number in child._abandoned
    with Detector(memory="1MiB"):
        assert number not in child._abandoned


def test_a_process_of_its_own_ends_with_its_detector() -> None:
    with Detector(memory="1MiB", own_process=True) as seen:
        process = seen._child._process
        assert process.poll() is None
    assert process.returncode == 0


def test_threads() -> None:
    with Detector(memory="4MiB") as seen, ThreadPoolExecutor(4) as pool:
        counts = list(pool.map(lambda _: int(sum(seen.observe_many(list(range(20_000))))), range(4)))
        assert sum(counts) == 20_000
        assert seen.stats()["observed"] == 80_000


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")
def test_a_forked_process_gets_a_clear_error_and_a_child_of_its_own() -> None:
    def forked(seen: Detector, results: object) -> None:
        try:
            seen.observe("a")
        except FirstseenError as error:
            text = str(error)
        with Detector(memory="1MiB") as other:
            results.put((text, other.observe("a")))  # type: ignore[attr-defined]

    context = multiprocessing.get_context("fork")
    results = context.Queue()
    with Detector(memory="1MiB") as seen:
        seen.observe("a")
        process = context.Process(target=forked, args=(seen, results))
        process.start()
        text, is_first = results.get(timeout=60)
        process.join()
        assert "E_USAGE: this detector is that of process" in text
        assert is_first is True
        assert seen.observe("a") is False


def test_the_child_ends_with_its_parent() -> None:
    program = """
import firstseen, os, sys
seen = firstseen.Detector(memory="1MiB")
print(seen._child._process.pid, flush=True)
if sys.argv[1] == "kill":
    os.kill(os.getpid(), 9)
"""
    for how in ("end", "kill") if os.name != "nt" else ("end",):
        environment = {**os.environ, "PYTHONPATH": str(Path(child_module.__file__).parents[1])}
        result = subprocess.run([sys.executable, "-c", program, how], capture_output=True, text=True, env=environment)
        assert result.stderr == ""
        wait_for_end(int(result.stdout))


def wait_for_end(pid: int) -> None:
    """Waits until a process has ended: its parent has, so the system takes it away."""
    while True:
        try:
            os.kill(pid, 0)
            if Path(f"/proc/{pid}/stat").exists() and Path(f"/proc/{pid}/stat").read_text().split()[2] == "Z":
                return
        except OSError:
            return


@pytest.mark.skipif(os.name == "nt", reason="the system has no such signal")
def test_a_signal_waits_for_the_end_of_a_request() -> None:
    with Detector(memory="1MiB") as seen:
        timer = threading.Timer(0.05, os.kill, [os.getpid(), signal.SIGINT])
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            while True:
                seen.observe_many(list(range(50_000)))
        timer.join()
        assert seen.observe("after") is True
