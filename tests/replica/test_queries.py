"""One-off queries in processes of their own: answers, cancellation, budgets, deaths."""

from __future__ import annotations

import os
import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from queue import SimpleQueue
from time import monotonic, sleep
from typing import Any

import pyarrow as pa
import pytest
from faults.standing_still import stand_still
from ptvc.compute.run_file import map_run, write_run
from ptvc.compute.spine import Spine
from ptvc.expr.registry import resolve_call
from ptvc.expr.tree import relation as r
from ptvc.expr.tree.scalar import ColumnRef, Literal
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.replica.index import HeldRows
from ptvc.replica.protocol import PeekFailed, PeekRows, decode
from ptvc.replica.queries import pool
from ptvc.replica.queries.answers import Start
from ptvc.replica.queries.pool import Pool
from ptvc.replica.queries.processes import LOW_PRIORITY, WorkerProcess
from ptvc.replica.queries.query import IndexContents, Query
from ptvc.repr.batch import NO_ERRORS, from_ipc
from ptvc.repr.types import INT4, INT8, TEXT
from ptvc.supervision import Supervisor

from .support import SCHEMA, delta, imported, updates_of

WAIT_S = 60.0


class Asked:
    """A pool, and what it has answered."""

    def __init__(self) -> None:
        self._answers: SimpleQueue[PeekRows | PeekFailed] = SimpleQueue()
        self.failures: list[tuple[str, BaseException]] = []
        supervisor = Supervisor(lambda name, error: self.failures.append((name, error)))
        self.pool = Pool(Start(MemoryBlob(), None, dict(os.environ)), self._deliver, supervisor)

    def _deliver(self, pieces: Iterable[bytes | memoryview]) -> None:
        self._answers.put(decode(b"".join(pieces)[4:]))

    def ask(self, peek_id: int, relation: r.Relation, **more: Any) -> None:
        self.pool.interrupts.of(peek_id)
        self.pool.submit(Query(peek_id, relation, 10, **more))

    def answer(self) -> PeekRows | PeekFailed:
        return self._answers.get(timeout=WAIT_S)

    def rows(self) -> list[tuple[Any, int]]:
        """The values of the first column of an answer of one message, with multiplicities."""
        message = self.answer()
        assert isinstance(message, PeekRows), message
        assert message.done
        batch = from_ipc(message.payload)
        found: Counter[Any] = Counter()
        for value, count in zip(batch.columns[0].to_pylist(), batch.diffs.tolist(), strict=True):
            found[value] += count
        return sorted(found.items())

    def failure(self) -> PeekFailed:
        message = self.answer()
        assert isinstance(message, PeekFailed), message
        return message

    @property
    def nothing(self) -> bool:
        return self._answers.empty()

    @property
    def pids(self) -> list[int]:
        """Of the workers that there are."""
        runners = self.pool._runners
        return [worker.pid for runner in runners if (worker := runner._worker) is not None]

    def worker(self) -> int:
        """The process that runs the only query, once there is one."""
        eventually(lambda: len(self.pids) == 1)
        return self.pids[0]


def eventually(condition: Callable[[], bool]) -> None:
    deadline = monotonic() + WAIT_S
    while not condition():
        assert monotonic() < deadline
        sleep(0.002)


def gone(pid: int) -> bool:
    """Whether the process has ended with all of its threads, waited for or not."""
    try:
        ended = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
        return ended and len(os.listdir(f"/proc/{pid}/task")) == 1
    except OSError:
        return True


@pytest.fixture
def asked() -> Iterator[Asked]:
    asked = Asked()
    yield asked
    asked.pool.close()


def numbers(*values: int) -> r.Relation:
    return r.Constant(tuple((value,) for value in values), SCHEMA)


def endless() -> r.Relation:
    """A recursion that ends after a while, and asks on the way whether it may go on."""
    itself = r.LocalGet("n", SCHEMA)
    successor = resolve_call("add", (ColumnRef(0, INT8), Literal(1, INT8)))
    mapped = r.Project(r.Map(itself, (successor,), ("next",)), (1,))
    return r.LetRec((r.Binding("n", r.Distinct(r.Union((numbers(0), mapped), SCHEMA))),), itself)


def large(count: int, rows: r.Relation) -> r.Relation:
    """A text of so many characters for each row."""
    text = resolve_call("repeat", (resolve_call("concat", (ColumnRef(0, INT8),)), Literal(count, INT4)))
    return r.Project(r.Map(rows, (text,), ("t",)), (1,))


def test_rows_of_a_snapshot(asked: Asked) -> None:
    source = imported(
        MemoryBlob(), "t", as_of=10, upper=11, snapshot=[(1, 3, 1), (2, 4, 1), (2, 5, 1), (1, 6, -1)]
    )
    asked.ask(1, r.Get("t", SCHEMA), inputs=(source,))
    assert asked.rows() == [(2, 2)]


def test_rows_of_an_index_in_memory_and_on_file(asked: Asked, tmp_path: Path) -> None:
    spine = Spine(SCHEMA, (0,))
    spine.insert(delta((1, 3, 1), (2, 4, 1)).oks)
    (first,) = spine.handle()
    write_run(tmp_path / "a.run", first)
    spine = Spine(SCHEMA, (0,))
    spine.insert(delta((2, 5, 1), (1, 6, -1), (9, 11, 1)).oks)
    runs = (map_run(tmp_path / "a.run"), *spine.handle())
    held = HeldRows(runs)
    contents = IndexContents.of_held("i", SCHEMA, held, NO_ERRORS)
    assert len(contents.files) == len(contents.rows) == 1
    asked.ask(1, r.Get("i", SCHEMA), index=contents)
    assert asked.rows() == [(2, 2)], "as of 10"
    assert updates_of(held.at(SCHEMA, 10)) == [(2, 10, 2)]
    assert len(held) == 5


def test_rows_of_an_index_that_other_processes_hold(asked: Asked, tmp_path: Path) -> None:
    spine = Spine(SCHEMA, (0,))
    spine.insert(delta((1, 3, 1), (2, 4, 1)).oks)
    (run,) = spine.handle()
    write_run(tmp_path / "a.run", run)
    (file,) = HeldRows((map_run(tmp_path / "a.run"),)).mapped
    held = HeldRows((), (delta((2, 5, 1), (1, 6, -1), (9, 11, 1)).oks,), (file,), 2)
    contents = IndexContents.of_held("i", SCHEMA, held, NO_ERRORS)
    assert len(contents.files) == len(contents.rows) == 1
    asked.ask(1, r.Get("i", SCHEMA), index=contents)
    assert asked.rows() == [(2, 2)], "as of 10"
    assert updates_of(held.at(SCHEMA, 10)) == [(2, 10, 2)]
    assert len(held) == 5


def test_an_error_is_the_query_s_and_the_worker_goes_on(asked: Asked) -> None:
    half = resolve_call("divide", (Literal(1, INT8), ColumnRef(0, INT8)))
    asked.ask(1, r.Map(numbers(0), (half,), ("h",)))
    assert asked.failure().sqlstate == "22012"
    before = asked.pids
    asked.ask(2, numbers(3))
    assert asked.rows() == [(3, 1)]
    assert asked.pids == before


def test_a_cancelled_query_stops_by_itself_and_its_worker_is_kept(
    asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "KILL_S", WAIT_S)
    asked.ask(1, endless())
    pid = asked.worker()
    asked.pool.interrupts.set_known(1)
    asked.ask(2, numbers(4))
    assert asked.rows() == [(4, 1)], "nothing is answered to what was cancelled"
    eventually(lambda: not asked.pool.interrupts.is_set(1))
    assert pid in asked.pids


def test_a_query_that_does_not_stop_is_killed_within_a_fifth_of_a_second(asked: Asked) -> None:
    asked.ask(1, endless())
    pid = asked.worker()
    stand_still(pid)  # as long as that, it does not look whether it may go on
    before = monotonic()
    asked.pool.interrupts.set_known(1)
    eventually(lambda: gone(pid))
    assert monotonic() - before < 1, "0.13 s, and a machine that is busy"
    asked.ask(2, numbers(4))
    assert asked.rows() == [(4, 1)]
    assert asked.nothing


def test_a_query_over_its_budget_is_ended_and_its_memory_is_free(asked: Asked) -> None:
    asked.ask(1, numbers(1))
    assert asked.rows() == [(1, 1)]
    asked.pool.budget = 64 << 20
    (pid,) = asked.pids
    source = imported(MemoryBlob(), "t", as_of=10, upper=11, snapshot=[(1, 3, 1)])
    asked.ask(2, large(400 << 20, r.Get("t", SCHEMA)), inputs=(source,))
    failed = asked.failure()
    assert failed.sqlstate == "53200"
    assert "the limit is 64.0 MB" in failed.message
    assert "query_memory_limit_mb" in (failed.hint or "")
    eventually(lambda: gone(pid))
    asked.ask(3, numbers(3))
    assert asked.rows() == [(3, 1)]


@pytest.mark.parametrize(("number", "sqlstate"), [(signal.SIGKILL, "53200"), (signal.SIGSEGV, "XX000")])
def test_a_worker_that_dies_fails_its_query_only(asked: Asked, number: signal.Signals, sqlstate: str) -> None:
    asked.ask(1, endless())
    pid = asked.worker()
    asked.ask(2, numbers(5))
    assert asked.rows() == [(5, 1)], "beside it"
    os.kill(pid, number)
    failed = asked.failure()
    assert (failed.peek_id, failed.sqlstate) == (1, sqlstate)
    asked.ask(3, numbers(6))
    assert asked.rows() == [(6, 1)]


def test_a_worker_that_died_while_nothing_was_asked_is_replaced(asked: Asked) -> None:
    asked.ask(1, numbers(1))
    assert asked.rows() == [(1, 1)]
    (pid,) = asked.pids
    os.kill(pid, signal.SIGKILL)
    eventually(lambda: gone(pid))
    asked.ask(2, numbers(2))
    assert asked.rows() == [(2, 1)]


def test_more_queries_than_may_run_wait_and_can_be_cancelled_there(
    asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "MOST", 1)
    asked.ask(1, endless())
    asked.worker()
    asked.ask(2, numbers(2))
    asked.ask(3, numbers(3))
    asked.pool.interrupts.set_known(2)
    assert asked.nothing
    asked.pool.interrupts.set_known(1)
    assert asked.rows() == [(3, 1)]
    asked.pool.interrupts.set_known(3)  # too late: nothing is kept of it
    assert not asked.pool.interrupts.is_set(3)


def test_a_worker_keeps_little_memory_while_nothing_is_asked(
    asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "IDLE_S", 0.01)
    monkeypatch.setattr(pool, "KEPT_BYTES", -1)
    asked.ask(1, numbers(1))
    assert asked.rows() == [(1, 1)]
    eventually(lambda: len(asked.pids) == 1)
    asked.ask(2, numbers(2))
    assert asked.rows() == [(2, 1)], "while it is replaced, or afterwards"


def test_a_long_query_leaves_the_cores_to_others(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "LONG_S", 0.0)
    asked.ask(1, endless())
    pid = asked.worker()
    eventually(lambda: os.getpriority(os.PRIO_PROCESS, pid) == LOW_PRIORITY)
    assert os.getsid(pid) == os.getsid(0), "else the priority may mean nothing to the other processes"
    assert os.getpgid(pid) != os.getpgid(0), "a Ctrl-C is for the owner"
    asked.pool.interrupts.set_known(1)
    eventually(lambda: gone(pid))  # the next one is to have the usual priority
    asked.ask(2, numbers(2))
    assert asked.rows() == [(2, 1)]


def test_a_query_that_waits_for_a_core_is_not_long(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[WorkerProcess] = []

    def waiting(worker: WorkerProcess) -> float:
        looks.append(worker)
        return 7.0

    monkeypatch.setattr(pool, "LONG_S", 1e-9)
    monkeypatch.setattr(WorkerProcess, "cpu_seconds", property(waiting))
    asked.ask(1, endless())
    pid = asked.worker()
    eventually(lambda: len(looks) > 3)
    assert os.getpriority(os.PRIO_PROCESS, pid) == 0
    asked.pool.interrupts.set_known(1)


def test_the_cpu_time_of_a_worker_grows_while_it_computes(asked: Asked) -> None:
    asked.ask(1, endless())
    asked.worker()
    worker = asked.pool._runners[0]._worker
    assert worker is not None
    before = worker.cpu_seconds
    assert before is not None
    eventually(lambda: (worker.cpu_seconds or 0.0) > before + 0.05)
    asked.pool.interrupts.set_known(1)


def test_closing_ends_what_runs_and_all_processes(asked: Asked) -> None:
    asked.ask(1, endless())
    pid = asked.worker()
    asked.pool.close()
    eventually(lambda: gone(pid))
    asked.ask(2, numbers(2))
    assert asked.nothing


def test_the_fork_server_that_died_is_started_anew(asked: Asked) -> None:
    asked.ask(1, numbers(1))
    assert asked.rows() == [(1, 1)]
    process = pool.SERVER._process
    assert process is not None
    (pid,) = asked.pids
    process.kill()
    eventually(lambda: gone(pid))
    asked.ask(2, numbers(2))
    assert asked.rows() == [(2, 1)]


def test_texts_come_back_whole(asked: Asked) -> None:
    asked.ask(1, large(5 << 20, numbers(7)))
    ((text, _),) = asked.rows()
    assert text == "7" * (5 << 20)
    assert pa.scalar(text).type == TEXT.arrow


def test_an_answer_of_large_rows_comes_in_pieces(asked: Asked) -> None:
    text = resolve_call("repeat", (resolve_call("concat", (ColumnRef(0, INT8),)), Literal(7 << 20, INT4)))
    asked.ask(1, r.Project(r.Map(numbers(1, 2, 3, 4, 5), (text,), ("t",)), (1,)))
    found: list[str] = []
    done: list[bool] = []
    while not done or not done[-1]:
        message = asked.answer()
        assert isinstance(message, PeekRows), message
        assert len(message.payload) < 17 << 20
        found += [value[0] for value in from_ipc(message.payload).columns[0].to_pylist()]
        done.append(message.done)
    assert sorted(found) == ["1", "2", "3", "4", "5"]
    assert done == [False, False, True]


def test_threads_end_with_the_pool() -> None:
    asked = Asked()
    asked.ask(1, numbers(1))
    assert asked.rows() == [(1, 1)]
    (runner,) = asked.pool._runners
    asked.pool.close()
    runner.thread.join(WAIT_S)
    assert not runner.thread.is_alive()
    assert runner.thread not in threading.enumerate()


def test_a_thread_of_the_pool_that_fails_is_the_replica_s_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, failed = Asked(), threading.Event()

    def broken(*_: object) -> None:
        raise RuntimeError("a defect")

    monkeypatch.setattr(asked.pool.supervisor, "_on_failure", lambda name, error: failed.set())
    monkeypatch.setattr(asked.pool, "next", broken)
    asked.ask(1, numbers(1))
    assert failed.wait(WAIT_S)
    assert str(asked.pool.supervisor.failure) == "a defect"
    asked.pool.close()
