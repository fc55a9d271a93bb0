"""The rows of an index in parts: each is with the part of its key's hash, at every time, however they were made and whoever goes on with them."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from ptvc.compute import spine as spine_module
from ptvc.compute.checkpoint import Checkpoint, write
from ptvc.compute.lower import lower
from ptvc.compute.merge import MergeWorker
from ptvc.compute.partitioned import split_keys, stored
from ptvc.compute.partitioned.index_reads import IndexReads
from ptvc.compute.partitioned.part import Part
from ptvc.compute.partitioned.placement import divided, undivided
from ptvc.compute.plan import DataflowPlan, UnionOp, levels
from ptvc.compute.run_store import INDEX_RUNS, RunStore
from ptvc.compute.spark.exchange import partition_of
from ptvc.compute.spine import Spine
from ptvc.expr.temporal import at_time
from ptvc.expr.tree import relation as r
from ptvc.expr.tree.scalar import Call, ColumnRef
from ptvc.repr.batch import NO_ERRORS, Delta, from_record, to_record
from ptvc.repr.types import INT4, INT8, TEXT

from ..histories import batch_of, random_cuts, schema_of, updates_of
from ..random_views import TABLES, Views
from ..reference import Update, as_of, evaluate
from ..test_views import TIMES, Histories, random_histories, snapshot
from .simulated import Flow, Simulated

SEEDS = range(60)
WORKERS = (2, 3, 7)
ORDERS = r.Get("u1", schema_of(INT4, INT4, TEXT))


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch, eager_combining: None) -> None:
    """Few rows are divided as many are."""
    monkeypatch.setattr(stored, "LEAST_CUT_ROWS", 1)
    monkeypatch.setattr(split_keys, "HOT_ROWS", 2)
    monkeypatch.setattr(spine_module, "INLINE_ROWS", 4)


def keyed(relation: r.Relation, *columns: int) -> tuple[r.Relation, tuple[int, ...]]:
    """With the key's columns behind those of the relation, as an index has them."""
    schema = relation.schema
    keys = tuple(ColumnRef(c, schema[c].type, schema[c].nullable) for c in columns)
    names = tuple(f"key{i}" for i in range(len(keys)))
    return r.Map(relation, keys, names), tuple(range(len(schema), len(schema) + len(keys)))


def random_index(random: Random) -> tuple[r.Relation, DataflowPlan, tuple[int, ...]]:
    views = Views(random, temporal=random.random() < 0.2)
    relation = views.relation(random.randint(0, 4))
    columns = [random.randrange(len(relation.schema)) for _ in range(random.choice((1, 1, 2)))]
    relation, key = keyed(relation, *columns)
    return relation, lower(relation, delta_joins=random.choice((None, True, False))), key


class IndexFlow(Flow):
    """As it is in a replica: here are the rows of the leader, which it puts out, and members have theirs."""

    def __init__(self, team: Simulated, plan: DataflowPlan, as_of: int, key: tuple[int, ...]) -> None:
        super().__init__(team, plan, as_of, key)
        self.here = Spine(plan.schema, key)
        self.place = self.dataflow.output_number, INDEX_RUNS

    def advance(self, histories: Histories, begin: int, lower_: int, upper: int) -> None:
        inputs = {}
        for id_, updates in histories.items():
            rows = [(row, max(time, begin), diff) for row, time, diff in updates if time < upper]
            rows = [u for u in rows if lower_ <= u[1]] if lower_ > begin else rows
            inputs[id_] = Delta(batch_of(TABLES[id_], rows), NO_ERRORS)
        self.here.insert(self.step(inputs, lower_, upper).oks)

    def spines(self) -> list[Spine]:
        members = [member.index(self.dataflow.number) for member in self.team.members.values()]
        assert None not in members
        return [self.here, *(spine for spine in members if spine is not None)]

    def updates(self) -> list[Update]:
        """Of all workers; each has only what its range of hashes has."""
        found = []
        for part, spine in enumerate(self.spines()):
            for run in spine.runs:
                assert set(partition_of(run.hashes, self.team.workers).tolist()) == {part}
                found += updates_of(run.batch)
        return found

    def saved(self, store: RunStore) -> Checkpoint:
        dataflow = self.dataflow
        spines = {**dataflow.spines(), self.place: self.here}
        others = dataflow.save_others(pack=False)
        handles = {id_: spine.handle() for id_, spine in spines.items()}
        return replace(write(store, "f", dataflow.upper, spines, handles), others=others())

    def go_on(self, store: RunStore, checkpoint: Checkpoint) -> None:
        dataflow = self.dataflow
        name = store.shared.name(store.directory)
        wait = dataflow.keep_others(name, store.spill_rows, checkpoint)
        runs = dataflow.begin(store, {**dataflow.spines(), self.place: self.here}, checkpoint)
        self.here.load(runs.pop(self.place, ()))
        dataflow.load(runs, checkpoint.cut)
        wait()


@pytest.mark.parametrize("seed", SEEDS)
def test_an_index_of_a_random_view_matches_recomputation(seed: int) -> None:
    random = Random(800_000 + seed)
    relation, plan, key = random_index(random)
    assert undivided(plan, key) is None
    histories = random_histories(random)
    flow = IndexFlow(Simulated(random, random.choice(WORKERS)), plan, 0, key)
    for lower_, upper in pairwise(random_cuts(random, TIMES)):
        flow.advance(histories, 0, lower_, upper)
    updates = flow.updates()
    for time in range(TIMES + 1):
        expected = evaluate(at_time(relation, time), snapshot(histories, time))
        assert as_of(updates, time) == expected, f"at {time}"


@pytest.mark.parametrize("seed", SEEDS)
def test_others_go_on_with_what_was_saved(seed: int, tmp_path: Path) -> None:
    """Also one, and from one; unless keys of joins are split."""
    random = Random(900_000 + seed)
    relation, plan, key = random_index(random)
    histories = random_histories(random)
    cuts = random_cuts(random, TIMES)
    middle = random.randrange(1, len(cuts))
    first, then = random.sample(WORKERS, 2) if random.random() < 0.7 else [random.choice(WORKERS)] * 2
    flow = IndexFlow(Simulated(random, first), plan, 0, key)
    store = RunStore(tmp_path, "a", spill_rows=random.choice((1, 6, 1_000)))
    flow.dataflow.keep_others(store.shared.name(tmp_path), store.spill_rows, None)()
    for lower_, upper in pairwise(cuts[: middle + 1]):
        flow.advance(histories, 0, lower_, upper)
    checkpoint = flow.saved(store)
    if any(name == split_keys.SPLIT_KEYS for state in checkpoint.parts for _, name in state):
        then = first
    begin = checkpoint.cut - 1
    again = IndexFlow(Simulated(random, then, writer="b"), plan, begin, key)
    again.go_on(RunStore(tmp_path, "b", spill_rows=store.spill_rows), checkpoint)
    for lower_, upper in pairwise(cuts[middle:]):
        again.advance(histories, begin, lower_, upper)
    updates = again.updates()
    for time in range(begin, TIMES + 1):
        expected = evaluate(at_time(relation, time), snapshot(histories, time))
        assert as_of(updates, time) == expected, f"at {time}"


@pytest.mark.parametrize(
    ("relation", "moves"),
    [
        (keyed(ORDERS, 1), 0),
        (keyed(r.Distinct(ORDERS), 1), 1),
        (keyed(r.Reduce(ORDERS, (ColumnRef(1, INT4),), ("k",), ()), 0), 0),
    ],
)
def test_rows_that_lie_by_the_key_do_not_move_to_it(
    relation: tuple[r.Relation, tuple[int, ...]], moves: int
) -> None:
    """What is read only is dealt out by it; what was brought together by it stays."""
    plan = lower(relation[0])
    whole = len(levels(divided(plan).plan))
    division = divided(plan, relation[1])
    assert len(division.plan.nodes) == len(plan.nodes) + moves
    assert len(levels(division.plan)) == whole + moves
    assert [node.op for node in division.shown] == [node.op for node in plan]
    assert division.shown.output == plan.output


def test_rows_move_to_a_key_that_is_computed() -> None:
    double = Call("add", (ColumnRef(0, INT4), ColumnRef(1, INT4)), INT8)
    plan = lower(r.Map(ORDERS, (double,), ("key0",)))
    division = divided(plan, (3,))
    assert isinstance(division.plan.nodes[-1].op, UnionOp)
    assert not division.dealt


def test_an_index_without_a_key_is_in_one_place() -> None:
    plan = lower(ORDERS)
    assert undivided(plan, ()) == undivided(plan)
    assert Part(divided(plan, ()), 0, 1, 2).index is None


def test_what_is_on_file_stays_there_until_it_is_released(tmp_path: Path) -> None:
    schema = schema_of(INT4, TEXT)
    spine = Spine(schema, (0,), worker=MergeWorker(inline=True))
    spine.store = RunStore(tmp_path, "a", spill_rows=100)
    spine.insert(batch_of(schema, [((i % 50, str(i)), 1, 1) for i in range(3_000)]))
    assert not spine.spill()
    spine.insert(batch_of(schema, [((7, "new"), 2, 1)]))
    reads = IndexReads()
    all_of_it = reads.rows(spine, None)
    assert all_of_it.file_rows == 3_000
    assert len(all_of_it.rows) == 1
    numbers = [number for number, _ in all_of_it.files]
    paths = [file.path for _, file in all_of_it.files]
    del all_of_it
    spine.load(())
    spine.store.sweep(())
    assert all(path.exists() for path in paths)
    reads.release(numbers)
    spine.store.sweep(())
    assert not any(path.exists() for path in paths)


def test_of_some_keys_only_their_rows_are_handed_over() -> None:
    schema = schema_of(INT4, TEXT)
    spine = Spine(schema, (0,))
    spine.insert(batch_of(schema, [((i % 50, str(i)), 1, 1) for i in range(3_000)]))
    wanted = schema.project((0,))
    keys = to_record(wanted, batch_of(wanted, [((7,), 0, 1), ((None,), 0, 1), ((70,), 0, 1)]).columns)
    assert from_record(wanted, keys)[0].to_pylist() == [7, None, 70]
    found = IndexReads().rows(spine, keys)
    assert len(found.rows) == 1
    assert not found.files
    assert not IndexReads().rows(Spine(schema, (0,)), keys).rows
