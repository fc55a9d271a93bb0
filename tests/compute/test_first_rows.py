"""The first rows of an order over many rows: the same as when all of them are put in order."""

from __future__ import annotations

import math
from collections import Counter
from random import Random
from typing import Any

import pytest
from ptvc.compute import first_rows
from ptvc.compute.first_rows import MANY, of_first_rows
from ptvc.compute.oneshot import evaluate_once
from ptvc.expr.registry import resolve_call
from ptvc.expr.tree.relation import Filter, Get, OrderBy, Project, Relation, TopK
from ptvc.expr.tree.scalar import ColumnRef, Literal
from ptvc.repr.batch import NO_ERRORS, Batch
from ptvc.repr.rows import Rows
from ptvc.repr.types import DATE, FLOAT8, INT4, INT8, TEXT

from .histories import batch_of, schema_of, updates_of

T = schema_of(FLOAT8, INT4, INT8, DATE, TEXT)
FLOATS = (None, math.nan, -math.inf, -0.0, 0.0, 1.5, 2.5, math.inf)


def row(random: Random) -> tuple[Any, ...]:
    number = random.choice((None, random.randint(-3, 3), random.randint(-1_000, 1_000)))
    few = random.choice((random.choice(FLOATS), random.random()))
    return few, number, random.randint(-(2**62), 2**62), random.choice((None, random.randint(0, 9_000))), "x"


def removed(random: Random, batch: Batch) -> tuple[Batch, ...]:
    """The rows in pieces; some were there once more, and were taken away."""
    cut = random.randrange(len(batch))
    more = batch.slice(0, random.randint(0, 20))
    return batch.slice(0, cut), more, batch.slice(cut, len(batch)), more.negate()


def found(relation: Relation, inputs: dict[str, Batch]) -> Counter[str]:
    delta = evaluate_once(relation, inputs, 3)
    assert not len(delta.errs)
    return Counter({repr(row): n for row, _, n in updates_of(delta.oks)})


@pytest.mark.parametrize("seed", range(60))
def test_the_first_rows_are_among_those_that_are_kept(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(seed)
    monkeypatch.setattr(first_rows, "ROWS_AT_ONCE", 100)
    monkeypatch.setattr(first_rows, "LEAST_KEPT", 10)
    count = random.choice((300, 1_500))
    batch = batch_of(T, [(row(random), 3, random.choice((1, 1, 2))) for _ in range(count)])
    relation: Relation = Get("t", T)
    if random.random() < 0.4:
        least = Literal(random.randint(-500, 500), INT4)
        relation = Filter(relation, (resolve_call("gt", (ColumnRef(1, INT4), least)),))
    if random.random() < 0.4:
        relation = Project(relation, (2, 1, 0, 3))
    keys = [OrderBy(i, random.random() < 0.5, random.random() < 0.5) for i in range(4)]
    random.shuffle(keys)
    most = count // MANY
    limit = random.randint(1, most)
    top = TopK(relation, (), tuple(keys[: random.randint(1, 3)]), limit, random.randint(0, most - limit))
    query = Project(top, (1, 0))
    pieces = Rows(T, 3, removed(random, batch), NO_ERRORS)
    less, contents = of_first_rows(query, {"t": pieces})
    assert less is not query
    (kept,) = contents.values()
    whole = found(query, {"t": batch})
    assert found(less, {id_: rows.delta.oks for id_, rows in contents.items()}) == whole
    assert len(kept) <= len(pieces)


def test_few_rows_are_kept() -> None:
    random = Random(1)
    batch = batch_of(T, [((random.random(), i, i, i, "x"), 3, 1) for i in range(200_000)])
    top = TopK(Get("t", T), (), (OrderBy(0, True, True),), 10)
    _, contents = of_first_rows(top, {"t": Rows(T, 3, (batch,), NO_ERRORS)})
    (kept,) = contents.values()
    assert len(kept) == 10


@pytest.mark.parametrize(
    "top",
    [
        TopK(Get("t", T), (1,), (OrderBy(0),), 1),
        TopK(Get("t", T), (), (OrderBy(4),), 1),
        TopK(Get("t", T), (), (OrderBy(0),), None, 1),
        TopK(Get("t", T), (), (OrderBy(0),), 50),
        TopK(TopK(Get("t", T), (), (OrderBy(4),), 90), (), (OrderBy(0),), 5),
    ],
    ids=["groups", "by a text", "no limit", "most of them", "no chain"],
)
def test_what_is_left_as_it_is(top: TopK) -> None:
    batch = batch_of(T, [((1.0, i, i, i, "x"), 3, 1) for i in range(100)])
    inputs = {"t": Rows(T, 3, (batch,), NO_ERRORS)}
    assert of_first_rows(top, inputs) == (top, inputs)


def test_a_row_that_fails_leaves_it_to_the_operators() -> None:
    batch = batch_of(T, [((1.0, i, i, i, "x"), 3, 1) for i in range(100)])
    inputs = {"t": Rows(T, 3, (batch,), NO_ERRORS)}
    quotient = resolve_call("div", (Literal(1, INT4), ColumnRef(1, INT4)))
    failing = Filter(Get("t", T), (resolve_call("gt", (quotient, Literal(-1, INT4))),))
    top = TopK(failing, (), (OrderBy(0),), 1)
    assert of_first_rows(top, inputs) == (top, inputs)
