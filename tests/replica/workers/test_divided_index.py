"""An index in several processes answers what it does in one, at every time that is readable, whatever goes on beside."""

from __future__ import annotations

import os
import signal
import threading
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from random import Random
from statistics import median
from time import monotonic, perf_counter

import pyarrow as pa
import pytest
from compute.histories import batch_of, random_cuts, schema_of, updates_of
from compute.partitioned.test_index import keyed, random_index
from compute.random_views import TABLES, random_row
from compute.reference import as_of as rows_as_of
from compute.test_views import TIMES, random_histories
from faults.standing_still import stand_still
from ptvc.compute.lower import lower
from ptvc.compute.partitioned.one_step import WorkerLost
from ptvc.compute.plan import DataflowPlan
from ptvc.compute.run_store import RunStore
from ptvc.compute.shared_files import MACHINE
from ptvc.errors import ObjectNotReady, PtvcError, QueryCanceled
from ptvc.expr.registry import resolve_call
from ptvc.expr.tree import relation as r
from ptvc.expr.tree.scalar import ColumnRef, Literal
from ptvc.interrupt import Interrupt, interruptible
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.replica.index import Index
from ptvc.replica.installed import Installed
from ptvc.replica.look_ups.answers import AT_ONCE, looked_up
from ptvc.replica.protocol import IndexOutput, InstallDataflow, LookUp
from ptvc.replica.workers import index_look_ups
from ptvc.replica.workers.divided_index import DividedIndex
from ptvc.replica.workers.member import Start
from ptvc.replica.workers.team import DividedDataflow, Team
from ptvc.repr.batch import NO_ERRORS, Batch, Delta
from ptvc.repr.schema import Schema
from ptvc.repr.types import INT4, INT8, TEXT

PAIRS = schema_of(INT4, TEXT)
PLAIN = keyed(r.Get("u1", PAIRS), 0)


def made(workers: int) -> Team:
    return Team(workers, Start(MemoryBlob(), MACHINE, "test", dict(os.environ)))


@pytest.fixture(params=[2, 3, 7])
def team(request: pytest.FixtureRequest) -> Iterator[Team]:
    team = made(request.param)
    yield team
    team.close()


@pytest.fixture
def two() -> Iterator[Team]:
    team = made(2)
    yield team
    team.close()


class Maintained:
    """An index as a replica maintains it; without a team, in one process."""

    def __init__(self, plan: DataflowPlan, key: tuple[int, ...], team: Team | None = None) -> None:
        command = InstallDataflow("i", plan, 0, (), IndexOutput(key))
        self.installed = Installed.made(command, MemoryBlob(), monotonic(), team)
        assert self.installed.index is not None
        self.index: Index = self.installed.index
        self.index.begin(0)
        assert isinstance(self.index, DividedIndex) == (team is not None)

    def step(self, inputs: dict[str, Delta], upper: int) -> None:
        stepped = self.installed.step(inputs, upper, is_read=False)
        self.installed.upper = upper
        self.index.insert(stepped.delta, upper)

    def insert(self, *rows: tuple[object, ...], time: int, diff: int = 1) -> None:
        self.step({"u1": Delta(batch_of(PAIRS, [(row, time, diff) for row in rows]), NO_ERRORS)}, time + 1)


def plain(team: Team | None) -> Maintained:
    return Maintained(lower(PLAIN[0]), PLAIN[1], team)


def counted(batch: Batch) -> Counter[tuple[object, ...]]:
    found = Counter[tuple[object, ...]]()
    for row, _, diff in updates_of(batch):
        found[row] += diff
    return found


def by_key(index: Index, keys: tuple[pa.Array, ...], time: int) -> list[Counter[tuple[object, ...]]]:
    rows, numbers = index.lookup_each(keys, time, range(len(index.schema)))
    assert (numbers[1:] >= numbers[:-1]).all(), "those of each key one behind the other"
    return [counted(rows.filter(numbers == i)) for i in range(len(keys[0]))]


def random_keys(random: Random, index: Index, schema: Schema, key: tuple[int, ...]) -> tuple[pa.Array, ...]:
    """Some that there may be, one that comes twice, and NULLs."""
    wanted = schema.project(key)
    rows = [random_row(random, wanted) for _ in range(random.choice((1, 1, 4, 20)))]
    rows += rows[:1] if random.random() < 0.3 else []
    return index.keys_of(list(zip(*rows, strict=True)))


def check_random_look_ups(team: Team, seeds: range) -> tuple[int, int]:
    """At several times, while steps come; texts, floats, decimals and NULLs among the keys.  How many times, and indexes whose rows move."""
    times, moved = 0, 0
    for seed in seeds:
        random = Random(40 + seed)
        relation, plan, key = random_index(random)
        if any(column.type not in _DRAWN for column in relation.schema.project(key)):
            continue
        histories = random_histories(random)
        one, several = Maintained(plan, key), Maintained(plan, key, team)
        moved += several.installed.dataflow.moves  # type: ignore[attr-defined]
        for lower_, upper in pairwise(random_cuts(random, TIMES)):
            inputs = {
                id_: Delta(batch_of(TABLES[id_], [u for u in updates if lower_ <= u[1] < upper]), NO_ERRORS)
                for id_, updates in histories.items()
                if id_ in plan.imports
            }
            for maintained in (one, several):
                maintained.step(dict(inputs), upper)
                maintained.index.advance_since(max(upper - 4, 0))
            for time in {several.index.since, random.randint(several.index.since, upper - 1), upper - 1}:
                keys = random_keys(random, one.index, relation.schema, key)
                assert by_key(several.index, keys, time) == by_key(one.index, keys, time), f"seed {seed}"
                assert counted(several.index.lookup(keys, time)) == counted(one.index.lookup(keys, time))
                assert counted(several.index.rows(time)) == counted(one.index.rows(time))
                times += 1
            for time in (upper, several.index.since - 1):
                with pytest.raises(ObjectNotReady):
                    several.index.lookup_each(keys, time, (0,))
        several.installed.clear()
    return times, moved


def test_random_look_ups_are_answered_as_by_one_process(team: Team) -> None:
    times, moved = check_random_look_ups(team, range(25))
    assert times > 100
    assert moved > 3


_DRAWN = {column.type for schema in TABLES.values() for column in schema} | {INT8}


def asked(*keys: object, columns: tuple[int, ...] = (1, 0), as_of: int = 0) -> LookUp:
    return LookUp(7, "i", (list(keys),), columns, as_of)


def test_errors_are_the_leaders_and_answer_nothing(two: Team) -> None:
    quotient = resolve_call("divide", (Literal(100, INT4), ColumnRef(0, INT4)))
    relation = r.Map(r.Get("u1", PAIRS), (quotient,), ("key0",))
    maintained = Maintained(lower(relation), (2,), two)
    maintained.insert(*[(i, str(i)) for i in range(1, 60)], time=0)
    maintained.insert((0, "none"), time=1)
    index = maintained.index
    for key in (100, 50, 33, 25, 20, 16, 7):
        assert looked_up(asked(key), lambda _: index).rows is not None
        assert looked_up(asked(key, as_of=1), lambda _: index).rows is None
    assert len(index.errors(1)) == 1
    maintained.insert((0, "none"), time=2, diff=-1)
    assert looked_up(asked(100, as_of=2), lambda _: index).rows is not None


def test_each_worker_holds_its_part_only(team: Team) -> None:
    maintained = plain(team)
    rows = [(i, f"a text of the row {i}") for i in range(30_000)]
    maintained.insert(*rows, time=0)
    one = plain(None)
    one.insert(*rows, time=0)
    held = [worker.state_rows for worker in maintained.installed.statistics().workers]
    assert sum(held) == 30_000
    assert max(held) < 1.1 * min(held)
    assert maintained.installed.nbytes == pytest.approx(one.installed.nbytes, rel=0.2)
    here = sum(spine.nbytes for spine in maintained.installed.held())
    assert here == pytest.approx(maintained.installed.nbytes / team.workers, rel=0.1)


def test_a_row_concerns_its_worker_only(team: Team) -> None:
    maintained = plain(team)
    maintained.insert(*[(i, "x") for i in range(100)], time=0)
    before = team.wires.messages
    for time in range(1, 21):
        maintained.insert((1_000 + time, "y"), time=time)
    assert team.wires.messages - before <= 20
    assert by_key(maintained.index, (pa.array([1_007], pa.int32()),), 20) == [{(1_007, "y", 1_007): 1}]


def test_many_rows_of_a_key_are_not_an_answer_to_a_look_up(two: Team) -> None:
    """Which worker has them does not matter; a peek has them all."""
    maintained = plain(two)
    maintained.insert(*[(i % 8, str(i)) for i in range(8 * (AT_ONCE + 1))], time=0)
    index = maintained.index
    for key in range(8):
        assert looked_up(asked(key), lambda _: index).rows is None
        assert len(index.lookup((pa.array([key], pa.int32()),), 0)) == AT_ONCE + 1
    assert looked_up(asked(9), lambda _: index).counts == (0,)


def test_look_ups_go_on_while_steps_come(team: Team) -> None:
    """Each of them sees whole steps: at every time as many rows of a key as there were steps."""
    maintained = plain(team)
    keys = list(range(20))
    maintained.insert(*[(key, "0") for key in keys], time=0)
    index, done = maintained.index, threading.Event()
    wrong: list[object] = []
    answered = [0]

    def look() -> None:
        random = Random(1)
        while not done.is_set():
            time = random.randint(index.since, index.upper - 1)
            some = random.sample(keys, random.choice((1, 5)))
            try:
                found = by_key(index, (pa.array(some, pa.int32()),), time)
            except ObjectNotReady:
                continue  # it was compacted meanwhile
            except Exception as error:
                wrong.append(error)
                raise
            if any(sum(rows.values()) != time + 1 for rows in found):
                wrong.append((time, found))
            answered[0] += 1

    reader = threading.Thread(target=look)
    reader.start()
    for time in range(1, 190):  # so many rows of five keys are an answer
        maintained.insert(*[(key, str(time)) for key in keys], time=time)
        if time % 7 == 0:
            index.advance_since(time - 3)
        if time % 50 == 0:
            assert sum(counted(index.rows(time)).values()) == 20 * (time + 1)
    done.set()
    reader.join()
    assert not wrong
    assert answered[0] > 20


def test_a_look_up_does_not_wait_for_a_long_step_of_another_dataflow(two: Team) -> None:
    maintained = plain(two)
    maintained.insert(*[(key, "x") for key in range(200)], time=0)
    pairs, key = r.Get("u2", schema_of(INT4, INT4)), (ColumnRef(0, INT4),)
    joined = r.Join(pairs, pairs, r.JoinKind.INNER, key, key)
    long = lower(r.Reduce(r.Distinct(joined), (ColumnRef(3, INT4),), ("k",), ()))
    other = DividedDataflow(two, long, 0)
    interrupt, took = Interrupt(), list[float]()

    def look() -> None:
        for i in range(100):
            begun = perf_counter()
            assert by_key(maintained.index, (pa.array([i], pa.int32()),), 0) == [{(i, "x", i): 1}]
            took.append(perf_counter() - begun)
        interrupt.set()

    reader = threading.Timer(0.3, look)
    reader.start()
    # 3,000 rows of one key are 9M pairs.
    rows = batch_of(pairs.schema, [((5, i), 0, 1) for i in range(3_000)])
    with pytest.raises(QueryCanceled), interruptible(interrupt):
        other.step({"u2": Delta(rows, NO_ERRORS)}, 0, 1)
    reader.join()
    assert len(took) == 100, "while the step was under way"
    assert median(took) < 0.1


def test_a_member_that_is_killed_is_lost_to_who_asks(two: Team) -> None:
    maintained = plain(two)
    maintained.insert(*[(key, "x") for key in range(50)], time=0)
    index = maintained.index
    os.kill(two.pids[0], signal.SIGKILL)
    found = [looked_up(asked(key), lambda _: index).rows is not None for key in range(50)]
    assert 10 < sum(found) < 40, "those of the leader"
    with pytest.raises(WorkerLost):
        index.held(0)
    with pytest.raises(WorkerLost):
        index.lookup((pa.array(range(50), pa.int32()),), 0)


def test_a_member_that_stands_still_is_not_waited_for_for_ever(
    two: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And what it answers later is not taken for another answer."""
    maintained = plain(two)
    maintained.insert(*[(key, str(key)) for key in range(50)], time=0)
    index = maintained.index
    stand_still(two.pids[0])
    try:
        with monkeypatch.context() as patch:
            patch.setattr(index_look_ups, "PATIENCE_S", 0.1)
            found = [looked_up(asked(key), lambda _: index).rows is not None for key in range(8)]
            assert not all(found)
    finally:
        os.kill(two.pids[0], signal.SIGCONT)
    deadline = monotonic() + 60
    for key in reversed(range(50)):  # other keys first than those whose answers are still to come
        while True:
            try:
                found = by_key(index, (pa.array([key], pa.int32()),), 0)
                break
            except ObjectNotReady:
                assert monotonic() < deadline
        assert found == [{(key, str(key), key): 1}]


def test_a_dataflow_that_members_do_not_have_any_more_finds_nothing(two: Team) -> None:
    maintained = plain(two)
    maintained.insert(*[(key, "x") for key in range(50)], time=0)
    maintained.installed.clear()
    two.ask(None)  # they have heard of it
    answers = [looked_up(asked(key), lambda _: maintained.index) for key in range(50)]
    assert any(answer.rows is None for answer in answers)
    with pytest.raises(PtvcError):
        maintained.index.lookup_each((pa.array(range(50), pa.int32()),), 0, (0,))


def test_mapped_files_of_members_are_there_while_they_are_read(two: Team, tmp_path: Path) -> None:
    maintained = plain(two)
    dataflow = maintained.installed.divided
    assert dataflow is not None
    dataflow.keep_others(str(tmp_path), 1_000, None)()
    rows = [(key, str(key)) for key in range(20_000)]
    maintained.insert(*rows, time=0)
    deadline = monotonic() + 60
    while dataflow.spill_others():
        assert monotonic() < deadline
    held = maintained.index.held(0)
    assert held.files
    assert held.file_rows > 9_000
    paths = [file.path for file in held.files]
    maintained.insert(*rows, time=1, diff=-1)
    maintained.index.advance_since(1)
    maintained.insert(*[(key, "again") for key in range(40_000)], time=2)
    while dataflow.spill_others():
        assert monotonic() < deadline
    dataflow.save_others(pack=False)()
    dataflow.sweep_others([{}])
    dataflow.save_others(pack=False)()  # behind it
    assert counted(held.at(maintained.index.schema, 0)) == Counter((*row, row[0]) for row in rows)
    assert all(path.exists() for path in paths)
    del held
    two.look()
    dataflow.sweep_others([{}])
    dataflow.save_others(pack=False)()
    assert not any(path.exists() for path in paths)
    RunStore(tmp_path, "test").collect()


def test_only_updates_up_to_a_time_are_its_rows(two: Team) -> None:
    maintained = plain(two)
    for time in range(6):
        maintained.insert((time % 3, str(time)), time=time)
    for time in range(6):
        updates = [((i % 3, str(i), i % 3), i, 1) for i in range(6)]
        assert counted(maintained.index.rows(time)) == rows_as_of(updates, time)
