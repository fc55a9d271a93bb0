"""Checkpoints whose files all processes see: what becomes of one whose state is forgotten while it is published."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import replace
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


def test_another_replica_begins_with_the_furthest_that_there_is(
    checkpoints: Checkpoints, tmp_path: Path
) -> None:
    def published_by(replica: str, cut: int) -> bool:
        (tmp_path / checkpoints.directory("u1", replica)).mkdir(exist_ok=True)
        return asyncio.run(checkpoints.publish("u1", replica, replace(CHECKPOINT, cut=cut)))

    def borrowed(replica: str) -> int | None:
        found = asyncio.run(checkpoints.borrow("u1", replica))
        return None if found is None else found.cut

    assert borrowed("r3") is None
    assert published_by("r1", 10)
    assert published_by("r2", 20)
    assert checkpoints.replicas(["u1", "u2"]) == ["r2", "r1"]
    assert borrowed("r3") == 20
    assert checkpoints.borrows("u1", "r3")
    assert not published_by("r2", 30), "files that are being read would go"
    assert published_by("r1", 30)
    checkpoints.loan_read("u1", "r3")
    assert checkpoints.borrows("u1", "r3"), "a restart would have nothing else yet"
    assert published_by("r2", 40)
    assert published_by("r3", 35)
    assert not checkpoints.borrows("u1", "r3")
    assert checkpoints.has_others("u1", {"r1", "r2"})
    assert not checkpoints.has_others("u1", {"r1", "r2", "r3"})
    assert borrowed("r4") == 40
    checkpoints.reject("u1", "r4", "it is damaged")
    assert borrowed("r4") is None, "once was enough"
    assert published_by("r2", 50)
    assert checkpoints.beginning("u1", "r4") is None
    assert borrowed("r5") == 50
    checkpoints.end_loan("u1", "r5")
    assert published_by("r2", 60)
    assert borrowed("r5") == 60
    checkpoints.forget("u1")
    assert not checkpoints.borrows("u1", "r5")
