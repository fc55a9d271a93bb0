"""jsonb: every operator, function and path of testdata gives PostgreSQL's value or error, on documents of every shape."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest
from ptvc.compute.oneshot import evaluate_once
from ptvc.errors import PtvcError
from ptvc.expr.text.text_format import to_text
from ptvc.sql.plans.query_plans import Select

from .fake_catalog import planned

DATA = Path(__file__).parent / "testdata"


def _lines(name: str) -> list[str]:
    return [line for line in (DATA / f"{name}.sql").read_text().splitlines() if line]


Answer = list[tuple[str | None, ...]] | tuple[str, str]
"""Rows as text, or the SQLSTATE and the message."""


def ours(sql: str) -> Answer:
    try:
        select = planned(sql)
    except PtvcError as error:
        return error.sqlstate, error.message
    assert isinstance(select, Select)
    result = evaluate_once(select.relation, {}, 1)
    if len(result.errs):
        return result.errs.columns[0][0].as_py(), result.errs.columns[1][0].as_py()
    texts = [
        to_text(result.oks.columns[index], select.relation.schema[index].type).to_pylist()
        for index in select.finishing.indices
    ]
    diffs = result.oks.diffs.tolist()
    return sorted(
        (row for row, diff in zip(zip(*texts, strict=True), diffs, strict=True) for _ in range(diff)),
        key=repr,
    )


def theirs(connection: psycopg.Connection, sql: str) -> Answer:
    try:
        cursor = connection.execute(sql)  # type: ignore[arg-type]
    except psycopg.Error as error:
        return error.sqlstate or "", error.diag.message_primary or ""
    result = cursor.pgresult
    assert result is not None
    values = [
        tuple(result.get_value(row, column) for column in range(result.nfields))
        for row in range(result.ntuples)
    ]
    return sorted(
        (tuple(None if value is None else bytes(value).decode() for value in row) for row in values), key=repr
    )


@pytest.mark.parametrize("name", ["jsonb_expressions", "jsonb_paths"])
def test_values_and_errors_are_those_of_postgres(oracle: psycopg.Connection, name: str) -> None:
    wrong = []
    for line in _lines(name):
        sql = line if line.startswith("SELECT") else f"SELECT ({line})::text"
        mine, wanted = ours(sql), theirs(oracle, sql)
        if mine != wanted:
            wrong.append(f"{sql}\n    ours {mine}\n    PostgreSQL {wanted}")
    assert not wrong, "\n".join(wrong)


REFUSED = (
    "SELECT jsonb_path_query('{}', '$ ? (@.a like_regex \"x\")')",
    "SELECT jsonb_path_query('{}', '$.keyvalue()')",
    "SELECT DISTINCT a::text::jsonb AS d FROM t ORDER BY d",
    "SELECT '1'::jsonb AS d UNION SELECT '2' ORDER BY d",
    "SELECT mode() WITHIN GROUP (ORDER BY a::text::jsonb) FROM t",
    "SELECT jsonb_agg(DISTINCT a ORDER BY a) FROM t",
    "SELECT array_agg(DISTINCT a::text::jsonb ORDER BY a::text::jsonb) FROM t",
    "SELECT jsonb_populate_record(NULL, '{}')",
    "SELECT * FROM jsonb_to_recordset('[]')",
)


@pytest.mark.parametrize("sql", REFUSED)
def test_what_is_not_supported_is_refused(sql: str) -> None:
    with pytest.raises(PtvcError) as caught:
        planned(sql)
    assert caught.value.sqlstate == "0A000", caught.value


def test_equality_and_order_are_of_keys() -> None:
    """So that joins, which hash and compare columns, hold 1.0 and 1.00 equal."""
    (row,) = ours(
        "SELECT a.x = b.x FROM (SELECT '1.0'::jsonb AS x) a JOIN (SELECT '1.00'::jsonb AS x) b USING (x)"
    )
    assert row == ("t",)
