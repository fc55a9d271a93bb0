"""Window functions give PostgreSQL's rows and errors: functions by frames by orders by types, with NULLs and ties."""

from __future__ import annotations

import datetime
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from random import Random
from typing import Any

import psycopg
import pytest
from ptvc.compute.oneshot import evaluate_once
from ptvc.errors import PtvcError
from ptvc.repr.batch import Batch, batch_from_rows
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import (
    BOOL,
    DATE,
    FLOAT4,
    FLOAT8,
    INT2,
    INT4,
    INT8,
    NUMERIC,
    TEXT,
    TIMESTAMP,
    Kind,
    ScalarType,
)
from ptvc.sql.catalog.catalog_view import ItemKind
from ptvc.sql.parser.parse import parse
from ptvc.sql.plan import plan
from ptvc.sql.plans.query_plans import Select
from ptvc.transform.pipeline import optimize

from .fake_catalog import CONTEXT, FakeCatalog
from .test_queries_against_postgres import finish

MONEY = ScalarType(Kind.NUMERIC, 10, 2)
COLUMNS: dict[str, tuple[ScalarType, str, tuple[Any, ...]]] = {
    "p": (INT4, "int4", (1, 1, 2, 3, None)),
    "i2": (INT2, "int2", (-32768, 0, 1, 2, 5, 32767, None)),
    "i4": (INT4, "int4", (-(2**31), 0, 1, 2, 3, 5, 2**31 - 1, None)),
    "i8": (INT8, "int8", (-(2**63), 0, 1, 4, 2**63 - 1, None)),
    "f4": (FLOAT4, "float4", (0.5, -1.0, 2.25, float("nan"), float("inf"), None)),
    "f8": (FLOAT8, "float8", (0.5, -1.5, 2.0, 100.0, float("nan"), float("-inf"), float("inf"), None)),
    "m": (
        MONEY,
        "numeric(10,2)",
        (Decimal("0.50"), Decimal("-3.25"), Decimal("1.00"), Decimal("7.75"), None),
    ),
    "n": (NUMERIC, "numeric", (Decimal("0.125"), Decimal("-3"), Decimal("1000000.5"), None)),
    "s": (TEXT, "text", ("", "a", "b", "ab", "é", None)),
    "b": (BOOL, "bool", (True, False, None)),
    "d": (DATE, "date", (datetime.date(2024, 1, 1), datetime.date(1999, 12, 31), None)),
    "ts": (TIMESTAMP, "timestamp", (datetime.datetime(2024, 1, 1, 12), datetime.datetime(2020, 2, 29), None)),
}
SCHEMA = Schema(tuple(Column(name, type_) for name, (type_, _, _) in COLUMNS.items()))
CATALOG = FakeCatalog()
TABLE = CATALOG.add("public", "x", ItemKind.TABLE, SCHEMA)
WINDOW_CONTEXT = replace(CONTEXT, catalog=CATALOG)
NUMBERS = ("i2", "i4", "i8", "f4", "f8", "m", "n")


@pytest.fixture(scope="module")
def world(oracle_uri: str) -> Iterator[tuple[psycopg.Connection, dict[str, Batch]]]:
    random = Random(11)
    rows = [tuple(random.choice(values) for _, _, values in COLUMNS.values()) for _ in range(40)]
    rows += random.sample(rows, 6)
    with psycopg.connect(oracle_uri, autocommit=True) as connection:
        connection.execute("create schema windows")
        connection.execute("set search_path = windows")
        columns = ", ".join(f"{name} {type_}" for name, (_, type_, _) in COLUMNS.items())
        connection.execute(f"create table x ({columns})")  # type: ignore[arg-type]
        with connection.cursor() as cursor, cursor.copy("copy x from stdin") as copy:
            for row in rows:
                copy.write_row(row)
        yield connection, {TABLE: batch_from_rows(SCHEMA, rows, 1)}
        connection.execute("drop schema windows cascade")


def total_order(random: Random) -> str:
    columns = random.sample(list(COLUMNS), len(COLUMNS))
    return ", ".join(_key(random, column) for column in columns)


def _key(random: Random, column: str) -> str:
    return f"{column} {random.choice(('asc', 'desc'))} nulls {random.choice(('first', 'last'))}"


_OFFSETS = {"i2": "2", "i4": "2", "i8": "3::int8", "f4": "1.5", "f8": "1e0", "m": "1.25", "n": "2"}


def frame(random: Random, unit: str, offsets: tuple[str, str]) -> str:
    starts = ["unbounded preceding", f"{offsets[0]} preceding", "current row", f"{offsets[0]} following"]
    ends = [f"{offsets[1]} preceding", "current row", f"{offsets[1]} following", "unbounded following"]
    start = random.randrange(len(starts))
    end = random.randrange(max(0, start - 1) if start < 2 else start - 1, len(ends))
    if start == 3:
        end = max(end, 2)
    exclude = random.choice(("", "", " exclude current row", " exclude group", " exclude ties"))
    return f"{unit} between {starts[start]} and {ends[end]}{exclude}"


def query(random: Random) -> str:
    """Functions of places over a total order; those of values over any, as they may not depend on ties."""
    partition = random.choice(("", "partition by p ", "partition by b, p "))
    number = random.choice(NUMBERS)
    any_column = random.choice(list(COLUMNS))
    exact = random.choice(("i2", "i4", "i8", "m", "n"))
    places = [
        "row_number()",
        "ntile(4)",
        "ntile(100)",
        f"lag({any_column})",
        f"lead({any_column}, 2)",
        f"lag({any_column}, p)",
        "lag(i4, 3, 7)",
        "lead(s, -1, 'none')",
        "lead(m, 1, 0)",
        f"first_value({any_column})",
        f"last_value({any_column})",
        f"nth_value({any_column}, 3)",
        f"nth_value({any_column}, p)",
        f"array_agg({random.choice(('i4', 's', 'd'))})",
        "array_agg(s) filter (where b)",
        "string_agg(s, '/')",
        "string_agg(s, s) filter (where i4 > 0)",
        "jsonb_agg(i4)",
        "json_agg(s) filter (where not b)",
    ]
    values = [
        "rank()",
        "dense_rank()",
        "percent_rank()",
        "cume_dist()",
        "count(*)",
        f"count({any_column})",
        f"sum({exact})",
        "sum(f8)",
        f"avg({exact})",
        f"min({random.choice([c for c in COLUMNS if c != 'b'])})",
        f"max({random.choice([c for c in COLUMNS if c != 'b'])})",
        "bool_and(b)",
        "bool_or(b)",
        "count(*) filter (where b)",
        f"sum({exact}) filter (where i4 > 0)",
    ]
    unit = random.choice(("rows", "groups", "range"))
    total = f"{partition}order by {total_order(random)}"
    window = total
    if unit == "rows":
        clause = frame(random, unit, (str(random.randrange(4)), str(random.randrange(4))))
    elif unit == "groups":
        clause = frame(random, unit, ("1", "2"))
        window = f"{partition}order by {_key(random, random.choice(list(COLUMNS)))}"
    else:
        clause = frame(random, unit, (_OFFSETS[number], _OFFSETS[number]))
        window = f"{partition}order by {_key(random, number)}"
    if random.random() < 0.2:
        clause = ""
    chosen = random.sample(values, 3)
    if window is total:
        chosen += random.sample(places, 3)
    calls = [f"{call} over ({window} {clause})" for call in chosen]
    calls += [f"{call} over (w {clause if unit == 'rows' else ''})" for call in random.sample(places, 2)]
    return f"select {', '.join(COLUMNS)}, {', '.join(calls)} from x window w as ({total})"


def plain(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """Numerics by value, to the digits that PostgreSQL keeps of a quotient; floats by their text."""

    def value(v: Any) -> Any:
        if isinstance(v, str) and v.startswith(
            "["
        ):  # a document, which the client has read already on its side
            v = json.loads(v)
        if isinstance(v, list):
            return tuple(v)
        if isinstance(v, Decimal):
            return round(v, 8).normalize() + 0
        return f"{v:.12g}" if isinstance(v, float) else v

    return tuple(map(value, row))


@pytest.mark.parametrize("seed", range(120))
def test_rows_are_those_of_postgres(seed: int, world: tuple[psycopg.Connection, dict[str, Batch]]) -> None:
    connection, inputs = world
    text = query(Random(seed))
    cursor = connection.execute(text)  # type: ignore[arg-type]
    wanted = Counter(map(plain, cursor.fetchall()))
    select = plan(parse(text)[0], WINDOW_CONTEXT)
    assert isinstance(select, Select)
    assert cursor.description is not None
    assert [column.name for column in select.schema] == [d.name for d in cursor.description]
    assert [column.type.oid for column in select.schema] == [d.type_code for d in cursor.description]
    got = Counter(map(plain, finish(select, optimize(select.relation), inputs)))
    assert got == wanted, text


REFUSED = [
    "select i4 from x where row_number() over () = 1",
    "select i4 from x group by rank() over ()",
    "select count(*) from x having rank() over () > 1",
    "select * from x join x y on rank() over () = 1",
    "select sum(rank() over ()) from x",
    "select sum(i4) filter (where rank() over () = 1) from x",
    "select rank() over (order by rank() over ()) from x",
    "select lag(rank() over ()) over () from x",
    "select 1 limit rank() over ()",
    "values (rank() over ())",
    "select rank() from x",
    "select row_number() filter (where b) over () from x",
    "select count(distinct i4) over () from x",
    "select sum(i4 order by i8) over () from x",
    "select lower(s) over () from x",
    "select nope(s) over () from x",
    "select rank(i4) over () from x",
    "select ntile(i8) over () from x",
    "select lag(i4, 1, 'a'::text) over () from x",
    "select nth_value(s) over () from x",
    "select rank() over w from x",
    "select rank() over (w) from x",
    "select rank() over w from x window w as (order by i4), w as (order by i8)",
    "select rank() over (w partition by p) from x window w as (partition by i4)",
    "select rank() over (w order by p) from x window w as (order by i4)",
    "select rank() over (w) from x window w as (order by i4 rows 1 preceding)",
    "select rank() over (w order by i4) from x window w as (rows 1 preceding)",
    "select 1 from x window w as (order by nope)",
    "select sum(i4) over (order by i4, i8 range 1 preceding) from x",
    "select sum(i4) over (range 1 preceding) from x",
    "select sum(i4) over (groups 1 preceding) from x",
    "select sum(i4) over (order by s range 1 preceding) from x",
    "select sum(i4) over (order by i4 range 1.5 preceding) from x",
    "select sum(i4) over (order by m range 1e0::float8 preceding) from x",
    "select sum(i4) over (order by i4 rows i4 preceding) from x",
    "select sum(i4) over (order by i4 rows true preceding) from x",
    "select sum(i4) over (order by i4 rows 'a' preceding) from x",
    "select sum(i4) over (rows unbounded following) from x",
    "select sum(i4) over (rows between unbounded following and current row) from x",
    "select sum(i4) over (rows between current row and unbounded preceding) from x",
    "select sum(i4) over (rows between current row and 1 preceding) from x",
    "select sum(i4) over (rows between 1 following and 1 preceding) from x",
    "select sum(i4) over (rows between 1 following and current row) from x",
    "select sum(i4) over (rows 1 following) from x",
    "select sum(i4) over (rows 1) from x",
    "select sum(i4) over (rows between 1 preceding) from x",
    "select sum(i4) over (order by i4 rows current row exclude nothing) from x",
    "select lag(i4 ignore nulls) over () from x",
    "select i4, sum(i8) over (partition by i2) from x group by i4",
    # errors of rows
    "select ntile(0) over () from x",
    "select ntile(-1) over (partition by p) from x",
    "select nth_value(i4, 0) over () from x",
    "select count(*) over (order by i4 rows -1 preceding) from x",
    "select count(*) over (order by i4 rows between current row and -1 following) from x",
    "select count(*) over (order by i4 rows null preceding) from x",
    "select count(*) over (order by i4 groups between current row and null following) from x",
    "select count(*) over (order by i4 range -1 preceding) from x",
    "select count(*) over (order by f8 range 'nan' preceding) from x",
    "select count(*) over (order by i4 range null preceding) from x",
    "select sum(f8) over (order by p rows 1 preceding) from (select 1 as p, '1e308'::float8 as f8 union all select 2, '1e308') y",
]


@pytest.mark.parametrize("text", REFUSED)
def test_errors_are_those_of_postgres(text: str, world: tuple[psycopg.Connection, dict[str, Batch]]) -> None:
    connection, inputs = world
    with pytest.raises(psycopg.Error) as theirs:
        connection.execute(text).fetchall()  # type: ignore[arg-type]
    diagnosis = theirs.value.diag
    try:
        select = plan(parse(text)[0], WINDOW_CONTEXT)
    except PtvcError as error:
        mine = (error.sqlstate, error.message)
    else:
        assert isinstance(select, Select)
        errs = evaluate_once(optimize(select.relation), inputs, 1).errs
        mine = (errs.columns[0][0].as_py(), errs.columns[1][0].as_py())
    assert mine == (diagnosis.sqlstate, diagnosis.message_primary)


def test_a_row_error_needs_a_row(world: tuple[psycopg.Connection, dict[str, Batch]]) -> None:
    connection, inputs = world
    text = "select ntile(0) over (), nth_value(p, 0) over () from x where false"
    assert connection.execute(text).fetchall() == []
    select = plan(parse(text)[0], WINDOW_CONTEXT)
    assert isinstance(select, Select)
    assert finish(select, optimize(select.relation), inputs) == []


def test_qualify_sees_windows_and_aliases(world: tuple[psycopg.Connection, dict[str, Batch]]) -> None:
    connection, inputs = world
    inner = "select p, i4, rank() over (partition by p order by i4) as place from x"
    wanted = Counter(connection.execute(f"select * from ({inner}) y where place between 2 and 3").fetchall())  # type: ignore[arg-type]
    for condition in (
        "place between 2 and 3",
        "rank() over (partition by p order by i4) in (2, 3)",
    ):
        select = plan(parse(f"{inner} qualify {condition}")[0], WINDOW_CONTEXT)
        assert isinstance(select, Select)
        assert Counter(finish(select, optimize(select.relation), inputs)) == wanted


@pytest.mark.parametrize("order", ["i4 nulls first", "i4 desc nulls first", "i4"])
def test_ignored_nulls_are_those_that_an_array_leaves_out(
    order: str, world: tuple[psycopg.Connection, dict[str, Batch]]
) -> None:
    """PostgreSQL has no IGNORE NULLS; ties are of one value."""
    connection, inputs = world
    frame = f"(partition by p order by {order} rows between unbounded preceding and 1 preceding)"
    known = "array_agg(i4) filter (where i4 is not null) over w"
    wanted = connection.execute(  # type: ignore[call-overload]
        f"select p, i4, ({known})[count(i4) over w], ({known})[count(i4) over w - 1], ({known})[1], ({known})[2]"
        f" from x window w as {frame}"
    ).fetchall()
    text = (
        "select p, i4, lag(i4) ignore nulls over v, lag(i4, 2) ignore nulls over v, first_value(i4) ignore nulls over w,"
        f" nth_value(i4, 2) ignore nulls over w from x window w as {frame}, v as (partition by p order by {order})"
    )
    select = plan(parse(text)[0], WINDOW_CONTEXT)
    assert isinstance(select, Select)
    assert Counter(finish(select, optimize(select.relation), inputs)) == Counter(wanted)


@pytest.mark.parametrize(
    ("call", "sqlstate"),
    [
        ("sum(i4) ignore nulls over ()", "0A000"),
        ("rank() respect nulls over ()", "0A000"),
        ("lag(i4) ignore nulls", "42601"),
        ("lower('t') ignore nulls over ()", "42809"),
    ],
)
def test_where_no_nulls_are_ignored(call: str, sqlstate: str) -> None:
    with pytest.raises(PtvcError) as error:
        plan(parse(f"select {call} from x")[0], WINDOW_CONTEXT)
    assert error.value.sqlstate == sqlstate
