"""Snapshots: between this package and the command, and by pickle."""

from __future__ import annotations

import os
import pickle
from pathlib import Path

import pytest

from firstseen import Detector, FirstseenError, NearDetector, Passages

from .support import run_command


def test_the_command_loads_what_python_saves(tmp_path: Path) -> None:
    with Detector(memory="1MiB", format="lines") as seen:
        seen.observe_many(["a", "b"])
        seen.save(tmp_path / "seen.1st")
    assert run_command(["--state", str(tmp_path / "seen.1st")], ["a", "b", "c"]) == ["c"]


def test_python_loads_what_the_command_saves(tmp_path: Path) -> None:
    state = str(tmp_path / "state.1st")
    run_command(["--memory", "1MiB", "--state", state], ["a", "b"])
    with Detector.load(state) as seen:
        assert list(seen.observe_many(["a", "b", "c"])) == [False, False, True]


def test_a_note_is_saved_too(tmp_path: Path) -> None:
    with Detector(memory="1MiB") as seen:
        seen.save(tmp_path / "seen.1st", note=b"offset 7\xff")
    assert Detector.load(tmp_path / "seen.1st").note == b"offset 7\xff"


def test_a_path_is_that_of_the_folder_at_the_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Detector(memory="1MiB") as seen:
        monkeypatch.chdir(tmp_path)
        seen.save("seen.1st")
    assert os.listdir(tmp_path) == ["seen.1st"]


def test_a_file_that_is_missing_or_damaged(tmp_path: Path) -> None:
    with pytest.raises(FirstseenError) as caught:
        Detector.load(tmp_path / "none.1st")
    assert caught.value.code == "E_STATE_FILE"
    (tmp_path / "bad.1st").write_bytes(b"not a snapshot")
    with pytest.raises(FirstseenError) as caught:
        Detector.load(tmp_path / "bad.1st")
    assert caught.value.code == "E_SNAPSHOT"


def test_pickle_makes_a_copy() -> None:
    with Detector(memory="1MiB", window="1h", clock="manual") as seen:
        seen.advance(1000)
        seen.observe("a")
        copy = pickle.loads(pickle.dumps(seen))
        copy.advance(2000)
        assert copy.observe("a") is False
        assert copy.observe("b") is True
        assert seen.observe("b") is True


def test_other_detectors_are_saved_and_copied(tmp_path: Path) -> None:
    text = "the quick brown fox jumps over the lazy dog while the cat sleeps in the warm sun"
    with NearDetector(memory="4MiB") as near:
        near.observe(text)
        near.save(tmp_path / "near.1st")
        assert pickle.loads(pickle.dumps(near)).observe(text).is_first is False
    assert NearDetector.load(tmp_path / "near.1st").observe(text).is_first is False
    with Passages(by="line", memory="4MiB") as passages:
        passages.observe(text)
        passages.save(tmp_path / "passages.1st")
    assert Passages.load(tmp_path / "passages.1st").observe(text).seen_characters == len(text)
