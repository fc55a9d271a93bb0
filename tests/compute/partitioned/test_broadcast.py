"""Inputs that every part has whole: rows that meet them do not move, and the result is that of one process."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random

import pytest
from ptvc.compute.checkpoint import Checkpoint
from ptvc.compute.dataflow import Dataflow
from ptvc.compute.lower import lower
from ptvc.compute.partitioned import split_keys, stored
from ptvc.compute.partitioned.broadcast import MANY_ROWS, MOST_ROWS, few_of
from ptvc.compute.partitioned.part import Part
from ptvc.compute.partitioned.part_state import Beginning, beginning_of, begun
from ptvc.compute.partitioned.placement import Division, divided
from ptvc.compute.partitioned.state_placement import EVERYWHERE, state_placement
from ptvc.compute.plan import DataflowPlan, JoinOp, levels
from ptvc.compute.run import Run
from ptvc.compute.run_store import RunStore, StateId
from ptvc.expr.functions.aggregates import resolve_aggregate
from ptvc.expr.temporal import at_time
from ptvc.expr.tree import relation as r
from ptvc.expr.tree.scalar import ColumnRef
from ptvc.replica.workers import team
from ptvc.repr.types import INT4, INT8, TEXT

from ..histories import schema_of, updates_of
from ..reference import as_of, evaluate
from ..test_views import TIMES, random_histories, snapshot
from . import test_saved_parts, test_simulation
from .simulated import Faults, Flow, Simulated
from .test_simulation import random_view, taken

ORDERS = r.Get("u1", schema_of(INT4, INT4, TEXT))
"""id, customer."""
CUSTOMERS = r.Get("u2", schema_of(INT4, INT4))
"""customer, nation."""
NATIONS = r.Get("u3", schema_of(INT4, TEXT))
NUMBER = r.Aggregate("count", None, INT8, "n", nullable=False)


def by(*columns: int) -> tuple[ColumnRef, ...]:
    return tuple(ColumnRef(i, INT4) for i in columns)


def joined(
    left: r.Relation, right: r.Relation, of: int, to: int, kind: r.JoinKind = r.JoinKind.INNER
) -> r.Join:
    return r.Join(left, right, kind, by(of), by(to))


def grouped(relation: r.Relation, *keys: int, distinct: int | None = None) -> r.Reduce:
    aggregates = [NUMBER]
    if distinct is not None:
        type_ = resolve_aggregate("count", INT4)[1]
        aggregates.append(r.Aggregate("count", ColumnRef(distinct, INT4), type_, "d", True))
    columns = tuple(ColumnRef(i, relation.schema.types[i]) for i in keys)
    return r.Reduce(relation, columns, tuple(f"k{i}" for i in keys), tuple(aggregates), scalar=not keys)


THREE = joined(joined(ORDERS, CUSTOMERS, 1, 0), NATIONS, 4, 0)
BUYERS = grouped(THREE, 6, distinct=1)
"""Orders and customers by the name of the nation."""


def division_of(relation: r.Relation, *few: str, delta_joins: bool | None = False) -> Division:
    plan = lower(relation, delta_joins=delta_joins)
    return divided(plan, few=[plan.imports.index(id_) for id_ in few])


def barriers(division: Division) -> int:
    return len(levels(division.plan)) - 1


@pytest.mark.parametrize("delta_joins", [True, False])
def test_rows_lie_as_before_they_met_what_is_everywhere(delta_joins: bool) -> None:
    """So distinct customers are counted where they are, and one exchange is left: of sums."""
    before, now = (division_of(BUYERS, *few, delta_joins=delta_joins) for few in ((), ("u3",)))
    assert barriers(before) > barriers(now) == 1
    assert now.broadcast.imports == {"u3"}
    assert now.in_place
    assert not before.in_place
    assert now.dealt == {"u1": (1,), "u2": (0,)}
    assert all(set(now.plan.nodes[id_].exchange) == {None} for id_ in now.broadcast.beside)


@pytest.mark.parametrize(
    ("relation", "few", "expected"),
    [
        (grouped(joined(ORDERS, CUSTOMERS, 1, 0), 4), ("u2",), {"u2"}),
        (grouped(joined(CUSTOMERS, ORDERS, 0, 1), 1), ("u2",), {"u2"}),
        (grouped(r.Join(ORDERS, CUSTOMERS, r.JoinKind.INNER, (), ()), 1), ("u2",), {"u2"}),
        (grouped(joined(ORDERS, joined(CUSTOMERS, NATIONS, 1, 0), 1, 0), 6), ("u2", "u3"), {"u2", "u3"}),
        (grouped(joined(ORDERS, CUSTOMERS, 1, 0), 4), ("u1", "u2"), set()),  # all that there is
        (grouped(CUSTOMERS, 1), ("u2",), set()),  # each row would count once for each part
        (grouped(joined(ORDERS, r.Distinct(CUSTOMERS), 1, 0), 4), ("u2",), set()),
        (grouped(joined(ORDERS, CUSTOMERS, 1, 0, r.JoinKind.LEFT), 4), ("u2",), {"u2"}),
        (grouped(joined(ORDERS, CUSTOMERS, 1, 0, r.JoinKind.SEMI), 1), ("u2",), {"u2"}),
        (grouped(joined(ORDERS, CUSTOMERS, 1, 0, r.JoinKind.ANTI), 1), ("u2",), {"u2"}),
        (grouped(joined(CUSTOMERS, ORDERS, 0, 1, r.JoinKind.RIGHT), 1), ("u2",), {"u2"}),
        (
            grouped(joined(ORDERS, CUSTOMERS, 1, 0, r.JoinKind.RIGHT), 4),
            ("u2",),
            set(),
        ),  # come out without a match
        (grouped(joined(CUSTOMERS, ORDERS, 0, 1, r.JoinKind.LEFT), 1), ("u2",), set()),
        (grouped(joined(CUSTOMERS, ORDERS, 0, 1, r.JoinKind.ANTI), 1), ("u2",), set()),
        (grouped(joined(ORDERS, CUSTOMERS, 1, 0, r.JoinKind.FULL), 4), ("u2",), set()),
        (grouped(r.Union((ORDERS, ORDERS), ORDERS.schema), 1), ("u1",), set()),
        (grouped(joined(THREE, grouped(NATIONS, 0), 4, 0), 6), ("u3", "u2"), {"u2"}),
    ],
)
def test_those_that_only_joins_take(relation: r.Relation, few: tuple[str, ...], expected: set[str]) -> None:
    division = division_of(relation, *few)
    assert division.broadcast.imports == expected
    assert bool(division.broadcast.beside) == bool(expected)
    assert not division.broadcast.imports & division.dealt.keys()


def test_rows_that_nobody_wants_by_a_key_are_together_if_they_are_equal() -> None:
    """So that a retraction meets what it retracts."""
    division = division_of(grouped(joined(ORDERS, CUSTOMERS, 1, 0), 4), "u2")
    assert division.dealt == {"u1": (0, 1, 2)}
    (join,) = (node for node in division.plan if isinstance(node.op, JoinOp))
    assert join.exchange == (None, None)


def test_few_rows_are_those_beside_many() -> None:
    assert few_of((MANY_ROWS, 25)) == (1,)
    assert few_of((MOST_ROWS, 10 * MANY_ROWS, 0, MOST_ROWS + 1, 10)) == (0, 4)
    assert few_of((MANY_ROWS - 1, 25)) == (), "it may be the larger one day"
    assert few_of((MANY_ROWS, MANY_ROWS // 50)) == ()
    assert few_of(()) == ()


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch, eager_combining: None) -> None:
    """Few rows are divided as many are."""
    monkeypatch.setattr(stored, "LEAST_CUT_ROWS", 1)
    monkeypatch.setattr(team, "GATHER_ROWS", 3)
    monkeypatch.setattr(split_keys, "HOT_ROWS", 2)


def broadcast_view(random: Random) -> tuple[r.Relation, DataflowPlan, Callable[[], tuple[int, ...]]]:
    """One in which something is broadcast, in some attempts."""
    while True:
        relation, plan = random_view(random)
        positions = range(len(plan.imports))
        chosen = tuple(at for at in positions if random.random() < 0.5)
        if divided(plan, few=chosen).broadcast.nodes:
            return relation, plan, partial(_some_times, random, chosen)


def _some_times(random: Random, chosen: tuple[int, ...]) -> tuple[int, ...]:
    return chosen if random.random() < 0.7 else ()


SEEDS = [*range(30), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(30, 300))]


@pytest.mark.parametrize("seed", SEEDS)
def test_views_match_recomputation_whoever_dies(seed: int, small: None) -> None:
    random = Random(seed)
    relation, plan, few = broadcast_view(random)
    histories = random_histories(random)
    faults = Faults() if seed % 2 else Faults(death=0.005, abort=0.005, failure=0.1)
    output = test_simulation.maintained(random, plan, histories, faults, few)
    for time in range(TIMES + 1):
        expected = evaluate(at_time(relation, time), snapshot(histories, time))
        assert as_of(output, time) == expected, f"seed {seed}, at {time}"


@pytest.mark.parametrize("seed", SEEDS)
def test_others_go_on_from_what_was_saved(seed: int, tmp_path: Path, small: None) -> None:
    random = Random(100_000 + seed)
    relation, plan, few = broadcast_view(random)
    histories = random_histories(random)
    output, _ = test_saved_parts.maintained(random, plan, histories, Faults(death=0.005), tmp_path, few)
    for time in range(TIMES + 1):
        expected = evaluate(at_time(relation, time), snapshot(histories, time))
        assert as_of(output, time) == expected, f"seed {seed}, at {time}"


@dataclass(frozen=True, slots=True)
class Saved:
    """What three parts of a dataflow have saved as of 5; `whole` are spines, not all empty, of which each has all rows."""

    plan: DataflowPlan
    parts: list[Part]
    whole: list[StateId]
    store: RunStore
    checkpoint: Checkpoint

    def rows(self, id_: StateId) -> Counter[tuple[object, ...]]:
        return rows(self.parts[0].spines()[id_].handle())


def saved(random: Random, directory: Path) -> Saved:
    while True:
        _, plan, few = broadcast_view(random)
        flow = Flow(group := Simulated(random, 3), plan, 0, few=few())
        taken(flow, random_histories(random), 0, 0, 5)
        dataflow = flow.dataflow
        placement = state_placement(dataflow._division, dataflow.spines())
        whole = [id_ for id_, lies in placement.items() if lies == EVERYWHERE]
        if any(dataflow.spines()[id_].rows for id_ in whole) and not dataflow._split_keys:
            break
    flow.keep(store := RunStore(directory, "a", spill_rows=1), None)
    checkpoint = flow.save(store, pack=False)()
    members = (member._parts[1] for member in group.members.values())
    return Saved(plan, [dataflow, *members], whole, store, checkpoint)


@pytest.mark.parametrize("seed", range(10))
def test_state_that_is_everywhere_is_saved_once(seed: int, tmp_path: Path, small: None) -> None:
    """By the first part; and one process goes on from what the parts have saved."""
    found = saved(Random(200_000 + seed), tmp_path)
    others = [state for state in found.checkpoint.others for id_ in found.whole if state.get(id_)]
    assert not others
    one = Dataflow(found.plan, 0)
    one.load(begun(found.store, one.spines(), Beginning(5, found.checkpoint.parts), 0, 1), 5)
    for id_ in found.whole:
        assert all(rows(part.spines()[id_].handle()) == found.rows(id_) for part in found.parts)
        assert rows(one.spines()[id_].handle()) == found.rows(id_)


@pytest.mark.parametrize("seed", range(10))
def test_the_first_part_alone_removes_what_it_saves_for_all(seed: int, tmp_path: Path, small: None) -> None:
    """The others have copies, which are on no file, whether they are as many as before or not."""
    found = saved(Random(300_000 + seed), tmp_path)
    division = divided(found.plan, few=found.checkpoint.few)
    for parts in (2, 3):
        for number in range(1, parts):
            part, store = Part(division, 0, number, parts), RunStore(tmp_path, f"b{number}")
            beginning = beginning_of(found.checkpoint, number, parts, division, part.spines())
            runs = begun(store, part.spines(), beginning, number, parts)
            for id_ in found.whole:
                assert rows(runs.get(id_, ())) == found.rows(id_)
                assert not [run for run in runs.get(id_, ()) if run.file is not None]
            if parts == len(found.parts):
                store.sweep(run for own in found.checkpoint.parts[number].values() for run in own)
                assert all(store.shared.path(file.name).exists() for file in found.checkpoint.files())


def rows(runs: Sequence[Run]) -> Counter[tuple[object, ...]]:
    found: Counter[tuple[object, ...]] = Counter()
    for run in runs:
        for row, _, diff in updates_of(run.batch):
            found[row] += diff
    return Counter({row: count for row, count in found.items() if count})
