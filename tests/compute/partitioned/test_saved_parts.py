"""What parts have saved is gone on from, by as many or by others: nothing is lost, nothing comes twice, whoever dies meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import pyarrow as pa
import pytest
from ptvc.compute import merge as merge_module
from ptvc.compute import spine as spine_module
from ptvc.compute.checkpoint import Checkpoint, publish, read, write
from ptvc.compute.dataflow import Dataflow
from ptvc.compute.lower import lower
from ptvc.compute.merge import merge_worker
from ptvc.compute.partitioned import split_keys
from ptvc.compute.partitioned.part import Part
from ptvc.compute.partitioned.part_state import _as_declared, beginning_of, begun
from ptvc.compute.partitioned.placement import divided
from ptvc.compute.partitioned.state_placement import FIRST, state_placement
from ptvc.compute.plan import DataflowPlan
from ptvc.compute.run_store import RunStore
from ptvc.compute.spark.exchange import partition_of
from ptvc.compute.spine import Spine
from ptvc.errors import QueryCanceled, ReplicaUnavailable, StorageError
from ptvc.expr.temporal import at_time
from ptvc.expr.tree import relation as r
from ptvc.expr.tree.scalar import Call, ColumnRef
from ptvc.repr.batch import NO_ERRORS, Delta
from ptvc.repr.hash import hash_columns
from ptvc.repr.types import BOOL, FLOAT4, INT4

from ..histories import batch_of, random_cuts, schema_of
from ..reference import Update, as_of, evaluate
from ..test_views import TIMES, Histories, random_histories, snapshot
from .simulated import Died, Faults, Flow, Simulated
from .test_simulation import ATTEMPTS, SEEDS, random_view, taken

WORKERS = (2, 3, 7)
MOST_ENDED = 6
"""So many attempts are ended to go on elsewhere, with other workers."""


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few rows already take the paths that many take otherwise."""
    monkeypatch.setattr(spine_module, "INLINE_ROWS", 4)
    monkeypatch.setattr(merge_module, "CHUNK_ROWS", 4)


class Saver:
    """Saves a flow now and then, in `store`; `saved` is what the last one that was published is of."""

    def __init__(self, random: Random, store: RunStore, flow: Flow) -> None:
        self._random = random
        self._store = store
        self._flow = flow
        self._under_way: Callable[[], Checkpoint] | None = None

    def after_step(self) -> None:
        random, store, flow = self._random, self._store, self._flow
        if self._under_way is None and random.random() < 0.6:
            self._under_way = flow.save(store, pack=random.random() < 0.3)
        if random.random() < 0.5:
            merge_worker().drain()
        if self._under_way is not None and random.random() < 0.6:
            checkpoint, self._under_way = self._under_way(), None
            if random.random() < 0.2:
                return  # the coordinator could not publish it
            publish(store.directory, checkpoint)
            flow.sweep(store, checkpoint)


def maintained(
    random: Random,
    plan: DataflowPlan,
    histories: Histories,
    faults: Faults,
    directory: Path,
    few: Callable[[], tuple[int, ...]] = tuple,
) -> tuple[list[Update], int]:
    """All that is committed, by one attempt after the other, and how many of these went on from a checkpoint of other workers.  Who begins
    with nothing may broadcast what `few` says."""
    cuts, durable, rescaled = random_cuts(random, TIMES), 0, 0
    committed: list[Update] = []
    for attempt in range(1, ATTEMPTS + 1):
        if attempt == ATTEMPTS:
            faults = Faults()
        team = Simulated(random, random.choice(WORKERS), faults, writer=f"a{attempt}")
        store = RunStore(directory, f"a{attempt}", spill_rows=random.choice((1, 6, 1000)))
        checkpoint = read(directory)
        if checkpoint is not None and checkpoint.cut > durable:
            checkpoint = None  # what it has put out was not committed
        store.collect(() if checkpoint is None else checkpoint.files())
        begin = max(durable - 1, 0) if checkpoint is None else checkpoint.cut - 1
        at = begin if checkpoint is None else checkpoint.cut
        flow = Flow(team, plan, begin, few=few() if checkpoint is None else checkpoint.few)
        try:
            try:
                flow.keep(store, checkpoint)
            except StorageError:  # keys are split: the coordinator has it begin again
                assert checkpoint is not None
                assert len(checkpoint.parts) != team.workers
                checkpoint, begin = None, max(durable - 1, 0)
                at, flow = begin, Flow(team, plan, begin, few=few())
                flow.keep(store, None)
            rescaled += checkpoint is not None and len(checkpoint.parts) != team.workers
            saver = Saver(random, store, flow)
            for upper in [cut for cut in cuts if cut > at]:
                updates = taken(flow, histories, begin, at, upper)
                committed += [update for update in updates if update[1] >= durable]
                durable, at = max(durable, upper), upper
                saver.after_step()
                if attempt < MOST_ENDED and random.random() < 0.4:
                    raise Died  # all at once
            return committed, rescaled
        except (Died, QueryCanceled, ReplicaUnavailable):
            pass
        finally:
            merge_worker().drain()
    raise AssertionError("the last attempt has no faults")


def check(seed: int, faults: Faults, directory: Path) -> int:
    random = Random(seed)
    relation, plan = random_view(random)
    histories = random_histories(random)
    output, rescaled = maintained(random, plan, histories, faults, directory)
    for time in range(TIMES + 1):
        expected = evaluate(at_time(relation, time), snapshot(histories, time))
        assert as_of(output, time) == expected, f"seed {seed}, at {time}"
    return rescaled


@pytest.mark.parametrize("seed", SEEDS)
def test_parts_go_on_from_what_others_have_saved(seed: int, tmp_path: Path) -> None:
    check(300_000 + seed, Faults(), tmp_path)


@pytest.mark.parametrize("seed", SEEDS)
def test_whoever_dies_while_parts_are_saved_costs_nothing(seed: int, tmp_path: Path) -> None:
    check(400_000 + seed, Faults(death=0.01, abort=0.003, failure=0.05), tmp_path)


@pytest.mark.parametrize("seed", SEEDS)
def test_split_keys_are_gone_on_from_by_as_many(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By others they are not: these begin again."""
    monkeypatch.setattr(split_keys, "HOT_ROWS", 2)
    check(700_000 + seed, Faults(death=0.005), tmp_path)


def test_many_of_these_are_rescaled(tmp_path: Path) -> None:
    found = []
    for seed in range(40):
        (directory := tmp_path / str(seed)).mkdir()
        found.append(check(500_000 + seed, Faults(), directory))
    assert sum(count > 0 for count in found) >= 10, found


def test_rows_of_state_are_where_they_are_said_to_be(tmp_path: Path) -> None:
    """Of every spine, in every part; and a spine of every kind is looked at."""
    seen: set[str] = set()
    for seed in range(150):
        random = Random(600_000 + seed)
        plan = random_view(random)[1]
        histories = random_histories(random)
        team = Simulated(random, 3, Faults())
        flow = Flow(team, plan, 0)
        taken(flow, histories, 0, 0, TIMES + 1)
        dataflow = flow.dataflow
        placement = state_placement(dataflow._division, dataflow.spines())
        for number, part in enumerate((dataflow, *(m._parts[1] for m in team.members.values()))):
            for id_, spine in part.spines().items():
                if not spine.rows:
                    continue
                seen.add(id_[1].rstrip("_0123456789"))
                _check_rows(spine, placement[id_], number, team.workers)
    assert len(seen) >= 14, seen


def _check_rows(spine: Spine, by: tuple[int, ...] | None, part: int, parts: int) -> None:
    for run in spine.runs:
        if by == FIRST:
            assert part == 0
        elif by is not None:
            columns = _as_declared(run.batch.columns, spine.schema)
            hashes = hash_columns([columns[i] for i in by], len(run))
            assert set(partition_of(hashes, parts).tolist()) == {part}, (by, spine.schema)


def test_floats_that_are_held_by_their_bits_lie_by_their_values(tmp_path: Path) -> None:
    """As whole rows of a semi join with a further condition, of which one has a float in its key."""
    floats = schema_of(FLOAT4, INT4)
    pairs = r.Get("u1", floats), r.Get("u2", floats)
    key, more = (ColumnRef(0, FLOAT4),), Call("lt", (ColumnRef(1, INT4), ColumnRef(3, INT4)), BOOL)
    plan = lower(r.Join(*pairs, r.JoinKind.SEMI, key, key, (more,)))
    rows = [((float(i % 40) / 8, i), 0, 1) for i in range(200)]
    inputs = {id_: Delta(batch_of(floats, rows), NO_ERRORS) for id_ in ("u1", "u2")}
    store = RunStore(tmp_path, "a")
    one = Dataflow(plan, 0)
    one.step(inputs, 0, 1)
    saved = write(store, "f", 1, one.spines(), one.handles())
    division = divided(plan)
    for part in range(3):
        dataflow = Part(division, 0, part, 3)
        spines = dataflow.spines()
        dataflow.load(begun(store, spines, beginning_of(saved, part, 3, division, spines), part, 3), 1)
        held = [spine for (_, name), spine in spines.items() if name in ("rows", "matched")]
        assert len(held) == 2
        for spine in held:
            for run in spine.runs:
                values = run.batch.columns[0].view(pa.float32())
                assert set(partition_of(hash_columns([values], len(run)), 3).tolist()) == {part}
            assert spine.rows
