"""Keys of joins that have most rows: their rows are with all workers, and so is the work."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest
from ptvc.compute.checkpoint import SPLIT_KEYS
from ptvc.compute.dataflow import Dataflow
from ptvc.compute.lower import lower
from ptvc.compute.partitioned import split_keys, stored
from ptvc.compute.partitioned.part import Part
from ptvc.compute.partitioned.placement import divided
from ptvc.compute.plan import JoinOp
from ptvc.compute.run_store import RunStore
from ptvc.errors import StorageError
from ptvc.expr.tree import relation as r
from ptvc.expr.tree.scalar import ColumnRef
from ptvc.repr.batch import NO_ERRORS, Delta
from ptvc.repr.types import INT4, INT8, TEXT

from ..histories import batch_of, consolidated, schema_of, updates_of
from ..reference import Row
from .simulated import Flow, Simulated

ORDERS = r.Get("u1", schema_of(INT4, INT4))
CUSTOMERS = r.Get("u2", schema_of(INT4, TEXT))
KEY = (ColumnRef(0, INT4),)
NUMBER = r.Aggregate("count", None, INT8, "n", nullable=False)


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored, "LEAST_CUT_ROWS", 1)
    monkeypatch.setattr(split_keys, "HOT_ROWS", 1_000)


def joined(kind: r.JoinKind = r.JoinKind.INNER) -> r.Join:
    return r.Join(ORDERS, CUSTOMERS, kind, KEY, KEY)


def grouped(relation: r.Relation, *keys: int) -> r.Reduce:
    columns = tuple(ColumnRef(i, relation.schema.types[i]) for i in keys)
    return r.Reduce(relation, columns, tuple(f"k{i}" for i in keys), (NUMBER,))


@pytest.mark.parametrize(
    ("relation", "expected"),
    [
        (joined(), 1),
        (joined(r.JoinKind.LEFT), 1),
        (joined(r.JoinKind.RIGHT), 1),
        (joined(r.JoinKind.SEMI), 1),
        (joined(r.JoinKind.FULL), 0),  # either side has rows that must be in one place
        (grouped(joined(), 3), 1),
        (grouped(joined(), 0), 0),  # it finds a customer's rows together
        (grouped(joined(), 0, 3), 0),
        (r.Join(grouped(ORDERS, 0), CUSTOMERS, r.JoinKind.INNER, KEY, KEY), 0),  # groups are there already
        (
            r.Union((joined(r.JoinKind.SEMI), r.Distinct(ORDERS)), ORDERS.schema),
            0,
        ),  # rows come by the key, for both
    ],
)
def test_keys_may_be_split_where_nothing_else_moves_for_it(relation: r.Relation, expected: int) -> None:
    assert len(divided(lower(relation, delta_joins=False)).split) == expected


class Both:
    """A view in several workers, and in one."""

    def __init__(self, relation: r.Relation, workers: int) -> None:
        self.plan = lower(relation, delta_joins=False)
        self.team = Simulated(Random(3), workers)
        self.flow, self._whole = Flow(self.team, self.plan, 0), Dataflow(self.plan, 0)
        self.upper = 0

    def step(self, orders: list[tuple[Row, int]], customers: list[tuple[Row, int]]) -> None:
        lower_, self.upper = self.upper, self.upper + 1
        inputs = {
            relation.id: Delta(batch_of(relation.schema, [(row, lower_, n) for row, n in rows]), NO_ERRORS)
            for relation, rows in ((ORDERS, orders), (CUSTOMERS, customers))
        }
        given = {
            id_: self.flow._stored(id_, delta, lower_, self.upper) for id_, delta in inputs.items() if delta
        }
        divided_ = self.flow.dataflow.step_over({}, given, lower_, self.upper)
        whole = self._whole.step(inputs, lower_, self.upper)
        assert consolidated(updates_of(divided_.delta.oks)) == consolidated(updates_of(whole.oks))

    @property
    def parts(self) -> list[Part]:
        return [self.flow.dataflow, *(m._parts[1] for m in self.team.members.values())]

    def pairs(self) -> list[int]:
        """How many rows have come out of the join in each part."""
        (join,) = (node.id for node in self.plan if isinstance(node.op, JoinOp))
        return [Dataflow.statistics(part)[join].rows_out for part in self.parts]


def hot(count: int) -> list[tuple[Row, int]]:
    """Half of one key."""
    return [((7 if i % 2 else i, i), 1) for i in range(count)]


SOME = [((i, f"c{i}"), 1) for i in range(50)]


@pytest.mark.parametrize("workers", [2, 3, 7])
@pytest.mark.parametrize("kind", [r.JoinKind.INNER, r.JoinKind.LEFT, r.JoinKind.SEMI, r.JoinKind.ANTI])
def test_rows_of_a_hot_key_are_with_all_workers(kind: r.JoinKind, workers: int) -> None:
    both = Both(joined(kind), workers)
    both.step(hot(6_000), [c for c in SOME if c[0][0] != 7] if kind is r.JoinKind.ANTI else SOME)
    pairs = both.pairs()
    assert max(pairs) < 1.3 * sum(pairs) / workers, pairs
    both.step([(row, -n) for row, n in hot(4_000)], [((7, "another"), 1)])
    both.step([((7, 1), 1), ((7, 1), 1)], [((7, "c7"), -1), ((7, "another"), -1)])
    both.step([((7, 1), -1), ((8, 1), 1)], [((7, "again"), 1)])


def test_without_splitting_one_has_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(split_keys, "HOT_ROWS", 1_000_000)
    both = Both(grouped(joined(), 3), 3)
    both.step(hot(6_000), SOME)
    assert max(both.pairs()) > 0.9 * sum(both.pairs())


def test_the_side_with_more_rows_is_dealt_out() -> None:
    both = Both(joined(), 3)
    both.step([((i % 9, i), 1) for i in range(2_000)], [((7, str(i)), 1) for i in range(1_500)])
    chosen = {(j, tuple(map(tuple, hot.dealt))) for p in both.parts for j, hot in p._split_keys._hot.items()}
    assert len(chosen) == 1, "all have chosen the same"
    ((_, (left, right)),) = chosen
    assert (len(left), len(right)) == (0, 1)
    both.step([((7, 1), 1)], [((7, "1"), -1)])


def test_keys_of_few_rows_are_not_split() -> None:
    both = Both(joined(), 3)
    both.step(hot(1_500), SOME)
    assert not any(part._split_keys for part in both.parts)
    both.step(hot(6_000), [])
    assert not any(part._split_keys for part in both.parts), "it would have to move"


def test_equal_rows_of_the_output_may_be_in_several_parts() -> None:
    """Those of two orders of one customer: the join's rows lie by the key no more."""
    both = Both(r.Project(joined(), (0, 3)), 3)
    both.step([((1, 1), 1)], [])
    assert all(part.output_lies for part in both.parts)
    both = Both(r.Project(joined(), (0, 3)), 3)
    both.step(hot(6_000), SOME)
    assert not any(part.output_lies for part in both.parts)


def test_what_is_split_is_gone_on_from_by_as_many(tmp_path: Path) -> None:
    both = Both(joined(), 3)
    store = RunStore(tmp_path, "a")
    both.flow.keep(store, None)
    both.step(hot(6_000), SOME)
    saved = both.flow.save(store, pack=False)()
    assert all(any(name == SPLIT_KEYS for _, name in state) for state in saved.parts)
    pairs = Counter[int]()
    for workers in (2, 3, 4):
        team = Simulated(Random(5), workers)
        flow = Flow(team, both.plan, 0)
        if workers != 3:
            with pytest.raises(StorageError, match="split among 3 workers"):
                flow.keep(RunStore(tmp_path, f"b{workers}"), saved)
            continue
        flow.keep(RunStore(tmp_path, "b"), saved)
        row = Delta(batch_of(CUSTOMERS.schema, [((7, "more"), 1, 1)]), NO_ERRORS)
        output = flow.dataflow.step_over({"u2": row}, {}, 1, 2)
        pairs.update(diff for _, _, diff in updates_of(output.delta.oks))
    assert pairs == {1: 3_000}
