"""CREATE SOURCE ... FROM POSTGRES, and CREATE TABLE ... FROM SOURCE of one: text to tree."""

from __future__ import annotations

from typing import Any

import pytest
from ptvc.errors import PtvcError
from ptvc.sql.parser.parse import parse, parse_type
from ptvc.sql.syntax import ast

HEAD = "CREATE SOURCE s FROM POSTGRES CONNECTION pg"


def node(sql: str) -> Any:
    (statement,) = parse(sql)
    return statement.node


def parts(names: tuple[ast.Name, ...] | None) -> list[str] | None:
    return None if names is None else [".".join(name.parts) for name in names]


def test_all_that_may_stand_there() -> None:
    found = node(
        "CREATE SOURCE IF NOT EXISTS a.s IN CLUSTER c FROM POSTGRES CONNECTION b.pg (PUBLICATION 'p', TEXT COLUMNS (x.t.a, x.\"T\".b), "
        "EXCLUDE COLUMNS = (x.t.c)) FOR TABLES (x.t AS mine, u) EXPOSE PROGRESS AS progress"
    )
    assert (found.name.parts, found.cluster.parts, found.if_not_exists) == (("a", "s"), ("c",), True)
    assert found.progress.parts == ("progress",)
    clause = found.upstream
    assert (clause.connection.parts, clause.publication, clause.published) == (("b", "pg"), "p", None)
    assert (parts(clause.text), parts(clause.excluded)) == (["x.t.a", "x.T.b"], ["x.t.c"])
    assert [(t.reference.parts, t.name and t.name.parts) for t in found.tables] == [
        (("x", "t"), ("mine",)),
        (("u",), None),
    ]
    assert clause.schemas is None


@pytest.mark.parametrize(
    ("behind", "tables", "schemas"),
    [
        ("", None, None),
        ("FOR ALL TABLES", (), None),
        ("FOR SCHEMAS (a, b) EXPOSE PROGRESS AS p", (), ["a", "b"]),
    ],
)
def test_which_tables(behind: str, tables: tuple[()] | None, schemas: list[str] | None) -> None:
    found = node(f"{HEAD} (PUBLICATION = p) {behind}")
    assert (found.tables, parts(found.upstream.schemas)) == (tables, schemas)
    assert found.upstream.publication == "p"


@pytest.mark.parametrize(
    ("sql", "state"),
    [
        (f"{HEAD}", "42601"),
        (f"{HEAD} ()", "42601"),
        (f"{HEAD} (TEXT COLUMNS (a.b.c))", "42601"),
        (f"{HEAD} (PUBLICATION 'p', PUBLICATION 'q')", "42601"),
        (f"{HEAD} (PUBLICATION 'p', TEXT COLUMNS (a.b.c), TEXT COLUMNS (a.b.d))", "42601"),
        (f"{HEAD} (PUBLICATION 'p', EXCLUDE COLUMNS (a.b.c), EXCLUDE COLUMNS (a.b.d))", "42601"),
        (f"{HEAD} (PUBLICATION 'p', TEXT COLUMNS ())", "42601"),
        (f"{HEAD} (PUBLICATION 'p', SLOT 'x')", "42601"),
        (f"{HEAD} (PUBLICATION 'p', SNAPSHOT CONNECTIONS 'x')", "42601"),
        (f"{HEAD} (PUBLICATION 'p', SNAPSHOT CONNECTIONS 0)", "22023"),
        (f"{HEAD} (PUBLICATION 'p', SNAPSHOT CONNECTIONS 2, SNAPSHOT CONNECTIONS 2)", "42601"),
        ("CREATE SOURCE s FROM MYSQL CONNECTION pg (SNAPSHOT CONNECTIONS 2)", "42601"),
        (f"{HEAD} (PUBLICATION 'p') FOR TABLES ()", "42601"),
        (f"{HEAD} (PUBLICATION 'p') FOR SCHEMAS (a.b)", "42601"),
        (f"{HEAD} (PUBLICATION 'p') FOR SCHEMAS (a) FOR ALL TABLES", "42601"),
        (f"{HEAD} (PUBLICATION 'p') ENVELOPE NONE", "42601"),
        (f"{HEAD} (PUBLICATION 'p') WITH (SIZE = 'x')", "0A000"),
        ("CREATE SOURCE s (a int) FROM POSTGRES CONNECTION pg (PUBLICATION 'p')", "42601"),
        ("CREATE TABLE t FROM SOURCE s (REFERENCE x) WITH (TEXT COLUMNS (a), TEXT COLUMNS (b))", "42601"),
        ("CREATE TABLE t FROM SOURCE s (REFERENCE x) WITH (TEXT COLUMNS)", "42601"),
        ("CREATE TABLE t (a int) WITH (TEXT COLUMNS (a))", "0A000"),
    ],
)
def test_what_is_refused(sql: str, state: str) -> None:
    with pytest.raises(PtvcError) as refused:
        parse(sql)
    assert refused.value.sqlstate == state, refused.value
    assert refused.value.position is not None


def test_a_table_of_a_source() -> None:
    found = node(
        "CREATE TABLE t FROM SOURCE s (REFERENCE a.b) WITH (TEXT COLUMNS (x, \"Y\"), EXCLUDE COLUMNS = (z), RETAIN HISTORY FOR '1s')"
    )
    assert (parts(found.text), parts(found.excluded)) == (["x", "Y"], ["z"])
    assert (found.retain_history_ms, found.published) == (1000, None)


@pytest.mark.parametrize("text", ["", "integer integer", "numeric(", "select", "integer;"])
def test_a_type_is_all_there_is(text: str) -> None:
    assert parse_type("timestamp(3) with time zone[]").dimensions == 1
    with pytest.raises(PtvcError):
        parse_type(text)
