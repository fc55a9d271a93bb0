"""A source that takes all there is at once: few records wait for more to come, many do not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.replica import ingest
from ptvc.replica.ingest import FEW_RECORDS, Sources
from ptvc.replica.protocol import Ingest, Ingested
from ptvc.storage.ingestion import Ingestion

from .test_sources_and_sinks import Sent, source, values


@pytest.fixture(autouse=True)
def endless(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sources that wait for records themselves, and a pace that no test lives to see the end of."""
    opened = ingest.open_source

    def waiting(*arguments: Any, **named: Any) -> Ingestion:
        ingestion = opened(*arguments, **named)
        ingestion.waits = True
        return ingestion

    monkeypatch.setattr(ingest, "open_source", waiting)
    monkeypatch.setattr(ingest, "PACE_S", 3_600.0)


def committed(file: Path, rows: int) -> tuple[Sources, Sent]:
    """A source that has just committed so many rows, and has one more to read."""
    file.write_text("a\n" + "".join(f"{n}\n" for n in range(rows)))
    blob, sent = MemoryBlob(), Sent()
    sources = Sources(blob, "first", sent)
    sources.install(source(file, None))
    assert values(blob, sent.next(Ingest)) == list(range(rows))
    with file.open("a") as out:
        out.write("7\n")
    sources.ingested(Ingested("s", 10))
    return sources, sent


def test_few_records_wait_for_more(tmp_path: Path) -> None:
    sources, sent = committed(tmp_path / "in.csv", FEW_RECORDS - 1)
    assert sent.nothing(Ingest, 0.3)
    running = sources._running["s"]._thread
    sources.close()
    running.join(20)
    assert not running.is_alive(), "it is told to stop while it waits"


def test_many_records_are_a_backlog_that_goes_on(tmp_path: Path) -> None:
    sources, sent = committed(tmp_path / "in.csv", FEW_RECORDS)
    assert sent.next(Ingest).statistics["s"]["records"] == FEW_RECORDS + 1
    sources.close()
