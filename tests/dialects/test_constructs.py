"""Constructs of other warehouses: what they become has the values that they have there, or they are refused.

DuckDB and Spark are asked themselves.  The others cannot be: their values are written down, with the page of their documentation that they
are to be compared with (`constructs/*.txt`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest
from ptvc.check.environment import Environment
from ptvc.compute.spark.session import spark_session, stop_session
from ptvc.dialects.translate import translate
from ptvc.errors import PtvcError

from .constructs import constructs, documented, queries, rows

ORACLES = ("databricks", "duckdb")
DIALECTS = ("bigquery", "databricks", "duckdb", "redshift", "snowflake")

Ask = Callable[[str], list[tuple[Any, ...]]]


@pytest.fixture(scope="module")
def environment() -> Environment:
    return Environment(1_700_000_000_000_000)


@pytest.fixture(scope="module")
def ask_duckdb() -> Iterator[Ask]:
    with duckdb.connect() as connection:
        connection.execute("SET timezone = 'UTC'")
        yield lambda sql: connection.execute(sql).fetchall()


@pytest.fixture(scope="module")
def ask_spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    """Spark SQL, which Databricks' is made of, in ANSI mode as there."""
    settings = {
        "spark.sql.shuffle.partitions": "1",
        "spark.default.parallelism": "1",
        "spark.sql.ansi.enabled": "true",
    }
    session = spark_session("local[1]", "oracle", settings, directory=tmp_path_factory.mktemp("spark"))
    session.sparkContext.setLogLevel("OFF")
    try:
        yield lambda sql: [tuple(row) for row in session.sql(sql).collect()]
    finally:
        stop_session(session)


def plain(value: Any) -> Any:
    """Dates and instants by what they say: the answer's type may be the other one's."""
    if isinstance(value, datetime):
        return value.replace(tzinfo=None)
    return value


def answer(found: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return [tuple(plain(value) for value in row) for row in found]


def check_all(dialect: str, ask: Ask, environment: Environment) -> None:
    """All in one question each way would hide which one differs, so there is one for each; all that differ are shown."""
    wrong = []
    for construct in constructs(dialect):
        sql = f"{rows(dialect)}select k, {construct} as v from t order by k"
        ours = answer(environment.rows(translate(sql, dialect))[1])
        theirs = answer(ask(sql))
        if ours != theirs:
            wrong.append((construct, [row[1] for row in theirs], [row[1] for row in ours]))
    assert wrong == []


def check_queries(dialect: str, ask: Ask, environment: Environment) -> None:
    wrong = []
    for query in queries(dialect):
        sql = rows(dialect) + query
        ours, theirs = answer(environment.rows(translate(sql, dialect))[1]), answer(ask(sql))
        if ours != theirs:
            wrong.append((query, theirs, ours))
    assert wrong == []


def test_duckdb(environment: Environment, ask_duckdb: Ask) -> None:
    check_all("duckdb", ask_duckdb, environment)


def test_queries_of_duckdb(environment: Environment, ask_duckdb: Ask) -> None:
    check_queries("duckdb", ask_duckdb, environment)


@pytest.mark.slow
def test_databricks(environment: Environment, ask_spark: Ask) -> None:
    check_all("databricks", ask_spark, environment)


def test_queries_of_databricks(environment: Environment, ask_spark: Ask) -> None:
    check_queries("databricks", ask_spark, environment)


def shown(value: Any) -> Any:
    """As the files of constructs write it."""
    match value:
        case datetime():
            return value.replace(tzinfo=None).isoformat(sep=" ")
        case date():
            return value.isoformat()
        case Decimal():
            return float(value)
        case _:
            return value


@pytest.mark.parametrize("dialect", ["bigquery", "redshift", "snowflake"])
def test_documented_values(dialect: str, environment: Environment) -> None:
    wrong = []
    for construct, expected, _source in documented(dialect):
        ours = environment.rows(translate(f"select {construct} as v", dialect))[1]
        if [shown(row[0]) for row in ours] != [expected]:
            wrong.append((construct, expected, ours))
    assert wrong == []


@pytest.mark.parametrize("dialect", DIALECTS)
def test_others_are_refused_at_their_place(dialect: str) -> None:
    """Each has a meaning that is not PostgreSQL's, or is not known to be."""
    for construct in constructs(f"refused-{dialect}"):
        sql = f"{rows(dialect)}select k,\n  {construct} as v\nfrom t"
        with pytest.raises(PtvcError) as caught:
            pytest.fail(f"{construct} became {translate(sql, dialect)}")
        assert caught.value.hint or caught.value.sqlstate == "42601", construct
        assert caught.value.position is not None, construct
        assert caught.value.position > sql.rfind("select k,\n"), construct


DOCUMENT = Path(__file__).parents[2] / "docs/sql/dialects.md"


def test_the_document_says_how_many_there_are() -> None:
    rows_ = {
        one: (
            len(constructs(one)) + (len(queries(one)) if one in ORACLES else 0),
            len(constructs(f"refused-{one}")),
        )
        for one in DIALECTS
    }
    lines = [f"| `{one}` | {taken} | {refused} |" for one, (taken, refused) in rows_.items()]
    assert "\n".join(lines) in DOCUMENT.read_text(encoding="utf-8")
    assert sum(taken for taken, _ in rows_.values()) >= 300
