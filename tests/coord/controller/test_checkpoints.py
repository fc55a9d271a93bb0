"""Checkpoints whose files all processes see: what becomes of one whose state is forgotten while it is published."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from ptvc.compute.checkpoint import MANIFEST, Checkpoint, read
from ptvc.compute.checkpoint import publish as published
from ptvc.compute.shared_files import LocalFiles, SharedFiles
from ptvc.coord.controller import checkpoints as module
from ptvc.coord.controller.checkpoints import Checkpoints

CHECKPOINT = Checkpoint("f", 10, {}, "l")


@pytest.fixture
def checkpoints(tmp_path: Path) -> Iterator[Checkpoints]:
    """With the folder that a replica has for the state of `u1`."""
    checkpoints = Checkpoints(LocalFiles(tmp_path), {"u1": "u1"}, 1)
    (tmp_path / checkpoints.directory("u1", "r1")).mkdir(parents=True)
    yield checkpoints
    checkpoints.close()


def publish(checkpoints: Checkpoints) -> bool:
    return asyncio.run(checkpoints.publish("u1", "r1", CHECKPOINT))


def test_it_counts_once_it_is_published(checkpoints: Checkpoints, tmp_path: Path) -> None:
    assert publish(checkpoints)
    assert checkpoints.get("u1", "r1") == CHECKPOINT
    assert read(tmp_path / "u1" / "r1") == CHECKPOINT


@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize(
    "forget",
    [lambda found: found.forget("u1"), lambda found: found.forget("u1", "r1")],
    ids=["object", "replica"],
)
def test_one_of_what_is_dropped_meanwhile_is_none_and_no_failure(
    checkpoints: Checkpoints,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    forget: Callable[[Checkpoints], None],
    before: bool,
) -> None:
    """Whether its folder goes before the manifest is written or with it."""

    def dropped(path: Path, checkpoint: Checkpoint, files: SharedFiles, manifest: str) -> None:
        if before:
            forget(checkpoints)
        published(path, checkpoint, files, manifest)
        if not before:
            forget(checkpoints)

    monkeypatch.setattr(module, "publish", dropped)
    assert not publish(checkpoints)
    assert checkpoints.get("u1", "r1") is None
    assert checkpoints.cut("u1") is None
    assert not caplog.records


def test_one_of_state_that_is_begun_anew_meanwhile_is_none(
    checkpoints: Checkpoints, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder of the same name is another."""

    def begun_anew(path: Path, checkpoint: Checkpoint, files: SharedFiles, manifest: str) -> None:
        published(path, checkpoint, files, manifest)
        checkpoints.forget("u1", "r1")
        (tmp_path / checkpoints.directory("u1", "r1")).mkdir(parents=True)

    monkeypatch.setattr(module, "publish", begun_anew)
    assert not publish(checkpoints)
    assert checkpoints.get("u1", "r1") is None


def test_one_that_cannot_be_published_is_told(
    checkpoints: Checkpoints, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "u1" / "r1" / MANIFEST).mkdir()
    assert not publish(checkpoints)
    assert "cannot publish a checkpoint of u1" in caplog.text
