"""An ICEBERG sink whose process dies, whose answers are lost, and beside which others write."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from ptvc.errors import PtvcError
from ptvc.storage.connections.options import ConnectionKind, ConnectionOptions, SecretRef
from ptvc.storage.connections.values import Values
from ptvc.storage.lake import catalogs
from ptvc.storage.sink.contract import SinkFenced, SinkStalled
from ptvc.storage.sink.iceberg.progress import FRONTIER, SINK
from pyiceberg.table.snapshots import Operation
from servers.iceberg_rest import RestCatalogServer, iceberg_rest

from ..kafka.support import Change, batch, between, contents, history
from .support import FIRST, Target, duckdb_rows

Make = Callable[..., Target]
TIMES = 14


class Killed(BaseException):
    """The process is gone."""


class Steps:
    """What a sink does outside, counted; the step `fatal` is its last one."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.left: int | None = None
        write, commit = catalogs.Files.new_output, catalogs._Guarded.commit_table

        def new_output(files: Any, location: str) -> Any:
            self._step()
            return write(files, location)

        def commit_table(catalog: Any, *arguments: Any) -> Any:
            self._step()
            answer = commit(catalog, *arguments)
            self._step()
            return answer

        monkeypatch.setattr(catalogs.Files, "new_output", new_output)
        monkeypatch.setattr(catalogs._Guarded, "commit_table", commit_table)

    def _step(self) -> None:
        if self.left is not None:
            self.left -= 1
            if self.left < 0:
                self.left = None
                raise Killed


def compacted(target: Target) -> None:
    """Somebody writes all data files anew, as one."""
    table = target.table
    rows = table.scan().to_arrow()
    if rows.num_rows:
        table.overwrite(rows)


def check_snapshots(target: Target, changes: list[Change]) -> None:
    """Each snapshot has the contents at its progress, or at that of the last one of the sink before it."""
    table, upper = target.table, 0
    for snapshot in sorted(table.snapshots(), key=lambda s: s.sequence_number or 0):
        summary = snapshot.summary
        assert summary is not None
        if summary.get(SINK) == target.options.identity:
            assert int(summary[FRONTIER] or 0) >= upper
            upper = int(summary[FRONTIER] or 0)
        rows = duckdb_rows(table, snapshot.snapshot_id)
        if summary.operation is not Operation.DELETE:  # the first half of an overwrite of pyiceberg
            assert sorted(rows, key=repr) == sorted(contents(changes, upper).elements(), key=repr)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(14))
def test_nothing_is_lost_or_twice_wherever_it_is_killed(
    target: Make, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    out, random = target(), Random(seed)
    changes = history(random, FIRST, TIMES, 30, 10)
    steps, upper, term = Steps(monkeypatch), 0, 0
    while upper < FIRST + TIMES:
        steps.left = random.randrange(14)
        sink = out.sink(term=term)
        term += 1
        try:
            upper = sink.open()
            sink.check_follows(max(upper, FIRST + 1) if upper else FIRST + 1)
            while upper < FIRST + TIMES:
                end = min(max(upper, FIRST) + random.randrange(1, 5), FIRST + TIMES)
                sink.write(between(changes, upper, end), upper, end)
                upper = end
        except Killed:
            upper = 0
        steps.left = None
        if random.random() < 0.3:
            compacted(out)
    assert out.rows() == contents(changes, FIRST + TIMES)
    check_snapshots(out, changes)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_somebody_compacts_while_it_commits(target: Make, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """What the sink has planned is of files that are gone then."""
    out, random = target(), Random(seed)
    changes, sink, lower = history(random, FIRST, TIMES, 30, 10), out.sink(), 0
    sink.open()
    commit = catalogs._Guarded.commit_table
    ours = [False]

    def commit_table(catalog: Any, *arguments: Any) -> Any:
        if not ours[0] and random.random() < 0.5:
            ours[0] = True
            compacted(out)
            ours[0] = False
        return commit(catalog, *arguments)

    monkeypatch.setattr(catalogs._Guarded, "commit_table", commit_table)
    while lower < FIRST + TIMES:
        upper = min(max(lower, FIRST) + random.randrange(1, 5), FIRST + TIMES)
        sink.write(between(changes, lower, upper), lower, upper)
        lower = upper
    assert out.rows() == contents(changes, FIRST + TIMES)
    data = {path.name for path in (Path(out.table.location().removeprefix("file://")) / "data").glob("*")}
    known = {
        Path(task.file.file_path).name
        for snapshot in out.table.snapshots()
        for task in out.table.scan(snapshot_id=snapshot.snapshot_id).plan_files()
    }
    assert data <= known, "what was written for a commit that did not go through is gone"


def test_who_is_replaced_while_it_commits(target: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its files are written, and it has looked whose the table is."""
    out = target()
    old, new = out.sink(term=1), out.sink(term=2)
    old.open()
    old.write(batch([(1, "a", FIRST, 1)]), 0, FIRST + 1)
    commit = catalogs._Guarded.commit_table

    def commit_table(catalog: Any, *arguments: Any) -> Any:
        monkeypatch.setattr(catalogs._Guarded, "commit_table", commit)
        assert new.open() == FIRST + 1
        return commit(catalog, *arguments)

    monkeypatch.setattr(catalogs._Guarded, "commit_table", commit_table)
    with pytest.raises(SinkFenced):
        old.write(batch([(2, "b", FIRST + 1, 1)]), FIRST + 1, FIRST + 2)
    assert out.rows() == {(1, "a"): 1}
    new.write(batch([(2, "c", FIRST + 1, 1)]), FIRST + 1, FIRST + 2)
    assert out.rows() == {(1, "a"): 1, (2, "c"): 1}


@pytest.fixture
def rest(tmp_path: Path) -> Iterator[RestCatalogServer]:
    with iceberg_rest(tmp_path, "let me in") as server:
        yield server


def rest_values(server: RestCatalogServer, token: bytes = b"let me in") -> Values:
    given: dict[str, Any] = {"CATALOG TYPE": "rest", "URL": server.url, "WAREHOUSE": server.warehouse}
    options = {**given, "TOKEN": SecretRef("s")}
    return Values(ConnectionOptions(ConnectionKind.ICEBERG_CATALOG, options), {"s": token})


@pytest.mark.parametrize("seed", range(4))
def test_answers_that_get_lost(rest: RestCatalogServer, seed: int) -> None:
    """Of a REST catalog: the commit was made, and the sink is told that nobody knows."""
    random = Random(seed)
    out = Target(rest_values(rest))
    changes, sink, lower, lost = history(random, FIRST, TIMES, 30, 10), out.sink(), 0, 0
    sink.open()
    rest.lose = lambda: random.random() < 0.4
    while lower < FIRST + TIMES:
        upper = min(max(lower, FIRST) + random.randrange(1, 5), FIRST + TIMES)
        try:
            sink.write(between(changes, lower, upper), lower, upper)
        except SinkStalled:
            lost += 1
            commits = rest.commits
            sink.write(between(changes, lower, upper), lower, upper)
            assert rest.commits == commits, "it was there"
        assert out.rows() == contents(changes, upper)
        lower = upper
    assert lost
    check_snapshots(out, changes)
    out.close()


def test_a_catalog_that_refuses(rest: RestCatalogServer) -> None:
    out = Target(rest_values(rest, b"wrong"))
    with pytest.raises(PtvcError, match="authentication failed") as raised:
        out.sink().open()
    assert raised.value.sqlstate == "28000"
    assert "wrong" not in str(raised.value.detail)
    out.close()


def test_a_catalog_whose_tables_are_elsewhere_on_this_machine(
    rest: RestCatalogServer, tmp_path: Path
) -> None:
    """What a server says does not lead out of the warehouse, nor into other classes."""
    rest.config = {"py-io-impl": "pyiceberg.io.fsspec.FsspecFileIO", "ptvc.root": "/"}
    values = rest_values(rest)
    elsewhere = {**values.options.values, "WAREHOUSE": f"file://{tmp_path}/other"}
    out = Target(Values(ConnectionOptions(ConnectionKind.ICEBERG_CATALOG, elsewhere), values.secrets))
    with pytest.raises(SinkStalled, match="is neither in S3 nor below the warehouse of the connection"):
        out.sink().open()
    out.close()


def test_a_row_that_is_twice_under_one_key(target: Make) -> None:
    sink = target().sink()
    sink.open()
    with pytest.raises(PtvcError, match="is not unique"):
        sink.write(batch([(1, "a", FIRST, 1), (1, "b", FIRST, 1)]), 0, FIRST + 1)
