"""The tasks of jobs, without Spark: combined, split and cut rows come to the same as all rows in one place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pyarrow as pa
import pytest
from ptvc.compute.dataflow import Dataflow
from ptvc.compute.oneshot import evaluate_once
from ptvc.compute.run_file import map_run
from ptvc.compute.run_store import INDEX_RUNS
from ptvc.compute.shared_files import MACHINE
from ptvc.compute.spark.answer import read_answer
from ptvc.compute.spark.compaction import brought_together
from ptvc.compute.spark.superstep import JobResult
from ptvc.errors import UnexpectedRetraction
from ptvc.expr.functions.aggregates import resolve_aggregate
from ptvc.expr.tree import relation as r
from ptvc.expr.tree.scalar import Literal
from ptvc.persist.read import read_updates
from ptvc.replica.index import Index
from ptvc.repr.batch import NO_ERRORS, Batch, Delta, concat_batches
from ptvc.repr.types import FLOAT8, INT4, INT8, TEXT

from ..histories import batch_of, consolidated, schema_of, updates_of
from ..operators.test_reduce import reduction
from ..operators.test_temporal_filter import VIEWS as TEMPORAL_VIEWS
from ..operators.test_temporal_filter import T as TIMED
from ..operators.test_temporal_filter import row as temporal_row
from .cases import (
    AS_OF,
    NUMBERS,
    Case,
    append_only_case,
    column,
    get,
    observed,
    part,
    random_case,
    random_numbers,
    totals,
)

SEEDS = [*range(20), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(20, 300))]


@pytest.mark.parametrize("hot_rows", [1, 3, 1_000_000])
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.usefixtures("eager_combining")
def test_random_views(tmp_path: Path, seed: int, hot_rows: int) -> None:
    """With `hot_rows` 1 nearly every key of a join is split."""
    case, changes = random_case(Random(90_000 + seed), None, tmp_path)
    case.job = replace(case.job, hot_rows=hot_rows)
    case.check(changes)


def answered(case: Case) -> tuple[dict[object, int], dict[object, int], JobResult]:
    """Rows and errors of the view as the answer of a query, and what the job has reported."""
    case.job = replace(case.job, output_shard=None, answer_bytes=1 << 30)
    result = case.run()
    assert result.state == {}
    assert result.parts == []
    batches = [batch for answer in result.answers for batch in read_answer(MACHINE.path(answer.name))]
    rows = concat_batches(case.plan.schema, batches)
    return consolidated(updates_of(rows)), consolidated(updates_of(result.errors)), result


def expected(case: Case) -> tuple[dict[object, int], dict[object, int]]:
    contents = {
        id_: Delta(concat_batches(case.schemas[id_], [d.oks for d in case.inputs.get(id_, ())]), NO_ERRORS)
        for id_ in case.plan.imports
    }
    return observed(evaluate_once(case.plan, contents, AS_OF))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.usefixtures("eager_combining")
def test_random_queries(tmp_path: Path, seed: int) -> None:
    random = Random(70_000 + seed)
    case, _ = random_case(random, None, tmp_path)
    case.job = replace(case.job, hot_rows=random.choice((1, 1_000_000)))
    *found, _ = answered(case)
    assert tuple(found) == expected(case)


@pytest.mark.parametrize("seed", SEEDS)
def test_rows_that_are_brought_together_are_not_retracted_elsewhere(tmp_path: Path, seed: int) -> None:
    case, _ = random_case(Random(80_000 + seed), None, tmp_path)
    case.job = replace(case.job, plan=brought_together(case.plan))
    *found, result = answered(case)
    assert tuple(found) == expected(case)
    assert not any(answer.retracts for answer in result.answers)


def numbers(keys: Sequence[int], values: Sequence[int], time: int = 2) -> Delta:
    columns = (pa.array(keys, pa.int32()), pa.array(values, pa.int32()))
    count = len(columns[0])
    return Delta(Batch(columns, np.full(count, time, np.uint64), np.ones(count, np.int64)), NO_ERRORS)


def spread(rows: int, parts: int, keys: int) -> list[Delta]:
    """So many rows with evenly many keys, over some parts."""
    generator = np.random.default_rng(rows)
    return [
        numbers(generator.integers(0, keys, rows // parts), generator.integers(0, 50, rows // parts))
        for _ in range(parts)
    ]


def counts(relation: r.Relation) -> r.Relation:
    """Rows by key."""
    return r.Reduce(
        relation, (column(0),), ("key",), (r.Aggregate("count", None, INT8, "n", nullable=False),)
    )


def test_reductions_are_combined(tmp_path: Path) -> None:
    """Few groups: what travels is groups and not rows."""
    inputs = {"u1": spread(40_000, 4, 20)}
    case = Case(None, tmp_path / "combined", totals(get("u1")), inputs, partitions=4)
    combined = case.check([{"u1": part(NUMBERS, [(7, 8), (-1, 3)], time=AS_OF + 1)}])
    case.job = replace(case.job, combine=False)
    plain = case.run()
    assert combined.bytes_sent * 2 < plain.bytes_sent
    case = Case(None, tmp_path / "linear", counts(get("u1")), inputs, partitions=4)
    combined = case.check()
    case.job = replace(case.job, combine=False)
    assert combined.bytes_sent * 10 < case.run().bytes_sent


def test_values_and_sums_are_sent_apart(tmp_path: Path) -> None:
    """A minimum of few values and a sum of many: the values travel once, the rest as state."""
    schema = schema_of(INT4, INT4, INT4)
    random = Random(5)
    rows = [
        (random.randrange(5), random.choice((None, *range(9))), random.randrange(10**6)) for _ in range(4000)
    ]
    _, total = resolve_aggregate("sum", INT4)
    view = r.Reduce(
        get("u1", schema),
        (column(0, schema),),
        ("key",),
        (
            r.Aggregate("min", column(1, schema), INT4, "least"),
            r.Aggregate("sum", column(2, schema), total, "total"),
            r.Aggregate("count", column(1, schema), INT8, "values", distinct=True, nullable=False),
            r.Aggregate("count", column(1, schema), INT8, "present", nullable=False),
        ),
    )
    gone = {"u1": part(schema, rows[:3990], time=AS_OF + 1, diff=-1)}
    inputs = {"u1": [part(schema, rows[:2000]), part(schema, rows[2000:])]}
    case = Case(None, tmp_path, view, inputs, partitions=2)
    combined = case.check([gone])
    case.job = replace(case.job, combine=False)
    assert combined.bytes_sent * 4 < case.run().bytes_sent


def test_groups_that_are_unique_are_sent_as_they_are(tmp_path: Path) -> None:
    inputs = {"u1": [numbers(range(5000), range(5000))]}
    case = Case(None, tmp_path, totals(get("u1")), inputs, partitions=2)
    combined = case.check()
    case.job = replace(case.job, combine=False)
    assert combined.bytes_sent == case.run().bytes_sent


def test_groups_of_few_rows_are_combined_if_one_has_most(tmp_path: Path) -> None:
    """Sums of four rows each are not worth computing twice, but the rows of a hot key would all go to one task."""
    even = numbers([key % 1000 for key in range(4000)], [0] * 4000)
    hot = numbers([max(key - 3000, 0) for key in range(4000)], [0] * 4000)
    for name, rows in (("even", even), ("hot", hot)):
        case = Case(None, tmp_path / name, counts(get("u1")), {"u1": [rows]}, partitions=2)
        combined = case.check()
        case.job = replace(case.job, combine=False)
        saved = case.run().bytes_sent - combined.bytes_sent
        assert saved > 4000 if rows is hot else saved == 0


def test_what_goes_to_two_by_the_same_key_is_written_once(tmp_path: Path) -> None:
    source = get("u1")
    present, distinct = (
        r.Reduce(
            source,
            (column(0),),
            ("key",),
            (r.Aggregate("count", column(1), INT8, "n", distinct=of_values, nullable=False),),
        )
        for of_values in (False, True)
    )
    both = r.Union((present, distinct), present.schema)
    inputs = {"u1": [numbers(range(50_000), range(50_000))]}
    sent = []
    for name, view in (("one", present), ("two", both)):
        case = Case(None, tmp_path / name, view, inputs, partitions=2)
        sent.append(case.check([{"u1": numbers([3], [-1], AS_OF + 1)}]).bytes_sent)
    assert sent[0] == sent[1] > 0


@pytest.mark.parametrize("rows", [30, 3_000])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.usefixtures("eager_combining")
def test_state_over_append_only_inputs_is_what_a_step_leaves(tmp_path: Path, seed: int, rows: int) -> None:
    random = Random(seed)
    case = append_only_case(random, None, tmp_path, rows)
    assert sum(bool(getattr(node.op, "monotonic", ())) for node in case.plan.nodes) == 3
    changes = [{"u1": part(NUMBERS, random_numbers(random, 20), time=AS_OF + i)} for i in (1, 2)]
    result = case.check([*changes, {"u2": part(NUMBERS, [(i, 0) for i in range(20)], time=AS_OF + 3)}])
    held = {
        name: sum(len(map_run(Path(path))) for path in paths)
        for (node, name), paths in result.state.items()
        if getattr(case.plan.nodes[node].op, "monotonic", ())
    }
    assert held["ends_1"] <= 21
    assert held["first"] <= 3 * 21
    assert held["counts"] <= 21


def test_first_rows_over_append_only_inputs_are_cut_before_they_are_sent(tmp_path: Path) -> None:
    """Unless a part has retractions, of rows that may be in others: they may cancel."""
    view = r.TopK(get("u1"), (0,), (r.OrderBy(1),), 3)
    for name, noise in (("rows", []), ("noise", [part(NUMBERS, [(1, 0)]), part(NUMBERS, [(1, 0)], diff=-1)])):
        inputs = {"u1": [*spread(40_000, 4, 10), *noise]}
        cases = [
            Case(None, tmp_path / name / str(some), view, inputs, partitions=4, append_only=frozenset(some))
            for some in ((), ("u1",))
        ]
        whole, cut = (case.check([{"u1": numbers([3], [-1], AS_OF + 1)}]) for case in cases)
        assert cut.bytes_sent * 20 < whole.bytes_sent or noise


def test_ends_of_append_only_inputs_are_all_that_is_sent(tmp_path: Path) -> None:
    """Of nearly unique values: of which all are sent otherwise, and where another aggregate needs them."""
    view = reduction(INT4, "min", "max", "sum")
    view = replace(view, input=get("u1", view.input.schema))
    words = reduction(TEXT, "min", "max")
    listed = r.Aggregate("string_agg", words.aggregates[0].argument, TEXT, "all", rest=(Literal(",", TEXT),))
    schema = words.input.schema
    listing = replace(words, input=get("u1", schema), aggregates=(*words.aggregates, listed))
    few = {"u1": [part(schema, [(1, "b"), (1, "b"), (1, "c"), (2, "d"), (2, "d"), (2, "a")])] * 4}
    Case(None, tmp_path / "listed", listing, few, append_only=frozenset({"u1"})).check()
    generator = np.random.default_rng(2)
    inputs = {"u1": [numbers(range(10), generator.integers(0, 2**31 - 1, 10)) for _ in range(800)]}
    cases = [
        Case(None, tmp_path / str(some), view, inputs, partitions=2, append_only=frozenset(some))
        for some in ((), ("u1",))
    ]
    whole, ends = (case.check([{"u1": numbers([3, 4], [-1, 5], AS_OF + 1)}]) for case in cases)
    assert ends.bytes_sent * 5 < whole.bytes_sent


@pytest.mark.parametrize("few", [False, True], ids=["many retractions", "few"])
@pytest.mark.parametrize("view", ["ends", "first rows"])
def test_what_a_narrowed_source_has_taken_back_may_be_in_another_task(
    tmp_path: Path, view: str, few: bool
) -> None:
    """As ALTER SOURCE ... ADD WHERE leaves it: rows in one part, retractions in another.  What follows the greatest ones is not left out."""
    there = [(1, value) for value in range(1_000)]
    gone = there[-3:] if few else there[300:]
    inputs = {
        "u1": [
            part(NUMBERS, there),
            part(NUMBERS, gone, time=2, diff=-1),
            part(NUMBERS, [(2, 5)] * (1_000 - len(gone))),
        ]
    }
    ends = reduction(INT4, "max")
    relations = {
        "ends": replace(ends, input=get("u1", ends.input.schema)),
        "first rows": r.TopK(get("u1"), (0,), (r.OrderBy(1, descending=True),), 3),
    }
    for partitions in (2, 3):
        case = Case(None, tmp_path / str(partitions), relations[view], inputs, partitions, frozenset({"u1"}))
        assert any(getattr(node.op, "monotonic", ()) for node in case.plan)
        case.check([{"u1": numbers([1, 2], [2_000, 4], AS_OF + 1)}])


def test_a_retraction_from_an_append_only_input_fails_the_job(tmp_path: Path) -> None:
    inputs = {"u1": [part(NUMBERS, [(1, 1)]), part(NUMBERS, [(2, 2)], time=2, diff=-1)]}
    for view in (totals(get("u1")), r.Distinct(get("u1")), r.TopK(get("u1"), (0,), (), 1)):
        case = Case(None, tmp_path, view, inputs, append_only=frozenset({"u1"}))
        with pytest.raises(UnexpectedRetraction, match="collection u1"):
            case.run()


def test_distinct_rows_are_combined(tmp_path: Path) -> None:
    case = Case(None, tmp_path, r.Distinct(get("u1")), {"u1": spread(40_000, 4, 10)}, partitions=4)
    combined = case.check([{"u1": part(NUMBERS, [(1, 1)], time=AS_OF + 1, diff=-1)}])
    case.job = replace(case.job, combine=False)
    assert combined.bytes_sent * 5 < case.run().bytes_sent


@pytest.mark.parametrize("function", ["sum", "avg", "stddev"])
def test_sums_of_floats_are_exact_whatever_is_combined(tmp_path: Path, function: str) -> None:
    schema = schema_of(INT4, FLOAT8)
    random = Random(4)
    rows = [
        (i % 3, random.choice((1e300, -1e300, 0.1, float("inf"), float("nan"), 1e-300))) for i in range(600)
    ]
    rows = [row for row in rows if row[0] != 0 or abs(row[1]) < 1e301]
    _, result = resolve_aggregate(function, FLOAT8)
    view = r.Reduce(
        get("u1", schema),
        (column(0, schema),),
        ("key",),
        (
            r.Aggregate(function, column(1, schema), result, "plain"),
            r.Aggregate(function, column(1, schema), result, "distinct", distinct=True),
        ),
    )
    inputs = {"u1": [part(schema, rows[i::5], time=i + 1) for i in range(5)]}
    for combine in (True, False):
        case = Case(None, tmp_path / str(combine), view, inputs, partitions=3)
        case.job = replace(case.job, combine=combine)
        loaded = Dataflow(case.plan, AS_OF)
        oks = concat_batches(schema, [d.oks for d in inputs["u1"]])
        wanted = loaded.step(
            {"u1": Delta(Batch(oks.columns, np.full(len(oks), AS_OF, np.uint64), oks.diffs), NO_ERRORS)},
            AS_OF,
            AS_OF + 1,
        )
        result_of_job = case.run()
        found = read_updates(case.blob, result_of_job.parts, case.plan.schema, 0, AS_OF + 1)
        assert repr(sorted(map(repr, updates_of(found.oks)))) == repr(
            sorted(map(repr, updates_of(wanted.oks)))
        )


def test_rows_of_one_task_need_have_no_result(tmp_path: Path) -> None:
    """Here a task reads a deletion, and another one what is deleted: the sum of its squares is less than nothing."""
    _, result = resolve_aggregate("stddev", INT4)
    view = r.Reduce(
        get("u1"), (column(0),), ("key",), (r.Aggregate("stddev", column(1), result, "deviation"),)
    )
    parts = [
        part(NUMBERS, [(1, 100)] * 40),
        part(NUMBERS, [(1, 0)] * 30),
        part(NUMBERS, [(1, 100)] * 10, time=AS_OF, diff=-1),
    ]
    Case(None, tmp_path, view, {"u1": parts}).check()


KINDS = [kind for kind in r.JoinKind if kind is not r.JoinKind.FULL]


@pytest.mark.parametrize("kind", KINDS)
def test_a_hot_key_of_a_join_is_split(tmp_path: Path, kind: r.JoinKind) -> None:
    """90 % of the rows have one key: every task gets about as many, and the copies of the other side are kept once."""
    random = Random(8)
    many = [(7 if i % 10 else random.randrange(500), i) for i in range(20_000)]
    few = [(i % 500, i) for i in range(500)]
    swapped = kind is r.JoinKind.RIGHT
    big, small = (few, many) if swapped else (many, few)
    inputs = {"u1": [part(NUMBERS, big)], "u2": [part(NUMBERS, small)]}
    join = r.Join(get("u1"), get("u2"), kind, (column(0),), (column(0),))
    change = {
        "u1": part(NUMBERS, [(7, -1), (7, -2), (3, 3)], time=AS_OF + 1),
        "u2": part(NUMBERS, [(7, 7)], time=AS_OF + 1, diff=-1),
    }
    back = {"u2": part(NUMBERS, [(7, 7), (7, 8)], time=AS_OF + 2)}

    def rows_per_task(hot_rows: int) -> list[int]:
        case = Case(None, tmp_path / f"{hot_rows}", join, inputs, partitions=4)
        case.job = replace(case.job, hot_rows=hot_rows)
        result = case.check([change, back])
        return [report.rows_in for report in result.reports if report.level == 1]

    usual = rows_per_task(1_000_000)
    assert max(usual) > 17_000
    split = rows_per_task(1_000)
    assert max(split) < 1.3 * min(split)
    assert sum(split) < sum(usual) + 4 * len(few)


def test_keys_that_are_hot_on_both_sides(tmp_path: Path) -> None:
    """One key has many rows on the left, another one on the right, a third on both."""
    left = [(1, i) for i in range(2000)] + [(3, i) for i in range(60)] + [(i, i) for i in range(100)]
    right = [(2, i) for i in range(2000)] + [(3, i) for i in range(50)] + [(i, i) for i in range(100)]
    inputs = {"u1": [part(NUMBERS, left)], "u2": [part(NUMBERS, right)]}
    join = r.Join(get("u1"), get("u2"), r.JoinKind.INNER, (column(0),), (column(0),))
    case = Case(None, tmp_path, join, inputs, partitions=3)
    case.job = replace(case.job, hot_rows=50)
    change = {
        "u1": part(NUMBERS, [(2, 1), (3, 1)], time=AS_OF + 1),
        "u2": part(NUMBERS, [(1, 1), (3, 1)], time=AS_OF + 1),
    }
    case.check([change, {id_: Delta(d.oks.negate(), NO_ERRORS) for id_, d in _later(change).items()}])


def _later(change: dict[str, Delta]) -> dict[str, Delta]:
    return {
        id_: Delta(Batch(d.oks.columns, d.oks.times + np.uint64(1), d.oks.diffs), NO_ERRORS)
        for id_, d in change.items()
    }


@pytest.mark.parametrize("retracted", [False, True])
def test_the_top_of_a_query_is_cut_before_it_is_sent(tmp_path: Path, retracted: bool) -> None:
    """Not when a row is retracted by another part than the one that it is in: it may have hidden others."""
    parts = spread(8000, 4, 100)
    if retracted:
        first = np.flatnonzero(parts[1].oks.columns[1].to_numpy() >= 40)
        gone = parts[1].oks.take(first).negate()
        parts.append(Delta(Batch(gone.columns, gone.times + np.uint64(1), gone.diffs), NO_ERRORS))
    view = r.TopK(get("u1"), (), (r.OrderBy(1, True, False), r.OrderBy(0, False, False)), 5, 2)
    case = Case(None, tmp_path, view, {"u1": parts}, partitions=4)
    *found, result = answered(case)
    assert tuple(found) == expected(case)
    assert sum(found[0].values()) == 5
    assert (sum(report.rows_in for report in result.reports) < 50) is not retracted


def test_an_answer_that_is_too_large_is_not_written(tmp_path: Path) -> None:
    case = Case(
        None, tmp_path, get("u1"), {"u1": [part(NUMBERS, random_numbers(Random(1), 1000))]}, partitions=2
    )
    case.job = replace(case.job, output_shard=None, answer_bytes=1000)
    result = case.run()
    assert {answer.name for answer in result.answers} == {""}
    assert sum(answer.nbytes for answer in result.answers) > 1000
    assert list(Path(case.job.directory).iterdir()) == []


def test_rows_of_an_index_are_arranged(tmp_path: Path) -> None:
    rows = random_numbers(Random(3), 300)
    case = Case(None, tmp_path, get("u1"), {"u1": [part(NUMBERS, rows)]}, partitions=3)
    case.job = replace(case.job, output_shard=None, index_key=(1,))
    result = case.run()
    index = Index(NUMBERS, (1,))
    index.load({INDEX_RUNS: [map_run(Path(path)) for path in result.index]}, AS_OF + 1)
    wanted = consolidated(updates_of(batch_of(NUMBERS, [(row, AS_OF, 1) for row in rows])))
    assert consolidated(updates_of(index.rows(AS_OF))) == wanted
    found = index.lookup((pa.array([8], pa.int32()),), AS_OF)
    assert consolidated(updates_of(found)) == {k: n for k, n in wanted.items() if k[1] == 8}


@pytest.mark.parametrize("name", TEMPORAL_VIEWS)
def test_rows_of_the_future_are_kept_by_jobs(tmp_path: Path, name: str) -> None:
    """What a temporal filter lets in or out later comes at its time, from the state that the job has left."""
    random = Random(name)
    rows = [temporal_row(random) for _ in range(60)]
    inputs = {
        "u1": [part(TIMED, rows[:40]), part(TIMED, rows[40:], time=3), part(TIMED, rows[:9], time=4, diff=-1)]
    }
    case = Case(None, tmp_path, TEMPORAL_VIEWS[name], inputs, partitions=3)
    case.job = replace(case.job, hot_rows=random.choice((2, 1_000_000)))
    change = {"u1": part(TIMED, [temporal_row(random) for _ in range(9)], time=AS_OF + 2)}
    case.check([{}, change, *([{}] * 12)])
