"""Chains computed without a graph: the same rows and errors as the graph gives."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest
from ptvc.compute.lower import lower
from ptvc.compute.oneshot import evaluate_once
from ptvc.compute.row_chain import evaluate_chain, evaluate_chain_of_rows
from ptvc.expr.registry import resolve_call
from ptvc.expr.tree import relation as r
from ptvc.expr.tree.scalar import ColumnRef, Literal, NowCompare, Scalar
from ptvc.repr.batch import Batch, Delta
from ptvc.repr.rows import Rows
from ptvc.repr.schema import ERROR_SCHEMA
from ptvc.repr.types import INT4, INT8

from ..histories import batch_of, schema_of, updates_of

T = schema_of(INT4, INT4, INT8)
OLD_ERROR = ("22P02", "an older error")


def chain(random: Random) -> r.Relation:
    if random.random() < 0.15:
        rows = tuple(tuple(random.randint(-1, 2) for _ in T) for _ in range(random.randrange(4)))
        relation: r.Relation = r.Constant(rows, T)
    else:
        relation = r.Get("t", T)
    for _ in range(random.randrange(6)):
        width = len(relation.schema)
        match random.randrange(3):
            case 0:
                scalars = tuple(number(random, relation) for _ in range(random.randint(1, 2)))
                relation = r.Map(relation, scalars, tuple("m" for _ in scalars))
            case 1:
                name = random.choice(("eq", "ne", "lt", "ge"))
                left, right = number(random, relation), number(random, relation)
                relation = r.Filter(relation, (resolve_call(name, (left, right)),))
            case _:
                relation = r.Project(
                    relation, tuple(random.randrange(width) for _ in range(random.randint(1, 4)))
                )
    return relation


def number(random: Random, relation: r.Relation) -> Scalar:
    index = random.randrange(len(relation.schema))
    column = ColumnRef(index, relation.schema[index].type)
    other = Literal(random.choice((None, 0, 1, 2)), INT4)
    match random.randrange(4):
        case 0:
            return column
        case 1:
            return other
        case 2:
            return resolve_call("add", (column, other))
        case _:
            return resolve_call("divide", (other, column))


@pytest.mark.parametrize("seed", range(150))
def test_a_chain_is_what_its_graph_is(seed: int) -> None:
    random = Random(seed)
    relation = chain(random)
    updates = [
        (
            tuple(random.choice((None, -1, 0, 1, 2)) for _ in T),
            random.randrange(3),
            random.choice((1, 1, 2, -1)),
        )
        for _ in range(random.choice((0, 1, 9)))
    ]
    errors = [(OLD_ERROR, 1, 1)] if random.random() < 0.2 else []
    inputs = {"t": Delta(batch_of(T, updates), batch_of(ERROR_SCHEMA, errors))}
    assert evaluate_chain(relation, inputs) is not None
    found = evaluate_once(relation, inputs, 5)
    wanted = evaluate_once(lower(relation, delta_joins=False), inputs, 5)
    assert updates_of(found.oks) == updates_of(wanted.oks)
    assert updates_of(found.errs) == updates_of(wanted.errs)
    assert tuple(c.type for c in found.oks.columns) == tuple(t.arrow for t in relation.schema.types)


@pytest.mark.parametrize("seed", range(100))
def test_a_chain_over_pieces_is_what_its_graph_is(seed: int) -> None:
    random = Random(seed)
    relation = chain(random)
    present: list[tuple[int | None, ...]] = []
    pieces = []
    for _ in range(random.randrange(4)):
        updates = []
        for _ in range(random.randrange(9)):
            if present and random.random() < 0.4:
                updates.append((present.pop(random.randrange(len(present))), random.randrange(3), -1))
            else:
                present.append(tuple(random.choice((None, -1, 0, 1, 2)) for _ in T))
                updates.append((present[-1], random.randrange(3), 1))
        pieces.append(batch_of(T, updates))
    errors = batch_of(ERROR_SCHEMA, [(OLD_ERROR, 5, 1)] if random.random() < 0.2 else [])
    rows = Rows(T, 5, tuple(pieces), errors)
    found = evaluate_chain_of_rows(relation, {"t": rows}, 5)
    if isinstance(leaf(relation), r.Constant):
        assert found is None
        return
    assert found is not None
    assert not len(found.oks) or found.oks.diffs.min() > 0
    wanted = evaluate_once(lower(relation, delta_joins=False), {"t": rows.delta}, 5)
    assert summed(found.oks) == summed(wanted.oks)
    assert updates_of(found.errs) == updates_of(wanted.errs)
    some = evaluate_chain_of_rows(relation, {"t": rows}, 5, limit=2)
    assert some is not None
    if not len(some.errs):
        assert len(some.oks) >= min(len(wanted.oks), 2)
        assert summed(some.oks) <= summed(wanted.oks)


def leaf(relation: r.Relation) -> r.Relation:
    while isinstance(relation, r.Map | r.Filter | r.Project):
        relation = relation.input
    return relation


def summed(batch: Batch) -> Counter[Any]:
    found: Counter[Any] = Counter()
    for row, time, diff in updates_of(batch):
        found[row, time] += diff
    return found


def test_what_is_no_chain_takes_the_ordinary_way() -> None:
    get = r.Get("t", T)
    for relation in (
        r.Distinct(get),
        r.Project(r.Distinct(get), (0,)),
        r.Filter(get, (NowCompare("le", ColumnRef(2, INT8)),)),
    ):
        assert evaluate_chain(relation, {}) is None


def test_a_missing_input_is_empty() -> None:
    assert not evaluate_once(
        r.Filter(r.Get("t", T), (resolve_call("eq", (ColumnRef(0, INT4), Literal(1, INT4))),)), {}, 3
    )
