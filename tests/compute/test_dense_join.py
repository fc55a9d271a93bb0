"""Joins by a table of numbers: the same rows as by the operators."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import date, timedelta
from random import Random
from typing import Any

import pytest
from ptvc.compute import dense_join
from ptvc.compute.dense_keys import of_dense_keys
from ptvc.compute.oneshot import evaluate_once
from ptvc.expr.registry import resolve_call
from ptvc.expr.tree.relation import Filter, Get, Join, JoinKind, Project, Relation
from ptvc.expr.tree.scalar import ColumnRef, Literal
from ptvc.repr.batch import NO_ERRORS, Batch
from ptvc.repr.rows import Rows
from ptvc.repr.schema import ERROR_SCHEMA, Schema
from ptvc.repr.types import DATE, FLOAT8, INT2, INT4, INT8, TEXT

from .histories import batch_of, schema_of, updates_of

MANY = schema_of(INT4, TEXT, FLOAT8)
FEW = schema_of(FLOAT8, INT4)
LEFT, RIGHT = Get("many", MANY), Get("few", FEW)
DENSE = (JoinKind.INNER, JoinKind.LEFT, JoinKind.SEMI, JoinKind.ANTI)


def many(random: Random, count: int = 400) -> Batch:
    def row() -> tuple[Any, ...]:
        key = random.choice((None, *range(-4, 40), -(2**31), 2**31 - 1))
        return key, random.choice((None, "a", "b")), random.random()

    return batch_of(MANY, [(row(), 3, random.choice((1, 1, 3))) for _ in range(count)])


def few(random: Random, *, twice: bool = False) -> Batch:
    keys: list[int | None] = random.sample(range(-2, 30), random.randint(0, 25))
    keys += [None] * random.randint(0, 2) + (keys[:1] if twice else [])
    return batch_of(FEW, [((random.choice((None, 0.5)), key), 3, 1) for key in keys])


def in_pieces(schema: Schema, batch: Batch, random: Random) -> Rows:
    """Some rows were there once more, and were taken away."""
    cut = random.randint(0, len(batch))
    more = batch.slice(0, min(5, len(batch)))
    pieces = (batch.slice(0, cut), more, batch.slice(cut, len(batch)), more.negate())
    return Rows(schema, 3, tuple(piece for piece in pieces if len(piece)), NO_ERRORS)


def rows(relation: Relation, inputs: dict[str, Batch]) -> Counter[str]:
    delta = evaluate_once(relation, inputs, 3)
    assert not len(delta.errs)
    return Counter({repr(row): n for row, _, n in updates_of(delta.oks)})


@pytest.mark.parametrize("kind", DENSE)
@pytest.mark.parametrize("seed", range(25))
def test_the_same_rows(kind: JoinKind, seed: int) -> None:
    random = Random(seed)
    batches = {"many": many(random), "few": few(random, twice=kind not in (JoinKind.INNER, JoinKind.LEFT))}
    left: Relation = LEFT
    if random.random() < 0.3:
        left = Filter(left, (resolve_call("gt", (ColumnRef(0, INT4), Literal(3, INT4))),))
    query: Relation = Join(left, RIGHT, kind, (ColumnRef(0, INT4),), (ColumnRef(1, INT4),))
    if kind is JoinKind.INNER and random.random() < 0.5:
        query = Join(RIGHT, left, kind, (ColumnRef(1, INT4),), (ColumnRef(0, INT4),))
    pieces = {
        "many": in_pieces(MANY, batches["many"], random),
        "few": Rows(FEW, 3, (batches["few"],), NO_ERRORS),
    }
    found, contents = of_dense_keys(query, pieces)
    if len(batches["few"]) * dense_join.FEWER <= len(contents["many"]) // 4:
        assert isinstance(found, Get)
    assert rows(found, {id_: each.delta.oks for id_, each in contents.items()}) == rows(query, batches)


def test_what_stands_twice_stays_one_and_facts_are_handed_on() -> None:
    random = Random(3)
    batch = batch_of(FEW, [((0.25, key), 3, 1) for key in range(20)])
    pieces = {"many": Rows(MANY, 3, (many(random),), NO_ERRORS), "few": Rows(FEW, 3, (batch,), NO_ERRORS)}
    join = Join(LEFT, RIGHT, JoinKind.INNER, (ColumnRef(0, INT4),), (ColumnRef(1, INT4),))
    both = Join(join, join, JoinKind.FULL, (ColumnRef(1, TEXT),), (ColumnRef(1, TEXT),))
    found, contents = of_dense_keys(Project(both, (0,)), pieces)
    assert isinstance(found, Project)
    assert isinstance(found.input, Join)
    assert found.input.left is found.input.right
    assert isinstance(found.input.left, Get)
    joined = contents[found.input.left.id]
    assert joined.floats(2) == pieces["many"].floats(2)
    assert joined.floats(3) == pieces["few"].floats(0)


@pytest.mark.parametrize("kind", DENSE)
def test_keys_of_int2_further_apart_than_its_greatest(kind: JoinKind) -> None:
    schema = schema_of(INT2)
    least, greatest = -(2**15), 2**15 - 1
    sparse = [*range(least, greatest, dense_join.SPARSE), greatest]
    batches = {
        "many": batch_of(schema, [((key,), 3, 1) for key in range(least, greatest + 1)]),
        "few": batch_of(schema, [((key,), 3, 1) for key in sparse]),
    }
    query = Join(Get("many", schema), Get("few", schema), kind, (ColumnRef(0, INT2),), (ColumnRef(0, INT2),))
    found, contents = of_dense_keys(
        query, {id_: Rows(schema, 3, (batch,), NO_ERRORS) for id_, batch in batches.items()}
    )
    assert isinstance(found, Get)
    assert rows(found, {found.id: contents[found.id].delta.oks}) == rows(query, batches)


@pytest.mark.parametrize("kind", DENSE)
def test_dates(kind: JoinKind) -> None:
    schema, first = schema_of(DATE), date(2024, 1, 1)
    batches = {
        "many": batch_of(
            schema, [((None if n == 7 else first + timedelta(n % 40),), 3, 1) for n in range(200)]
        ),
        "few": batch_of(schema, [((first + timedelta(n),), 3, 1) for n in range(0, 45, 3)]),
    }
    query = Join(Get("many", schema), Get("few", schema), kind, (ColumnRef(0, DATE),), (ColumnRef(0, DATE),))
    found, contents = of_dense_keys(
        query, {id_: Rows(schema, 3, (batch,), NO_ERRORS) for id_, batch in batches.items()}
    )
    assert isinstance(found, Get)
    assert rows(found, {found.id: contents[found.id].delta.oks}) == rows(query, batches)


SPREAD = batch_of(FEW, [((0.5, key * 1_000), 3, 1) for key in range(5)])
TWICE = batch_of(FEW, [((0.5, 1), 3, 1), ((0.25, 1), 3, 1)])
REPEATED = batch_of(FEW, [((0.5, 1), 3, 2)])
EXPRESSION = resolve_call("add", (ColumnRef(0, INT4), Literal(1, INT4)))


@pytest.mark.parametrize("batch", [SPREAD, TWICE, REPEATED], ids=["far apart", "not unique", "counted"])
def test_keys_for_which_there_is_no_table(batch: Batch) -> None:
    join = Join(LEFT, RIGHT, JoinKind.INNER, (ColumnRef(0, INT4),), (ColumnRef(1, INT4),))
    inputs = {"many": Rows(MANY, 3, (many(Random(1)),), NO_ERRORS), "few": Rows(FEW, 3, (batch,), NO_ERRORS)}
    assert of_dense_keys(join, inputs) == (join, inputs)


@pytest.mark.parametrize(
    "join",
    [
        Join(LEFT, RIGHT, JoinKind.FULL, (ColumnRef(0, INT4),), (ColumnRef(1, INT4),)),
        Join(LEFT, RIGHT, JoinKind.INNER, (ColumnRef(0, INT4),), (ColumnRef(1, INT4),), null_safe=True),
        Join(LEFT, RIGHT, JoinKind.INNER, (EXPRESSION,), (ColumnRef(1, INT4),)),
        Join(LEFT, RIGHT, JoinKind.INNER, (ColumnRef(2, FLOAT8),), (ColumnRef(0, FLOAT8),)),
        Join(LEFT, Get("long", schema_of(INT8)), JoinKind.SEMI, (ColumnRef(0, INT4),), (ColumnRef(0, INT8),)),
        Join(LEFT, RIGHT, JoinKind.INNER, (), ()),
    ],
    ids=["full", "null safe", "computed", "floats", "other types", "cross"],
)
def test_joins_of_another_kind(join: Join) -> None:
    batch = batch_of(FEW, [((0.5, key), 3, 1) for key in range(5)])
    inputs = {"many": Rows(MANY, 3, (many(Random(1)),), NO_ERRORS), "few": Rows(FEW, 3, (batch,), NO_ERRORS)}
    assert of_dense_keys(join, inputs) == (join, inputs)


def test_errors_leave_it_to_the_operators() -> None:
    join = Join(LEFT, RIGHT, JoinKind.SEMI, (ColumnRef(0, INT4),), (ColumnRef(1, INT4),))
    batch = batch_of(FEW, [((0.5, key), 3, 1) for key in range(5)])
    errors = batch_of(ERROR_SCHEMA, [(("22012", "division by zero"), 3, 1)])
    inputs = {"many": Rows(MANY, 3, (many(Random(1)),), errors), "few": Rows(FEW, 3, (batch,), NO_ERRORS)}
    assert of_dense_keys(join, inputs) == (join, inputs)


def test_nothing_is_computed_of_a_join_that_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither of one between many rows, nor of the many rows of one whose keys have no table."""
    computed: list[Relation] = []
    rows_of = dense_join.rows_of_chain

    def noted(query: Relation, inputs: Mapping[str, Rows]) -> Rows | None:
        computed.append(query)
        return rows_of(query, inputs)

    monkeypatch.setattr(dense_join, "rows_of_chain", noted)
    positive = (resolve_call("gt", (ColumnRef(0, INT4), Literal(0, INT4))),)
    join = Join(Filter(LEFT, positive), RIGHT, JoinKind.SEMI, (ColumnRef(0, INT4),), (ColumnRef(1, INT4),))
    as_many = batch_of(FEW, [((0.5, key), 3, 1) for key in range(300)])
    for few_rows, wanted in ((as_many, []), (SPREAD, [RIGHT])):
        computed.clear()
        inputs = {
            "many": Rows(MANY, 3, (many(Random(1)),), NO_ERRORS),
            "few": Rows(FEW, 3, (few_rows,), NO_ERRORS),
        }
        assert of_dense_keys(join, inputs) == (join, inputs)
        assert computed == wanted
