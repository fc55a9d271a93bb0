"""Storage parameters: PostgreSQL takes and refuses the same ones, with the same words."""

from __future__ import annotations

import psycopg
import pytest
from ptvc.errors import PtvcError
from ptvc.sql.parser.parse import parse
from ptvc.sql.syntax import storage_parameters
from ptvc.sql.syntax.definition_statements import CreateMaterializedViewStatement, CreateTableStatement
from ptvc.sql.syntax.statements import StatementNode

WHOLE = [
    "-2",
    "-1",
    "0",
    "1",
    "9",
    "10",
    "63",
    "64",
    "70.5",
    "71.5",
    "100",
    "101",
    "127",
    "128",
    "1024",
    "1025",
]
WHOLE += ["8160", "8161", "9999", "10000", "99999", "100000", "131072", "131073", "1000000000", "1000000001"]
WHOLE += [
    "2000000000",
    "2000000001",
    "2147483647",
    "2147483648",
    "'010'",
    "'0x10'",
    "' 12 '",
    "'1e1'",
    "'09'",
    "''",
    "'1.'",
]
REAL = [
    "0",
    "0.5",
    "1",
    "1.01",
    "99.5",
    "100",
    "100.01",
    "-0.1",
    "1e1",
    "'  3'",
    "'x'",
    "'nan'",
    "'inf'",
    "' -Infinity '",
    "'infin'",
]
WORDS = [
    "true",
    "false",
    "on",
    "off",
    "auto",
    "yes",
    "no",
    "t",
    "F",
    "'of'",
    "'o'",
    "1",
    "0",
    "2",
    "'AUTO'",
    "none",
    "x",
]


def cases() -> list[str]:
    found = []
    for name, parameter in storage_parameters._TABLE.items():
        values = REAL if isinstance(parameter, storage_parameters._Real) else WHOLE
        if isinstance(parameter, storage_parameters._Switch | storage_parameters._Choice):
            values = WORDS
        found += [f"CREATE TABLE t (a int) WITH ({name} = {value})" for value in values]
        found.append(f"CREATE TABLE t (a int) WITH ({name})")
        found.append(f"CREATE TABLE t (a text) WITH (toast.{name} = 1)")
    for method, known in storage_parameters._INDEX.items():
        for name, parameter in known.items():
            values = WHOLE if isinstance(parameter, storage_parameters._Whole) else WORDS
            key = "p" if method in ("gist", "spgist") else "x" if method == "gin" else "a"
            found += [
                f"CREATE INDEX i ON o USING {method} ({key}) WITH ({name} = {value})" for value in values
            ]
    return found


OTHERS = [
    "CREATE TABLE t (a int) WITH (FillFactor = 70, autovacuum_enabled = false, toast.vacuum_truncate)",
    'CREATE TABLE t (a int) WITH ("FillFactor" = 70)',
    "CREATE TABLE t (a int) WITH (fillfactor = 70, fillfactor = 70)",
    "CREATE TABLE t (a int) WITH (fillfactor = 70, fillfactor = 'x')",
    "CREATE TABLE t (a text) WITH (vacuum_truncate, toast.vacuum_truncate)",
    "CREATE TABLE t (a int) WITH (foo.fillfactor = 70)",
    "CREATE TABLE t (a int) WITH (toast.fillfactor = 70)",
    "CREATE TABLE t (a int) WITH (fastupdate)",
    "CREATE TABLE t (a int) WITH (fillfactor = +70)",
    "CREATE TABLE t (a int) WITH (fillfactor = -70)",
    "CREATE TABLE t (a int) WITH (fillfactor = - '70')",
    "CREATE TABLE t (a int) WITH (fillfactor 70)",
    "CREATE TABLE t (a int) WITH ()",
    "CREATE TABLE t (a int) WITHOUT OIDS",
    "CREATE TABLE t (a int) WITH OIDS",
    "CREATE TABLE t (a int) WITH (oids = false)",
    "CREATE TABLE t (a int) WITH (oids)",
    "CREATE TABLE t WITHOUT OIDS AS SELECT 1 AS a",
    "CREATE TABLE t WITH (fillfactor = 50) AS SELECT 1 AS a",
    "CREATE TEMP TABLE t (a int) WITH (fillfactor = 50) ON COMMIT DROP",
    "CREATE MATERIALIZED VIEW t WITH (fillfactor = 50) AS SELECT 1 AS a",
    "CREATE MATERIALIZED VIEW t WITH (fillfactor = 5) AS SELECT 1 AS a",
    "CREATE INDEX i ON o (a) WITH (fillfactor = 50)",
    "CREATE INDEX i ON o (a) WITH (fillfactor = 101)",
    "CREATE INDEX i ON o (a) WITH (buffering = on)",
    "CREATE INDEX i ON o (a) WITH (toast.fillfactor = 50)",
    "CREATE INDEX i ON o USING btree (a) WITH (deduplicate_items = off)",
    "CREATE INDEX i ON o USING nothing (a)",
]


def ours(statement: str) -> tuple[str, str, str | None] | None:
    try:
        parse(statement)
    except PtvcError as error:
        return error.sqlstate, error.message, error.detail
    return None


def theirs(
    oracle: psycopg.Connection[tuple[object, ...]], statement: str
) -> tuple[str, str, str | None] | None:
    try:
        with oracle.transaction(force_rollback=True):
            oracle.execute("CREATE TABLE o (a int, p point, x int[])")
            oracle.execute(statement)  # type: ignore[arg-type]
    except psycopg.Error as error:
        return error.sqlstate or "", error.diag.message_primary or "", error.diag.message_detail
    return None


def test_as_postgres_does(oracle: psycopg.Connection[tuple[object, ...]]) -> None:
    statements = [*cases(), *OTHERS]
    assert len(statements) > 900
    different = {
        statement: (mine, other)
        for statement in statements
        if (mine := ours(statement)) != (other := theirs(oracle, statement))
    }
    assert different == {}


def node(statement: str) -> StatementNode:
    (only,) = parse(statement)
    return only.node


def test_beside_our_own_options() -> None:
    table = node(
        "CREATE TABLE t (a int) WITH (fillfactor = 70, RETAIN HISTORY FOR '2s', parallel_workers = 2)"
    )
    assert isinstance(table, CreateTableStatement)
    assert table.retain_history_ms == 2000
    view = node("CREATE MATERIALIZED VIEW v WITH (ASSERT NOT NULL a, fillfactor = 70) AS SELECT 1 AS a")
    assert isinstance(view, CreateMaterializedViewStatement)
    assert [name.parts for name in view.assert_not_null] == [("a",)]
    node("CREATE INDEX ON t USING arrangement (a)")
    with pytest.raises(PtvcError, match='option "partition by" is not supported'):
        parse("CREATE TABLE t (a int) WITH (PARTITION BY (a))")
