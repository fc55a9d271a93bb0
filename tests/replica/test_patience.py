"""A replica waits for its blobs, and no longer than it is there itself."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from ptvc.errors import StorageError, StoreAway
from ptvc.persist.blob.base import Blob, blob_key
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.replica import patience
from ptvc.replica.patience import PatientBlob

KEY = blob_key("s", "w", "a", 0)


class AwayBlob:
    """Fails so often before each operation."""

    def __init__(self, times: int, happens: Callable[[], None] = lambda: None) -> None:
        self._inner = MemoryBlob()
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


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "INTERVAL_S", 0.001)


def patient(away: Any, gone: threading.Event | None = None) -> Blob:
    return PatientBlob(away, gone or threading.Event())


def test_every_operation_waits(caplog: pytest.LogCaptureFixture) -> None:
    blob = patient(AwayBlob(3))
    blob.put(KEY, b"x")
    assert blob.get(KEY) == b"x"
    assert list(blob.keys()) == [KEY]
    assert blob.claim(7) == 7
    assert blob.owner() == 7
    blob.delete(KEY)
    assert list(blob.keys()) == []
    said = [record.message for record in caplog.records]
    assert said == ["it is away; waiting for it"] * 7, "once for each that waits"


def test_other_errors_are_said_at_once() -> None:
    with pytest.raises(StorageError, match="does not exist"):
        patient(AwayBlob(0)).get(KEY)


def test_a_replica_that_ends_waits_no_longer() -> None:
    gone = threading.Event()
    with pytest.raises(StoreAway):
        patient(AwayBlob(1000, gone.set), gone).get(KEY)
