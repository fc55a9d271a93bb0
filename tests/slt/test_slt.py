"""Every script gives PostgreSQL's results, by each way in which queries are answered (`ways`); every query also through a
materialized view and an indexed view.

The views stay.  When the script has ended, its tables go through a seeded series of inserts, updates and deletes, and back:
after each round the views must hold what the queries answer, and what PostgreSQL answers after the same statements.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any
from zlib import crc32

import psycopg
import pytest
from inprocess import InProcess, running
from ptvc.config import Settings
from ways import Variant, by_each_way, running_in

from .changes import contents, restored, series
from .maintained import Answer, Maintained, answer
from .script import Record, Row, cells, lines, parse, render
from .subjects import Failure, rows, run

FOLDER = Path(__file__).parent
SCRIPTS = sorted(FOLDER.rglob("*.slt"))
NAMES = [path.relative_to(FOLDER).with_suffix("").as_posix() for path in SCRIPTS]
ORDINARY = 8
"""One script in so many runs through views in the ordinary part; all do in the slow one."""
ORDINARY_BY_WAYS = 16
"""As `ORDINARY`, of the scripts by some of the ways."""

Connection = psycopg.Connection[Any]


def _maintained_scripts() -> list[Any]:
    made = []
    for path, name in zip(SCRIPTS, NAMES, strict=True):
        slow = crc32(name.encode()) % ORDINARY != 0
        made.append(pytest.param(path, id=name, marks=[pytest.mark.slow] if slow else []))
    return made


@pytest.fixture(scope="module")
def runtime() -> Iterator[InProcess]:
    with running(
        Settings()
    ) as runtime:  # not the settings of tests that wait for ticks: there are many views
        yield runtime


@pytest.fixture
def connection(runtime: InProcess) -> Iterator[Connection]:
    with connected(runtime) as connection:
        yield connection


@pytest.fixture(scope="module")
def variant(request: pytest.FixtureRequest) -> Iterator[Variant]:
    with running_in(request.param) as variant:
        yield variant


@contextmanager
def connected(runtime: InProcess) -> Iterator[Connection]:
    with runtime.connect() as connection:
        connection.execute("CREATE SCHEMA slt")
        connection.execute("SET search_path = slt")
        yield connection
        connection.execute("ROLLBACK")
        connection.execute("DROP SCHEMA slt CASCADE")


@pytest.fixture
def postgres(oracle_uri: str) -> Iterator[Connection]:
    with psycopg.connect(oracle_uri, autocommit=True) as connection:
        connection.execute("SET client_min_messages = error")
        connection.execute("DROP SCHEMA IF EXISTS slt CASCADE")
        connection.execute("CREATE SCHEMA slt")
        connection.execute("SET search_path = slt")
        yield connection


def _wanted(record: Record, found: list[Row] | Failure, name: str) -> None:
    """Asserts that the record's statement ended as the script says."""
    where = f"{name}:{record.number}: {found}\n{record.sql}"
    if record.error is not None:
        assert isinstance(found, Failure), where
        assert re.search(record.error, str(found)), where
        return
    assert not isinstance(found, Failure), where
    if record.is_query:
        assert lines(found, record.types, record.order) == record.expected, where


@pytest.mark.parametrize("path", SCRIPTS, ids=NAMES)
def test_script(path: Path, connection: Connection) -> None:
    for record in parse(path.read_text()):
        if record.runs_on("ptvc"):
            _wanted(record, run(connection, record.sql), path.name)


@pytest.mark.parametrize(
    ("variant", "path"),
    by_each_way(list(zip(NAMES, SCRIPTS, strict=True)), ORDINARY_BY_WAYS),
    indirect=["variant"],
)
def test_script_by_another_way(path: Path, variant: Variant, record_property: Callable[..., None]) -> None:
    asked = 0
    with connected(variant.runtime) as connection:
        for record in parse(path.read_text()):
            if record.runs_on("ptvc"):
                for when in variant.asked(connection, record.sql):
                    _wanted(record, run(connection, record.sql), f"{path.name}, {when}")
                    asked += 1
    record_property("verdicts", {"family": f"scripts by {variant.way.name}", "counts": {"the same": asked}})


@pytest.mark.parametrize("path", _maintained_scripts())
def test_maintained(path: Path, connection: Connection, postgres: Connection) -> None:
    records = parse(path.read_text())
    maintained = Maintained(connection)
    stale = False
    for record in records:
        if record.runs_on("postgresql"):
            _wanted(record, run(postgres, record.sql), f"PostgreSQL, {path.name}")
        if not record.runs_on("ptvc"):
            continue
        if record.is_view and record.runs_on("views"):
            maintained.add(record, rows(connection, record.sql))
            continue
        if not record.is_view and record.error is None:
            maintained.flush()
            stale = True
            if record.sql.split()[0].upper() in ("DROP", "ALTER") and maintained.queries:
                _definition(record, connection, maintained)
                continue
        _wanted(record, run(connection, record.sql), path.name)
    maintained.flush()
    if stale:
        maintained.check(_answers(connection, maintained), "at the end of the script")
    alike = all(
        record.is_query or record.runs_on("postgresql") == record.runs_on("ptvc") for record in records
    )
    _after_changes(maintained, connection, postgres if alike else None, Random(path.stem))


def _definition(record: Record, connection: Connection, maintained: Maintained) -> None:
    """A definition that the views stand in the way of is tried again without them."""
    found = run(connection, record.sql)
    if isinstance(found, Failure):
        maintained.check(_answers(connection, maintained), "before a definition")
        maintained.forget()
        found = run(connection, record.sql)
    _wanted(record, found, "a definition")


def _answers(connection: Connection, maintained: Maintained) -> list[Answer]:
    return [answer(connection, record.sql, record) for record in maintained.queries]


def _after_changes(
    maintained: Maintained, connection: Connection, postgres: Connection | None, random: Random
) -> None:
    """The series of changes, and back.  Without `postgres`, the queries alone say what the views must hold."""
    subjects = [connection] if postgres is None else [connection, postgres]
    before = contents(connection)
    if not maintained.queries or not any(table.rows for table in before):
        return
    at_first = _answers(connection, maintained)
    for number, statements in enumerate(series(before, random)):
        for sql in statements:
            _on_all(subjects, sql)
        once = _answers(connection, maintained)
        if postgres is not None:
            _as_postgres(maintained, once, postgres, number)
        maintained.check(once, f"after round {number} of the changes")
    for sql in restored(before, contents(connection)):
        _on_all(subjects, sql)
    assert contents(connection) == before
    maintained.check(at_first, "after the way back")


def _on_all(subjects: list[Connection], sql: str) -> None:
    """The statement succeeds on all or breaks the same rule on all."""
    found = [run(subject, sql) for subject in subjects]
    # Which of several constraints is reported is not defined.
    states = {one.sqlstate[:2] if isinstance(one, Failure) else None for one in found}
    assert len(states) == 1, f"{sql}\n{found}"


def _as_postgres(maintained: Maintained, once: list[Answer], postgres: Connection, number: int) -> None:
    for (name,) in rows(
        postgres, "SELECT quote_ident(matviewname) FROM pg_matviews WHERE schemaname = 'slt'"
    ):
        rows(postgres, f"REFRESH MATERIALIZED VIEW {name}")
    wrong = []
    for record, ours in zip(maintained.queries, once, strict=True):
        if not (record.runs_on("postgresql") and record.runs_on("changes")):
            continue
        theirs = answer(postgres, record.sql, record)
        if isinstance(ours, Failure) and isinstance(theirs, Failure):
            continue  # which of several errors is reported is not defined
        if ours != theirs:
            wrong.append(f"line {record.number}: {record.sql}\n ours: {ours}\n PostgreSQL's: {theirs}")
    assert not wrong, f"after round {number} of the changes\n" + "\n".join(wrong)


def test_there_are_scripts() -> None:
    assert len(SCRIPTS) >= 150


@pytest.mark.parametrize("path", SCRIPTS, ids=NAMES)
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
