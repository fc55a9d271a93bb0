"""Every script gives PostgreSQL's results; every query also through a materialized view and an indexed view.

The views stay, and after the first statement of each kind that changes a table they must agree with the one-off answer
again.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from inprocess import InProcess, running
from ptvc.config import Settings

from .script import Record, Row, cells, lines, parse, render
from .subjects import Failure, rows, run

SCRIPTS = sorted(Path(__file__).parent.glob("*.slt"))
CHANGES = ("update", "delete", "truncate")
"""After these the views are read again; what an INSERT did shows then too."""


@pytest.fixture(scope="module")
def runtime() -> Iterator[InProcess]:
    with running(
        Settings()
    ) as runtime:  # not the settings of tests that wait for ticks: there are many views
        yield runtime


@pytest.fixture
def connection(runtime: InProcess) -> Iterator[psycopg.Connection[Any]]:
    with runtime.connect() as connection:
        connection.execute("CREATE SCHEMA slt")
        connection.execute("SET search_path = slt")
        yield connection
        connection.execute("DROP SCHEMA slt CASCADE")


class Maintained:
    """The queries of a script as views: one materialized and one indexed for each."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self.connection = connection
        self.queries: list[Record] = []
        self.changes: set[str] = set()

    def add(self, record: Record, found: list[Row]) -> None:
        number = len(self.queries)
        columns = ", ".join(f"c{i}" for i in range(len(record.types)))
        rows(self.connection, f"CREATE MATERIALIZED VIEW slt_m{number} ({columns}) AS {record.sql}")
        rows(self.connection, f"CREATE VIEW slt_v{number} ({columns}) AS {record.sql}")
        rows(self.connection, f"CREATE DEFAULT INDEX ON slt_v{number}")
        self.queries.append(record)
        self.check(number, found)

    def check(self, number: int, found: list[Row] | None = None) -> None:
        """That both views hold what the query answers now (`found`, if that is known)."""
        record = self.queries[number]
        once = _multiset(found or rows(self.connection, record.sql), record)
        for view in (f"slt_m{number}", f"slt_v{number}"):
            kept = _multiset(rows(self.connection, f"SELECT * FROM {view}"), record)
            assert kept == once, f"line {record.number}, {view} after {sorted(self.changes)}\n{record.sql}"

    def changed(self, sql: str) -> None:
        word = sql.split()[0].lower()
        if self.queries and word in CHANGES and word not in self.changes:
            self.changes.add(word)
            rows(self.connection, "BEGIN READ ONLY")  # everything at one time
            for number in range(len(self.queries)):
                self.check(number)
            rows(self.connection, "COMMIT")


def _multiset(found: list[Row], record: Record) -> Counter[str]:
    return Counter(" ".join(cells(row, record.types)) for row in found)


@pytest.mark.parametrize("path", SCRIPTS, ids=[path.stem for path in SCRIPTS])
def test_script(path: Path, connection: psycopg.Connection[Any]) -> None:
    maintained = Maintained(connection)
    for record in parse(path.read_text()):
        if not record.runs_on("ptvc"):
            continue
        found = run(connection, record.sql)
        where = f"{path.name}:{record.number}: {found}\n{record.sql}"
        if record.error is not None:
            assert isinstance(found, Failure), where
            assert re.search(record.error, str(found)), where
            continue
        assert not isinstance(found, Failure), where
        if record.is_query:
            assert lines(found, record.types, record.order) == record.expected, where
            if record.runs_on("views"):
                maintained.add(record, found)
        else:
            maintained.changed(record.sql)
    if maintained.queries:
        assert {"update", "delete"} <= maintained.changes, "an UPDATE and a DELETE must follow the queries"


def test_there_are_scripts() -> None:
    assert len(SCRIPTS) >= 25


@pytest.mark.parametrize("path", SCRIPTS, ids=[path.stem for path in SCRIPTS])
def test_a_script_is_as_regenerate_writes_it(path: Path) -> None:
    text = path.read_text()
    assert render(parse(text)) == text


def test_values_are_shown_by_type() -> None:
    row: Row = ("1.500", "a b", "", None)
    assert cells(row, "RTTI") == ["1.5", "a␠b", "(empty)", "NULL"]
    assert cells(("1e3", "-0.00", "NaN", "100"), "RRRR") == ["1000", "0", "NaN", "100"]
    assert lines([("2", "b"), ("1", "c")], "IT", "rowsort") == ["1 c", "2 b"]
    assert lines([("2", "b"), ("1", "c")], "IT", "valuesort") == ["1", "2", "b", "c"]


def test_conditions() -> None:
    (record,) = parse("# a comment\nskipif views\nquery I\nSELECT 1\n----\n1\n")
    assert record.runs_on("ptvc")
    assert not record.runs_on("views")
    assert record.error is None
