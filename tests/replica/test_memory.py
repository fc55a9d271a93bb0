"""The memory limit: state goes to files first, then the largest dataflow fails, alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from ptvc.compute.lower import lower
from ptvc.compute.merge import merge_worker
from ptvc.errors import MemoryLimitExceeded, ReplicaUnavailable
from ptvc.expr.tree.relation import Get, Join, JoinKind
from ptvc.memory import machine_memory
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.replica import memory as memory_module
from ptvc.replica.dataflows import Dataflows
from ptvc.replica.memory import MemoryLimit
from ptvc.replica.protocol import (
    IndexOutput,
    InstallDataflow,
    Progress,
    StateOptions,
    Status,
    Updates,
    ViewOutput,
)

from .support import SCHEMA, identity, imported, install, parts


@pytest.fixture(autouse=True)
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_module, "CHECK_INTERVAL_S", -1.0)


@dataclass
class Held:
    """Of `nbytes` in memory `spillable` can be moved out."""

    nbytes: int
    spillable: int = 0
    waiting: int = 0
    failed: bool = False
    asked: int = 0

    def spill(self) -> bool:
        self.asked += 1
        self.nbytes -= self.spillable
        self.spillable = 0
        return False


def test_without_a_limit_nothing_is_looked_at() -> None:
    held = Held(1 << 40)
    assert MemoryLimit().check([held]) is None
    MemoryLimit().admit(held.waiting)
    assert held.asked == 0


def test_spilling_comes_first() -> None:
    limit = MemoryLimit()
    limit.limit = 100
    small, large = Held(40), Held(90, spillable=50)
    assert limit.check([small, large]) is None
    assert (small.asked, large.asked, large.nbytes) == (1, 1, 40)
    assert limit.check([small, large]) is None
    assert large.asked == 1, "what fits is left alone"


def test_the_largest_fails_until_the_rest_fits() -> None:
    limit = MemoryLimit()
    limit.limit = 1 << 20
    held = [Held(700_000), Held(900_000), Held(3 << 20), Held(1 << 40, failed=True)]
    failed = []
    while (found := limit.check(held)) is not None:
        holder, error = found
        assert error.sqlstate == "53200"
        failed.append((holder.nbytes, error.message))
        holder.failed = True
    assert [nbytes for nbytes, _ in failed] == [3 << 20, 900_000]
    assert failed[0][1] == (
        "it holds 3.0 MB in memory, all that its cluster maintains 4.5 MB, and the memory limit of the cluster is 1.0 MB"
    )


def test_what_waits_to_be_written_is_no_dataflows_fault() -> None:
    """It goes by itself; each that failed for it would have freed nothing."""

    class Waiting:
        nbytes = 3 << 20
        asked = 0

        def shed(self) -> int:
            self.asked += 1
            return 0

    limit, waiting = MemoryLimit(one_process=False), Waiting()
    limit.limit, limit.buffers = 1 << 20, (waiting,)
    held = [Held(48), Held(56)]
    assert limit.check(held) is None
    assert waiting.asked == 1
    held[0].nbytes = 2 << 20
    assert (found := limit.check(held)) is not None
    assert found[0] is held[0]


def test_what_cannot_be_taken_in_is_not_stepped() -> None:
    limit = MemoryLimit()
    limit.limit = 2_000
    limit.admit(2_000)
    with pytest.raises(MemoryLimitExceeded, match=r"has 2\.0 kB of changes to take in at once"):
        limit.admit(2_001)


def test_a_step_that_makes_too_many_rows_fails_in_its_middle(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it takes in is little: the pairs of a join are not, and nothing else looks before the step is over."""
    monkeypatch.setattr(memory_module, "STEP_PART", 1 << 60)  # a step may take nothing on top
    blob = MemoryBlob()
    dataflows = Dataflows(blob, "writer")
    dataflows.memory.limit = 1 << 20
    pairs = lower(Join(Get("t", SCHEMA), Get("t", SCHEMA), JoinKind.INNER, (), ()))
    small = imported(blob, "t", as_of=10, upper=11, snapshot=[(i, 5, 1) for i in range(20)])
    for id_ in ("v", "w"):
        plan = pairs if id_ == "v" else identity("t")
        assert not list(dataflows.install(InstallDataflow(id_, plan, 10, (small,), ViewOutput(id_, 0))))
    assert not [message for message in dataflows.step() if isinstance(message, Status)]
    more = parts(blob, *((i, 15, 1) for i in range(400)))
    dataflows.receive(Progress(20, 0, (Updates("t", 11, 20, more),)))
    (status,) = (message for message in dataflows.step() if isinstance(message, Status))
    assert (status.id, status.sqlstate) == ("v", "53200")
    assert "in memory in the middle of a step, which may take it to 1.0 MB" in (status.reason or "")
    monkeypatch.setattr(memory_module, "STEP_PART", 1)
    assert dataflows.memory.during_step == (1 << 20) + machine_memory()


def index(command: InstallDataflow, directory: Path) -> InstallDataflow:
    durable = StateOptions(str(directory), "f", 1 << 20, 1 << 30, 1 << 30)
    return replace(command, output=IndexOutput((0,)), durable=durable)


def test_an_index_that_is_too_large_is_moved_out_and_one_that_cannot_be_fails(tmp_path: Path) -> None:
    blob = MemoryBlob()
    dataflows = Dataflows(blob, "writer")
    rows = [(i, 5, 1) for i in range(5_000)]
    said: list[object] = []
    for name in ("i", "j"):
        source = imported(blob, "t", as_of=10, upper=11, snapshot=rows)
        said += dataflows.install(index(install(name, source, 0), tmp_path / name))
    said += dataflows.step()
    assert not any(isinstance(message, Status) for message in said)
    dataflows.memory.limit = 150_000
    while said := list(dataflows.limit_memory()):
        raise AssertionError(said)
    merge_worker().drain()
    held = [dataflows.index(name).spines()["index"] for name in ("i", "j")]
    assert [(spine.nbytes, spine.mapped_nbytes > 70_000) for spine in held] == [(0, True)] * 2
    assert len(dataflows.index("i").rows(10)) == 5_000

    # A change that is larger than the limit: whoever reads it fails, and holds nothing any more.
    more = parts(blob, *((i, 15, 1) for i in range(10_000)))
    dataflows.receive(Progress(20, 0, (Updates("t", 11, 20, more),)))
    statuses = [message for message in dataflows.step() if isinstance(message, Status)]
    assert [(status.id, status.sqlstate) for status in statuses] == [("i", "53200"), ("j", "53200")]
    assert all("MEMORY LIMIT" in (status.hint or "") for status in statuses)
    with pytest.raises(ReplicaUnavailable):
        dataflows.index("i")
