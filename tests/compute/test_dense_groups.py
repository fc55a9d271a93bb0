"""Groups in a table by their keys: the same rows as by the operators."""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest
from ptvc.compute import dense_groups
from ptvc.compute.dense_keys import of_dense_keys
from ptvc.compute.oneshot import evaluate_once
from ptvc.compute.operators.reductions.digits import DigitSums
from ptvc.expr.functions.aggregates import resolve_aggregate
from ptvc.expr.registry import resolve_call
from ptvc.expr.tree.relation import Aggregate, Filter, Get, Join, JoinKind, Reduce, Relation
from ptvc.expr.tree.scalar import ColumnRef, Literal, Scalar
from ptvc.repr.batch import NO_ERRORS, Batch
from ptvc.repr.rows import Rows
from ptvc.repr.schema import ERROR_SCHEMA, Schema
from ptvc.repr.types import (
    BOOL,
    DATE,
    FLOAT4,
    FLOAT8,
    INT2,
    INT4,
    INT8,
    NUMERIC,
    ScalarType,
    derived_numeric,
)

from .histories import batch_of, schema_of, updates_of

MONEY = derived_numeric(2)
KEYS = (INT2, INT4, INT8, DATE)
VALUES = (INT2, INT4, INT8, FLOAT4, FLOAT8, MONEY, NUMERIC, BOOL)
FUNCTIONS = dict.fromkeys(VALUES, ("sum", "avg", "count")) | {BOOL: ("bool_and", "bool_or", "every", "count")}
RANGES = {INT2: 15, INT4: 31, INT8: 63}


@pytest.fixture(autouse=True)
def several_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """As of many rows."""
    monkeypatch.setattr(dense_groups, "ROWS_AT_ONCE", 16)
    monkeypatch.setattr(dense_groups, "ROWS_PER_PLACE", 1)


def key_of(number: int, type_: ScalarType) -> Any:
    return date(2024, 1, 1) + timedelta(number) if type_ == DATE else number


def value(random: Random, type_: ScalarType) -> Any:
    if random.random() < 0.15:
        return None
    if type_ == BOOL:
        return random.random() < 0.7
    if type_ in RANGES:
        bound = 1 << RANGES[type_]
        return random.choice((0, 1, -1, bound - 1, -bound, random.randrange(-bound, bound)))
    if type_ == FLOAT4:
        return float(np.float32(random.choice((0.0, 0.1, -0.25, random.uniform(-1e6, 1e6)))))
    if type_ == FLOAT8:
        return random.choice((0.0, -0.0, 0.1, -0.1, 1e9, random.uniform(-1, 1), random.uniform(-1, 1) * 1e12))
    if type_ == MONEY:
        return Decimal(random.randrange(-(10**37), 10**37)).scaleb(-2)
    return Decimal(random.randrange(-(10**9), 10**9)).scaleb(-random.randrange(5))


def rows_of(random: Random, schema: Schema) -> Batch:
    """Of few keys, so that some are NULL, some are not there, and some are there often."""
    keys = [None, *(key_of(number, schema[0].type) for number in random.sample(range(-40, 40), 12))]
    rows = [
        (
            (random.choice(keys), *(value(random, c.type) for c in schema.columns[1:])),
            3,
            random.choice((1, 1, 1, 3)),
        )
        for _ in range(random.choice((20, 150)))
    ]
    if random.random() < 0.5:
        rows = [(row, time, 1) for row, time, _ in rows]
    return batch_of(schema, rows)


def in_pieces(schema: Schema, batch: Batch, random: Random) -> Rows:
    """Some rows were there once more, and were taken away; of one piece none of the group is left."""
    cut = random.randint(0, len(batch))
    more = batch.slice(0, min(random.choice((0, 5)), len(batch)))
    gone = batch.slice(len(batch) // 2, len(batch) // 2 + 1)
    moved = Batch((key_column(schema), *gone.columns[1:]), gone.times, gone.diffs)
    pieces = (batch.slice(0, cut), more, moved, batch.slice(cut, len(batch)), more.negate(), moved.negate())
    return Rows(schema, 3, tuple(piece for piece in pieces if len(piece)), NO_ERRORS)


def key_column(schema: Schema) -> Any:
    return batch_of(schema_of(schema[0].type), [((key_of(50, schema[0].type),), 3, 1)]).columns[0]


def found_rows(relation: Relation, inputs: dict[str, Batch]) -> Counter[str]:
    delta = evaluate_once(relation, inputs, 3)
    assert not len(delta.errs)
    return Counter({repr(row): n for row, _, n in updates_of(delta.oks)})


def check(query: Relation, schema: Schema, batch: Batch, random: Random) -> None:
    found, contents = of_dense_keys(query, {"t": in_pieces(schema, batch, random)})
    assert isinstance(found, Get)
    assert [column.type for column in contents[found.id].pieces[0].columns] == [
        type_.arrow for type_ in query.schema.types
    ]
    by_table = {id_: rows.delta.oks for id_, rows in contents.items()}
    assert found_rows(found, by_table) == found_rows(query, {"t": batch})


@pytest.mark.parametrize("key", KEYS, ids=str)
@pytest.mark.parametrize("seed", range(30))
def test_the_same_rows(key: ScalarType, seed: int) -> None:
    random = Random(seed)
    schema = schema_of(key, *random.sample(VALUES, 3))
    aggregates = [Aggregate("count", None, INT8, "rows", nullable=False)]
    for place, column in enumerate(schema.columns[1:], 1):
        condition: Scalar | None = None
        if random.random() < 0.3:
            condition = resolve_call("is_not_null", (ColumnRef(0, key),))
        for function in FUNCTIONS[column.type]:
            _, result = resolve_aggregate(function, column.type)
            aggregates.append(
                Aggregate(
                    function, ColumnRef(place, column.type), result, f"{function}_{place}", filter=condition
                )
            )
    table: Relation = Get("t", schema)
    if random.random() < 0.3:
        table = Filter(table, (resolve_call("is_not_null", (ColumnRef(1, schema[1].type),)),))
    query = Reduce(table, (ColumnRef(0, key),), ("key",), tuple(aggregates))
    check(query, schema, rows_of(random, schema), random)


@pytest.mark.parametrize("seed", range(30))
def test_sums_of_floats_are_exact(seed: int) -> None:
    """Beside fractions, not what adding up from left to right gives."""
    random = Random(seed)
    spread = random.choice((0, 10, 60))
    rows = [
        (
            random.randrange(-3, 3),
            random.choice((-1, 1)) * random.random() * 2.0 ** random.uniform(-spread, spread),
        )
        for _ in range(400)
    ]
    wanted: dict[int, Fraction] = defaultdict(Fraction)
    for key, number in rows:
        wanted[key] += Fraction(number)
    batch = batch_of(SCHEMA, [(row, 3, 1) for row in rows])
    found, contents = of_dense_keys(SUM, {"t": in_pieces(SCHEMA, batch, random)})
    assert isinstance(found, Get)
    (piece,) = contents[found.id].pieces
    assert dict(zip(*(column.to_pylist() for column in piece.columns), strict=True)) == {
        key: float(total) for key, total in wanted.items()
    }


SCHEMA = schema_of(INT4, FLOAT8)
TABLE = Get("t", SCHEMA)
K, V = ColumnRef(0, INT4), ColumnRef(1, FLOAT8)
SUM = Reduce(TABLE, (K,), ("k",), (Aggregate("sum", V, FLOAT8, "s"),))


def test_computed_keys_and_what_is_above() -> None:
    half = resolve_call("modulo", (K, Literal(7, INT4)))
    twice = resolve_call("multiply", (V, Literal(2.0, FLOAT8)))
    grouped = Reduce(TABLE, (half,), ("h",), (Aggregate("sum", twice, FLOAT8, "s"),))
    query = Filter(grouped, (resolve_call("gt", (ColumnRef(1, FLOAT8), Literal(20.0, FLOAT8))),))
    batch = batch_of(SCHEMA, [((n % 40, n * 0.1), 3, 1) for n in range(100)])
    found, contents = of_dense_keys(query, {"t": Rows(SCHEMA, 3, (batch,), NO_ERRORS)})
    assert isinstance(found, Filter)
    assert isinstance(found.input, Get)
    by_table = {id_: rows.delta.oks for id_, rows in contents.items()}
    assert found_rows(found, by_table) == found_rows(query, {"t": batch})


def test_groups_of_a_join() -> None:
    few = schema_of(INT4, INT4)
    join = Join(TABLE, Get("few", few), JoinKind.INNER, (K,), (ColumnRef(0, INT4),))
    query = Reduce(join, (ColumnRef(3, INT4),), ("k",), (Aggregate("sum", V, FLOAT8, "s"),))
    batches = {
        "t": batch_of(SCHEMA, [((n % 9, n * 0.1), 3, 1) for n in range(100)]),
        "few": batch_of(few, [((n, n // 3), 3, 1) for n in range(6)]),
    }
    inputs = {
        id_: Rows(schema, 3, (batches[id_],), NO_ERRORS) for id_, schema in (("t", SCHEMA), ("few", few))
    }
    found, contents = of_dense_keys(query, inputs)
    assert isinstance(found, Get)
    assert found_rows(found, {found.id: contents[found.id].delta.oks}) == found_rows(query, batches)


@pytest.mark.parametrize("end", [-(2**63), 2**63 - 60])
def test_keys_at_the_ends_of_their_type(end: int) -> None:
    random = Random(end)
    schema = schema_of(INT8, INT8)
    keys = (None, *(end + random.randrange(60) for _ in range(30)), end, end + 59)
    batch = batch_of(schema, [((key, value(random, INT8)), 3, 1) for key in keys])
    total = Aggregate("sum", ColumnRef(1, INT8), derived_numeric(0), "s")
    query = Reduce(Get("t", schema), (ColumnRef(0, INT8),), ("k",), (total,))
    found, contents = of_dense_keys(query, {"t": Rows(schema, 3, (batch,), NO_ERRORS)})
    assert isinstance(found, Get)
    by_table = {found.id: contents[found.id].delta.oks}
    assert found_rows(found, by_table) == found_rows(query, {"t": batch})


def test_nothing_is_computed_of_keys_that_lie_far_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dense_groups, "rows_of_chain", lambda *_: pytest.fail("computed"))
    filtered = Filter(TABLE, (resolve_call("gt", (V, Literal(0.0, FLOAT8))),))
    query = Reduce(filtered, (K,), ("k",), SUM.aggregates)
    batch = batch_of(SCHEMA, [((n * 1_000, 0.5), 3, 1) for n in range(50)])
    inputs = {"t": Rows(SCHEMA, 3, (batch,), NO_ERRORS)}
    assert of_dense_keys(query, inputs) == (query, inputs)


def test_an_argument_of_several_aggregates_is_added_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    added: list[int] = []
    add = DigitSums.add

    def noted(sums: DigitSums, places: Any, values: Any, diffs: Any) -> None:
        added.append(len(values))
        add(sums, places, values, diffs)

    monkeypatch.setattr(DigitSums, "add", noted)
    both = tuple(Aggregate(function, V, FLOAT8, function) for function in ("sum", "avg"))
    batch = batch_of(SCHEMA, [((n % 5, 0.5), 3, 1) for n in range(16)])
    query = Reduce(TABLE, (K,), ("k",), both)
    found, _ = of_dense_keys(query, {"t": Rows(SCHEMA, 3, (batch,), NO_ERRORS)})
    assert isinstance(found, Get)
    assert added == [16]


def test_no_rows() -> None:
    found, contents = of_dense_keys(SUM, {"t": Rows(SCHEMA, 3, (), NO_ERRORS)})
    assert isinstance(found, Get)
    assert not len(contents[found.id])


OTHERS = {
    "two keys": Reduce(TABLE, (K, K), ("k", "l"), ()),
    "no key": Reduce(TABLE, (), (), SUM.aggregates),
    "a float": Reduce(TABLE, (V,), ("v",), ()),
    "least": Reduce(TABLE, (K,), ("k",), (Aggregate("min", V, FLOAT8, "m"),)),
    "distinct": Reduce(TABLE, (K,), ("k",), (Aggregate("count", V, INT8, "n", distinct=True),)),
}


@pytest.mark.parametrize("query", OTHERS.values(), ids=OTHERS.keys())
def test_groups_of_another_kind(query: Reduce) -> None:
    batch = batch_of(SCHEMA, [((n % 5, 0.5), 3, 1) for n in range(50)])
    inputs = {"t": Rows(SCHEMA, 3, (batch,), NO_ERRORS)}
    assert of_dense_keys(query, inputs) == (query, inputs)


LEFT_ALONE = {
    "far apart": [((n * 1_000, 0.5), 3, 1) for n in range(50)],
    "the ends": [((n, 0.5), 3, 1) for n in (-(2**31), 2**31 - 1)],
    "NaN": [((1, 0.5), 3, 1), ((2, float("nan")), 3, 1)],
    "infinity": [((1, 0.5), 3, 1), ((2, float("inf")), 3, 1)],
    "too large": [((1, 1.7e308), 3, 1), ((1, 1.7e308), 3, 1)],
    "far apart in size": [((1, 1e300), 3, 1), ((1, 1e-300), 3, 1)],
    "too many": [((1, 0.5), 3, 1 << 29)],
}


@pytest.mark.parametrize("updates", LEFT_ALONE.values(), ids=LEFT_ALONE.keys())
def test_what_is_left_to_others(updates: list[Any]) -> None:
    inputs = {"t": Rows(SCHEMA, 3, (batch_of(SCHEMA, updates),), NO_ERRORS)}
    assert of_dense_keys(SUM, inputs) == (SUM, inputs)


def test_errors_leave_it_to_the_operators() -> None:
    """Those of the collection, of a row's key, and of a result that does not fit."""
    batch = batch_of(SCHEMA, [((n % 5, 0.5), 3, 1) for n in range(50)])
    errors = batch_of(ERROR_SCHEMA, [(("22012", "division by zero"), 3, 1)])
    inputs = {"t": Rows(SCHEMA, 3, (batch,), errors)}
    assert of_dense_keys(SUM, inputs) == (SUM, inputs)
    failing = Reduce(TABLE, (resolve_call("divide", (Literal(1, INT4), K)),), ("k",), SUM.aggregates)
    inputs = {"t": Rows(SCHEMA, 3, (batch,), NO_ERRORS)}
    assert of_dense_keys(failing, inputs) == (failing, inputs)
    small = schema_of(INT4, FLOAT4)
    largest = batch_of(small, [((1, float(np.float32(3.4e38))), 3, 2)])
    query = Reduce(Get("t", small), (K,), ("k",), (Aggregate("sum", ColumnRef(1, FLOAT4), FLOAT4, "s"),))
    inputs = {"t": Rows(small, 3, (largest,), NO_ERRORS)}
    assert of_dense_keys(query, inputs) == (query, inputs)
    (error,) = updates_of(evaluate_once(query, {"t": largest}, 3).errs)
    assert error == (("22003", "value out of range: overflow"), 3, 1)
