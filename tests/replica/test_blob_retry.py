"""A replica waits for its blobs, and no longer than it is there itself."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ptvc.errors import StorageError, StoreAway
from ptvc.persist.blob.base import Blob, blob_key
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.persist.blob.objects import FileObjects
from ptvc.replica.blob_retry import AWAY, RetryingBlob, RetryingObjects
from ptvc.retry import ManualTiming, ThreadTiming, Timing

KEY = blob_key("s", "w", "a", 0)


class AwayBlob:
    """Fails so often before each operation."""

    def __init__(
        self, times: int, happens: Callable[[], None] = lambda: None, inner: object | None = None
    ) -> None:
        self._inner = inner or MemoryBlob()
        self._times = self._left = times
        self._happens = happens

    def __getattr__(self, name: str) -> Any:
        def operation(*arguments: Any) -> Any:
            if self._left:
                self._left -= 1
                self._happens()
                raise StoreAway("it is away")
            self._left = self._times
            return getattr(self._inner, name)(*arguments)

        return operation


def retrying(away: Any, timing: Timing | None = None) -> Blob:
    return RetryingBlob(away, threading.Event(), timing or ManualTiming())


def test_every_operation_waits(caplog: pytest.LogCaptureFixture) -> None:
    timing = ManualTiming()
    blob = retrying(AwayBlob(3), timing)
    blob.put(KEY, b"x")
    assert blob.get(KEY) == b"x"
    assert list(blob.keys()) == [KEY]
    assert blob.claim(7) == 7
    assert blob.owner() == 7
    blob.delete(KEY)
    assert list(blob.keys()) == []
    said = [record.message for record in caplog.records]
    assert said == ["it is away; it is tried again"] * 7, "once for each that waits"
    first = AWAY.first_s
    assert timing.pauses == [first, 2 * first, 4 * first] * 7


def test_state_is_waited_for_too(tmp_path: Path) -> None:
    timing = ManualTiming()
    away: Any = AwayBlob(2, inner=FileObjects(tmp_path))
    objects = RetryingObjects(away, threading.Event(), timing)
    (tmp_path / "out").write_bytes(b"rows")
    objects.put("v/a", tmp_path / "out")
    objects.get("v/a", tmp_path / "in")
    assert (tmp_path / "in").read_bytes() == b"rows"
    assert objects.read("v/a", 1, 2) == b"ow"
    assert list(objects.names()) == ["v/a"]
    objects.delete(["v/a"])
    assert len(timing.pauses) == 10
    with pytest.raises(StorageError, match="does not exist"):
        objects.get("v/a", tmp_path / "again")


def test_other_errors_are_said_at_once() -> None:
    with pytest.raises(StorageError, match="does not exist"):
        retrying(AwayBlob(0)).get(KEY)


def test_a_replica_that_ends_waits_no_longer() -> None:
    gone = threading.Event()
    with pytest.raises(StoreAway):
        RetryingBlob(AwayBlob(1000, gone.set), gone, ThreadTiming(gone)).get(KEY)
