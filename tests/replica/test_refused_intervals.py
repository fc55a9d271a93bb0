"""Rows that a sink's target does not take: what comes behind them may mend that, where net changes are written alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from deltalake import DeltaTable
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.replica import egress
from ptvc.replica.egress import Egress
from ptvc.replica.protocol import InstallSink, Progress, SinkBehind, SinkDescription, SinkProgress, Updates
from ptvc.retry import Backoff

from .support import Update, imported, parts
from .test_sources_and_sinks import Sent


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(egress, "BACKOFF", Backoff(0.001, 0.01))


class Delta:
    """A DELTA sink of the collection `v`, whose contents at 10 are the row 1."""

    def __init__(self, directory: Path, envelope: str = "upsert", most_held: int = 1 << 20) -> None:
        self.uri = str(directory / "out")
        self.blob = MemoryBlob()
        self.sent = Sent()
        self.sinks = Egress(self.blob, self.sent, most_held)
        self.envelope = envelope
        self.history: list[Update] = [(1, 10, 1)]
        self.terms = 0
        self.upper = 11

    def install(self, as_of: int = 10) -> None:
        self.terms += 1
        options = {"uri": self.uri, "partition_by": [], "commit_interval_ms": 1, "identity": "u1-abc"}
        key = (0,) if self.envelope == "upsert" else ()
        description = SinkDescription("delta", options, self.envelope, key, as_of=10)
        source = imported(
            self.blob,
            "v",
            as_of=as_of,
            upper=self.upper,
            snapshot=[u for u in self.history if u[1] <= as_of],
            updates=[u for u in self.history if u[1] > as_of],
            timestamped=False,
        )
        self.sinks.install(InstallSink("k", "snk", description, source, self.terms))

    def commit(self, *changes: tuple[int | None, int]) -> None:
        updates = [(value, self.upper, diff) for value, diff in changes]
        self.history += updates  # type: ignore[arg-type]
        lower, self.upper = self.upper, self.upper + 1
        written = parts(self.blob, *updates)  # type: ignore[arg-type]
        self.sinks.receive(Progress(self.upper, 0, (Updates("v", lower, self.upper, written),)))

    def await_upper(self, upper: int) -> None:
        while self.sent.next(SinkProgress).upper < upper:
            pass

    def rows(self) -> list[int | None]:
        return sorted(DeltaTable(self.uri).to_pyarrow_table()["a"].to_pylist())


@pytest.mark.parametrize(
    ("bad", "mended", "why"),
    [
        ([(None, 1)], [(None, -1)], "NULL in a row"),
        ([(1, 1)], [(1, -1)], "rows that the sink is to insert"),
        ([(7, 2)], [(7, -1)], "7"),
    ],
)
def test_rows_that_go_again_before_they_are_written(
    tmp_path: Path, bad: list[tuple[int | None, int]], mended: list[tuple[int | None, int]], why: str
) -> None:
    delta = Delta(tmp_path)
    delta.install()
    delta.await_upper(11)
    delta.commit(*bad, (2, 1))
    assert why in delta.sent.state("stalled").reason
    delta.commit((3, 1))
    assert delta.sent.nothing(SinkProgress, 0.3)
    assert delta.rows() == [1]
    delta.commit(*mended, (2, -1))
    delta.await_upper(14)
    left = [7] if bad == [(7, 2)] else []
    assert delta.rows() == [1, 3, *left]
    delta.commit((4, 1))
    delta.await_upper(15)
    assert delta.rows() == sorted([1, 3, 4, *left])
    delta.sinks.close()


def test_the_contents_that_it_begins_with(tmp_path: Path) -> None:
    delta = Delta(tmp_path)
    delta.history.append((None, 10, 1))  # type: ignore[arg-type]
    delta.install()
    assert "NULL in a row" in delta.sent.state("stalled").reason
    delta.commit((None, -1))
    delta.await_upper(12)
    assert delta.rows() == [1]
    delta.sinks.close()


def test_what_is_behind_in_persist_alone_is_taken_when_it_is_installed_anew(tmp_path: Path) -> None:
    delta = Delta(tmp_path, most_held=1)
    delta.install()
    delta.await_upper(11)
    delta.commit((None, 1))
    delta.sent.next(SinkBehind)
    delta.install()
    assert "NULL in a row" in delta.sent.state("stalled").reason
    delta.commit((None, -1), (5, 1))
    delta.sent.next(SinkBehind)
    delta.install()
    delta.await_upper(13)
    assert delta.rows() == [1, 5]
    delta.sinks.close()


def test_a_log_of_changes_shows_each_of_them(tmp_path: Path) -> None:
    """So it takes no more than what it cannot write, whatever comes behind."""
    delta = Delta(tmp_path, envelope="none")
    delta.install()
    delta.await_upper(11)
    delta.commit((2, 1))
    delta.commit((2, -1))
    delta.await_upper(13)
    log = DeltaTable(delta.uri).to_pyarrow_table().to_pylist()
    assert sorted((row["a"], row["_mz_timestamp"], row["_mz_diff"]) for row in log) == [
        (1, 10, 1),
        (2, 11, 1),
        (2, 12, -1),
    ]
    delta.sinks.close()
