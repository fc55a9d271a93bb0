"""Combined rows make of a reduction what the rows themselves make of it, whoever has combined which of them."""

from __future__ import annotations

from decimal import Decimal
from functools import partial
from itertools import chain, pairwise
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from ptvc.compute.lower import lower
from ptvc.compute.operators.build import build
from ptvc.compute.operators.reductions import combine as combine_module
from ptvc.compute.operators.reductions.combine import adds_up, combine
from ptvc.compute.operators.reductions.occurrences import Occurrences
from ptvc.compute.operators.reductions.reduce import Reduce
from ptvc.compute.plan import DistinctOp, Op, ReduceOp
from ptvc.expr.functions.aggregates import resolve_aggregate
from ptvc.expr.tree import relation as r
from ptvc.expr.tree.scalar import ColumnRef
from ptvc.repr.batch import NO_ERRORS, Batch, Delta, concat_batches
from ptvc.repr.consolidate import consolidate
from ptvc.repr.hash import hash_columns
from ptvc.repr.schema import Schema
from ptvc.repr.types import BOOL, FLOAT8, INT4, INT8, NUMERIC, TEXT, Kind, ScalarType

from ..histories import (
    append_only_history,
    batch_of,
    consolidated,
    history,
    random_cuts,
    schema_of,
    updates_of,
)
from ..random_views import Views
from ..reference import Row, Update

MONEY = ScalarType(Kind.NUMERIC, 30, 2)
ROWS = schema_of(INT4, FLOAT8, FLOAT8, MONEY, NUMERIC, INT4, BOOL, TEXT)
_VALUES: dict[ScalarType, tuple[Any, ...]] = {
    FLOAT8: (None, 0.1, 2.5, 1e300, -1e300, 1.7e308, -0.0, 0.0, float("nan"), float("inf"), 5e-324),
    MONEY: (None, Decimal("1e20"), Decimal("-0.01")),
    NUMERIC: (None, Decimal("0.125"), Decimal("3")),
    INT4: (None, 2**31 - 1, -7, 3),
    BOOL: (None, True, False),
    TEXT: (None, "", "a", "b"),
}
_AGGREGATES = (
    *(("sum", i, False) for i in (1, 3, 4, 5)),
    *(("avg", i, False) for i in (1, 3, 4)),
    *(("var_samp", i, False) for i in (1, 3, 4)),
    *((name, i, False) for name in ("min", "max") for i in (1, 5, 7)),
    *(("count", i, of_values) for i in (1, 7) for of_values in (False, True)),
    ("sum", 1, True),
    ("sum", 3, True),
    ("bit_xor", 5, False),
    ("bool_and", 6, False),
)


def random_reduction(random: Random) -> r.Reduce:
    aggregates = [r.Aggregate("count", None, INT8, "n", nullable=False)]
    for at, (function, i, of_values) in enumerate(random.sample(_AGGREGATES, random.randint(0, 5))):
        argument = ColumnRef(i, ROWS.types[i])
        type_ = resolve_aggregate(function, ROWS.types[i])[1]
        aggregates.append(r.Aggregate(function, argument, type_, f"a{at}", of_values))
    if random.random() < 0.3:
        pair = ColumnRef(1, FLOAT8), ColumnRef(2, FLOAT8)
        aggregates.append(r.Aggregate("corr", pair[0], FLOAT8, "corr", rest=(pair[1],)))
    scalar = random.random() < 0.2
    keys = () if scalar else (ColumnRef(0, INT4),)
    return r.Reduce(r.Get("t", ROWS), keys, ("k",) * len(keys), tuple(aggregates), scalar)


def reducing(relation: r.Reduce, append_only: bool = False) -> tuple[ReduceOp, Schema, Schema]:
    plan = lower(relation, append_only=frozenset({"t"} if append_only else ()))
    (node,) = (node for node in plan if isinstance(node.op, ReduceOp))
    assert isinstance(node.op, ReduceOp)
    return node.op, plan.input_schemas(node)[0], node.schema


def taken_in(operator: Reduce, op: ReduceOp, schema: Schema, shares: list[Batch]) -> tuple[Batch, int]:
    """What the operator is to take in of what several send; how many sums there are."""
    combined = [combine(op, schema, share) for share in shares]
    sums: dict[str, list[Batch]] = {}
    for name, batch in chain(*(some.sums.items() for some in combined)):
        sums.setdefault(name, []).append(batch)
    rows = concat_batches(schema, [some.rows for some in combined])
    if not sums:
        return rows, 0
    return operator.with_sums(rows, sums), sum(len(b) for some in sums.values() for b in some)


def row_of(random: Random, op: ReduceOp, schema: Schema) -> Row:
    """As the reduction has it: its key, and then its arguments, in the order of the plan."""
    keys = (random.choice((None, 0, 1)) for _ in range(op.keys))
    return (*keys, *(random.choice(_VALUES[type_]) for type_ in schema.types[op.keys :]))


@pytest.mark.parametrize("seed", range(20))
def test_a_reduction_takes_in_sums_as_it_does_rows(
    eager_combining: None, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """At many times, in many steps, of updates of any sign: also errors, and what goes beyond a type's range."""
    combined = 0
    for random in map(Random, range(6 * seed, 6 * seed + 6)):
        monkeypatch.setattr(combine_module, "WORTH_SUMS", random.choice((1, 2, 4)))
        combined += _compare(random)
    assert combined > 0


def _compare(random: Random) -> int:
    """Returns how many sums were sent."""
    append_only = random.random() < 0.2
    op, schema, output = reducing(random_reduction(random), append_only)
    assert adds_up(op) != bool(op.monotonic)
    drawn = partial(row_of, op=op, schema=schema)
    if append_only:
        updates = append_only_history(random, drawn)
    else:
        updates = history(random, drawn, negative=random.random() < 0.2)
    plain, other = (build(op, (schema,), output, 0) for _ in range(2))
    assert isinstance(other, Reduce)
    combined = 0
    for lower_, upper in pairwise(random_cuts(random, 12)):
        rows = [u for u in updates if lower_ <= u[1] < upper]
        dealt: list[list[Update]] = [[] for _ in range(random.randint(1, 4))]
        for update in rows:
            random.choice(dealt).append(update)
        taken, sums = taken_in(other, op, schema, [batch_of(schema, some) for some in dealt])
        combined += sums
        expected = plain.step((Delta(batch_of(schema, rows), NO_ERRORS),), lower_, upper)
        found = other.step((Delta(taken, NO_ERRORS),), lower_, upper)
        assert _text(found.oks) == _text(expected.oks)
        assert _text(found.errs) == _text(expected.errs)
    return combined


def _text(batch: Batch) -> list[str]:
    """Updates, also of NaN."""
    return sorted(map(repr, consolidated(updates_of(consolidate(batch))).items()))


def hot_and_cold(schema: Schema, hot: int, cold: int) -> Batch:
    """`hot` rows of key -1, and one of each of `cold` other keys, in one order or another."""
    rows = [((-1, i % 1_000), 3, 1) for i in range(hot)] + [((i, i), 3, 1) for i in range(cold)]
    Random(hot).shuffle(rows)
    return batch_of(schema, rows)


PAIRS = schema_of(INT4, INT4)


def pairs(*functions: str) -> r.Reduce:
    aggregates = tuple(
        r.Aggregate(f, ColumnRef(1, INT4), resolve_aggregate(f, INT4)[1], f) for f in functions
    )
    return r.Reduce(r.Get("t", PAIRS), (ColumnRef(0, INT4),), ("k",), aggregates)


def test_rows_of_a_hot_key_are_sent_as_sums_and_others_as_they_are() -> None:
    op, schema, _ = reducing(pairs("sum"))
    combined = combine(op, schema, hot_and_cold(schema, 5_000, 3_000))
    assert 3_000 <= len(combined.rows) < 3_010
    assert len(combined.sums["sums"]) <= 10


def test_values_are_sent_where_any_may_be_the_least_one_day() -> None:
    op, schema, _ = reducing(pairs("sum", "min"))
    combined = combine(op, schema, hot_and_cold(schema, 5_000, 3_000))
    assert 4_000 <= len(combined.rows) < 4_010, "a thousand values of the hot key, how often each occurs"


@pytest.mark.parametrize(("hot", "cold"), [(200, 5_000), (0, 5_000), (40, 0)])
def test_rows_are_sent_as_they_are_where_little_is_gained(hot: int, cold: int) -> None:
    op, schema, _ = reducing(pairs("sum"))
    rows = hot_and_cold(schema, hot, cold)
    assert combine(op, schema, rows).rows is rows


@pytest.mark.parametrize("op", [DistinctOp(), reducing(pairs("array_agg"))[0]])
def test_equal_rows_of_a_hot_key_are_added_up(op: Op) -> None:
    rows = hot_and_cold(PAIRS, 50_000, 3_000)
    combined = combine(op, PAIRS, rows)
    assert not combined.sums
    if isinstance(op, DistinctOp):
        assert len(combined.rows) == 4_000
    assert consolidated(updates_of(combined.rows)) == consolidated(updates_of(rows))


def test_over_append_only_inputs_what_comes_and_goes_may_be_in_two_places(eager_combining: None) -> None:
    """One has a row, another its retraction: the greatest value is the next one, which must not be left out."""
    op, schema, output = reducing(pairs("max"), append_only=True)
    assert op.monotonic
    operator = build(op, (schema,), output, 0)
    assert isinstance(operator, Reduce)
    shares = [batch_of(schema, [((1, v), 1, 1) for v in (5, 7, 9)]), batch_of(schema, [((1, 9), 1, -1)])]
    taken, _ = taken_in(operator, op, schema, shares)
    found = operator.step((Delta(taken, NO_ERRORS),), 0, 2)
    assert updates_of(found.oks) == [((1, 7), 1, 1)]


def test_a_reduction_is_given_no_columns_that_it_does_not_read() -> None:
    """So none has to be dropped before rows are sent."""
    seen = 0
    for seed in range(100):
        plan = lower(Views(Random(seed)).relation(3))
        for node in plan:
            if isinstance(op := node.op, ReduceOp):
                read = {*range(op.keys), *(o.index for a in op.aggregates for o in a.order)}
                read |= {
                    i for a in op.aggregates for i in (a.argument, a.condition, *a.rest) if i is not None
                }
                assert read == set(range(len(plan.input_schemas(node)[0])))
                seen += 1
    assert seen > 20


@pytest.mark.parametrize("values", [1, 10, 5_000, 40_000])
def test_values_are_counted_in_a_table(values: int) -> None:
    drawn = np.random.default_rng(values).integers(0, values, 50_000)
    found = Occurrences(hash_columns([pa.array(drawn)], len(drawn)))
    counts = np.bincount(drawn, minlength=values)
    assert found.values == pytest.approx(np.count_nonzero(counts), rel=0.02)
    often = found.often(8)
    assert often[counts[drawn] >= 8].all(), "none is missed"
    assert np.count_nonzero(often[counts[drawn] < 8]) < 500


@pytest.mark.parametrize(
    ("values", "hot"), [(1, 0), (3, 0), (10_000, 0), (60_000, 0), (300_000, 0), (300_000, 60_000)]
)
def test_a_sample_says_how_many_values_there_are_and_which_part_of_the_rows_has_frequent_ones(
    values: int, hot: int
) -> None:
    """Whether the value of `hot` rows is in the sample or not."""
    for seed in range(4):
        drawn = np.random.default_rng(seed).integers(0, values, 300_000)
        drawn[:hot] = seed
        found = Occurrences(hash_columns([pa.array(drawn)], len(drawn)))
        counts = np.bincount(drawn, minlength=values)
        if values > 3:
            assert found.values == pytest.approx(np.count_nonzero(counts), rel=0.05)
        assert found.values <= max(1.05 * np.count_nonzero(counts), 9)
        assert found.part_often(8) == pytest.approx(np.mean(counts[drawn] >= 8), abs=0.05)
