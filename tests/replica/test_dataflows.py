"""The dataflows of a replica: hand-over in memory, what was not acknowledged yet, and exactly-once output."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from ptvc.compute.dataflow import Dataflow
from ptvc.compute.lower import lower
from ptvc.compute.plan import Node, reading
from ptvc.errors import DiskFull, InvalidUsage, StorageError
from ptvc.expr.tree.relation import Distinct, Filter, Get, Project
from ptvc.expr.tree.scalar import Call, ColumnRef, Literal
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.persist.part import BlobKey
from ptvc.replica import blob_retry
from ptvc.replica.dataflows import Dataflows
from ptvc.replica.protocol import (
    Adopt,
    Append,
    Appended,
    Halt,
    Hydrated,
    IndexOutput,
    InstallDataflow,
    Progress,
    Repoint,
    Status,
    Updates,
    ViewOutput,
)
from ptvc.repr.batch import Delta
from ptvc.repr.types import BOOL, INT8
from ptvc.retry import Backoff

from .support import SCHEMA, Update, identity, imported, install, parts, written


class Replica:
    """Dataflows, and everything that they have said."""

    def __init__(self) -> None:
        self.blob = MemoryBlob()
        self.dataflows = Dataflows(self.blob, "writer")
        self.said: list[object] = []

    def install(self, command: InstallDataflow) -> None:
        self.said += self.dataflows.install(command)

    def commit(self, id: str, lower: int, upper: int, *updates: Update) -> None:
        """The coordinator's word of a commit of a table, and that time has come to `upper`."""
        part = parts(self.blob, *updates) if updates else ()
        self.dataflows.receive(Progress(upper, 0, (Updates(id, lower, upper, part),)))
        self.said += self.dataflows.step()

    @property
    def appends(self) -> list[Append]:
        """Not those that only say what has been computed."""
        return [message for message in self.said if isinstance(message, Append) and message.uppers]

    def upper(self, id: str) -> int:
        return max((u for append in self.appends for i, u in append.uppers if i == id), default=0)

    def acknowledge(self) -> None:
        self.dataflows.acknowledge(Appended(self.appends[-1].uppers))


def test_a_view_hydrates_and_follows() -> None:
    r = Replica()
    r.install(install("v", imported(r.blob, "t", as_of=10, upper=11, snapshot=[(1, 5, 1), (-1, 5, 1)]), 0))
    r.said += r.dataflows.step()
    assert [type(message) for message in r.said] == [Append, Hydrated, Append]
    assert r.said[0] == Append((), (), (("v", 11),)), "what has been computed is said before it is written"
    r.commit("t", 11, 20, (2, 15, 1), (-2, 15, 1))
    r.commit("t", 20, 30, (1, 25, -1))
    assert written(r.blob, r.appends, "v") == [(1, 10, 1), (1, 25, -1), (2, 15, 1)]
    assert r.upper("v") == 30


def test_progress_without_data_appends_nothing() -> None:
    r = Replica()
    r.install(install("v", imported(r.blob, "t", as_of=10, upper=11), 0))
    r.commit("t", 11, 20)
    assert [append.writes for append in r.appends] == [()]
    assert r.upper("v") == 20


def test_what_idles_is_announced_and_goes_on() -> None:
    """A view, one that reads it, and an index: hydrated, then without anything to do, then with it."""
    r = Replica()
    r.install(install("v", imported(r.blob, "t", as_of=10, upper=11, snapshot=[(1, 5, 1)]), 0))
    r.install(install("w", imported(r.blob, "v", as_of=10, upper=11, timestamped=False), 0))
    index = install("i", imported(r.blob, "v", as_of=10, upper=11, timestamped=False), 0)
    r.install(replace(index, output=IndexOutput((0,))))
    r.commit("t", 11, 20, (2, 15, 1))
    steps = [r.dataflows._installed[id].dataflow.steps for id in "vwi"]
    r.said.clear()
    r.commit("t", 20, 30)
    assert [(append.writes, append.uppers) for append in r.appends] == [
        ((), (("i", 30),)),
        ((), (("v", 30), ("w", 30))),
    ]
    assert [r.dataflows._installed[id].dataflow.steps for id in "vwi"] == steps
    r.dataflows.uninstall("w")
    r.commit("t", 30, 40)
    assert r.appends[-1].uppers == (("v", 40),)
    r.commit("t", 40, 50, (3, 45, 1))
    assert written(r.blob, r.appends, "v") == [(3, 45, 1)]
    assert r.upper("i") == 50


def test_a_reader_is_handed_what_its_producer_writes() -> None:
    r = Replica()
    r.install(install("v", imported(r.blob, "t", as_of=10, upper=11, snapshot=[(1, 5, 1)]), 0))
    r.install(install("w", imported(r.blob, "v", as_of=10, upper=11, timestamped=False), 0))
    r.commit("t", 11, 20, (2, 15, 1))
    # In the same step, before anything was committed.
    assert written(r.blob, r.appends, "w") == [(2, 15, 1)]  # what was before, its import says, is complete
    assert len(r.appends) == 1


def test_indexes_are_announced_before_what_views_write() -> None:
    r = Replica()
    r.install(install("v", imported(r.blob, "t", as_of=10, upper=11), 0))
    index = install("i", imported(r.blob, "v", as_of=10, upper=11, timestamped=False), 0)
    r.install(replace(index, output=IndexOutput((0,))))
    r.commit("t", 11, 20, (1, 15, 1))
    assert [(append.uppers, len(append.writes)) for append in r.appends] == [
        ((("i", 20),), 0),
        ((("v", 20),), 1),
    ]


def test_a_view_whose_output_cannot_be_written_fails_alone() -> None:
    class Broken(MemoryBlob):
        def put(self, key: str, data: bytes) -> None:
            if key.startswith("v/"):
                raise StorageError("no such luck")
            super().put(key, data)

    r = Replica()
    r.blob = Broken()
    r.dataflows = Dataflows(r.blob, "writer")
    for id in ("v", "w"):
        r.install(install(id, imported(r.blob, "t", as_of=10, upper=11), 0))
    r.commit("t", 11, 20, *((n, 15, 1) for n in range(10_000)))
    assert [m for m in r.said if isinstance(m, Status)] == [Status("v", "failed", "no such luck")]
    assert [m.id for m in r.said if isinstance(m, Hydrated)] == ["w"]
    assert [append.uppers for append in r.appends] == [(("w", 20),)]
    assert len(written(r.blob, r.appends, "w")) == 10_000


def test_a_view_whose_output_finds_no_room_waits_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blob_retry, "NO_ROOM", Backoff(0, 0))

    class Full(MemoryBlob):
        refusals = 3

        def put(self, key: str, data: bytes) -> None:
            if key.startswith("v/") and self.refusals:
                self.refusals -= 1
                raise DiskFull("no space")
            super().put(key, data)

    r = Replica()
    r.blob = Full()
    r.dataflows = Dataflows(r.blob, "writer")
    r.install(install("v", imported(r.blob, "t", as_of=10, upper=11), 0))
    r.commit("t", 11, 20, *((n, 15, 1) for n in range(10_000)))
    assert [m for m in r.said if isinstance(m, Status)] == []
    assert len(written(r.blob, r.appends, "v")) == 10_000
    r.blob.refusals = 1_000_000_000
    r.dataflows.abandon("v")
    r.commit("t", 20, 30, *((n, 25, 1) for n in range(10_000)))
    assert len(written(r.blob, r.appends, "v")) == 10_000, "nobody wants it any more"


class Dropping(MemoryBlob):
    """The dataflow is dropped while the first of its parts is read."""

    def __init__(self) -> None:
        super().__init__()
        self.reads = 0
        self.read_first: Callable[[], None] = lambda: None

    def get(self, key: BlobKey) -> bytes:
        self.reads += 1
        if self.reads == 1:
            self.read_first()
        return super().get(key)


def test_a_view_that_is_dropped_while_its_contents_are_read_reads_no_further() -> None:
    r = Replica()
    blob = r.blob = Dropping()
    r.dataflows = Dataflows(blob, "writer")
    blob.read_first = lambda: r.dataflows.abandon("v")
    source = imported(blob, "t", as_of=10, upper=11, snapshot=[(n, 10, 1) for n in range(50_000)])
    several = replace(source, snapshot=source.snapshot * 20)
    r.install(install("v", several, 0))
    assert blob.reads == 1
    r.said += r.dataflows.step()
    assert r.said == [], "who has dropped it is not told"
    r.dataflows.uninstall("v")
    r.install(install("v", source, 0))
    r.said += r.dataflows.step()
    assert [m.id for m in r.said if isinstance(m, Hydrated)] == ["v"], "the next of that name is another"


def test_a_view_that_is_dropped_in_its_first_step_stops_between_operators(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    r = Replica()
    ran: list[str] = []
    apply = Dataflow._apply

    def dropped(self: Dataflow, node: Node, *arguments: Any) -> Delta:
        ran.append(type(node.op).__name__)
        r.dataflows.abandon("v")
        return apply(self, node, *arguments)

    monkeypatch.setattr(Dataflow, "_apply", dropped)
    source = imported(r.blob, "t", as_of=10, upper=11, snapshot=[(1, 10, 1)])
    once = Filter(Get("t", SCHEMA), (Call("ge", (ColumnRef(0, INT8), Literal(0, INT8)), BOOL),))
    plan = lower(Distinct(Project(Distinct(once), (0,))))
    r.install(InstallDataflow("v", plan, 10, (source,), ViewOutput("v", 0)))
    r.said += r.dataflows.step()
    assert len(ran) == 1 < len(plan.nodes) - 1
    assert r.said == []


def test_an_import_that_is_installed_while_outputs_are_in_flight() -> None:
    """Durable at the time of the import: nothing of v beyond 11.  In flight: two steps of it."""
    r = Replica()
    r.install(install("v", imported(r.blob, "t", as_of=10, upper=11), 0))
    r.commit("t", 11, 20, (1, 15, 1))
    r.commit("t", 20, 30, (2, 25, 1))
    r.install(install("w", imported(r.blob, "v", as_of=10, upper=11, timestamped=False), 11))
    r.commit("t", 30, 40, (3, 35, 1))
    assert written(r.blob, r.appends, "w") == [(1, 15, 1), (2, 25, 1), (3, 35, 1)]


def test_an_import_of_what_is_durable_in_part() -> None:
    """The import holds the first step, the second was not acknowledged; it is not counted twice."""
    r = Replica()
    r.install(install("v", imported(r.blob, "t", as_of=10, upper=11), 0))
    r.commit("t", 11, 20, (1, 15, 1))
    r.acknowledge()
    r.commit("t", 20, 30, (2, 25, 1))
    source = imported(r.blob, "v", as_of=16, upper=20, snapshot=[(1, 15, 1)], timestamped=False)
    r.install(install("w", source, 0))
    r.commit("t", 30, 40, (3, 35, 1))
    assert written(r.blob, r.appends, "w") == [(1, 16, 1), (2, 25, 1), (3, 35, 1)]


def test_its_own_commits_are_no_news_to_the_readers_of_a_local_view() -> None:
    r = Replica()
    r.install(install("v", imported(r.blob, "t", as_of=10, upper=11), 0))
    r.install(install("w", imported(r.blob, "v", as_of=10, upper=11, timestamped=False), 11))
    r.commit("t", 11, 20, (1, 15, 1))
    [write] = [w for append in r.appends for w in append.writes if w.id == "v"]
    r.dataflows.receive(Progress(20, 0, (write,)))
    r.commit("t", 20, 30)
    assert written(r.blob, r.appends, "w") == [(1, 15, 1)]


def test_a_view_of_another_replica_comes_by_commits() -> None:
    r = Replica()
    r.install(install("w", imported(r.blob, "v", as_of=10, upper=11, timestamped=False), 0))
    r.dataflows.receive(Progress(99, 0, (Updates("v", 11, 20, parts(r.blob, (1, 15, 1))),)))
    r.said += r.dataflows.step()
    assert r.upper("w") == 20  # not 99: a view is complete below its own frontier
    r.dataflows.receive(Progress(99, 0, (), (("v", 50),)))
    r.said += r.dataflows.step()
    assert r.upper("w") == 50
    assert written(r.blob, r.appends, "w") == [(1, 15, 1)]


def repointed(r: Replica, old: str, new: str, upper: int, fingerprint: str = "new") -> Repoint:
    source = imported(r.blob, new, as_of=upper - 1, upper=upper, timestamped=False)
    return Repoint("w", reading(identity(old), {old: new}), ((old, source),), fingerprint)


def test_a_dataflow_goes_on_with_another_input() -> None:
    """From where it is: what comes of the former one counts no more, and of the new one nothing before."""
    r = Replica()
    r.install(install("w", imported(r.blob, "r", as_of=10, upper=11, timestamped=False), 0))
    r.dataflows.receive(Progress(99, 0, (Updates("r", 11, 20, parts(r.blob, (1, 15, 1))),)))
    r.said += r.dataflows.step()
    r.dataflows.repoint(repointed(r, "r", "v", 20))
    r.dataflows.receive(Progress(99, 0, (Updates("r", 20, 30, parts(r.blob, (2, 25, 1))),)))
    r.said += r.dataflows.step()
    assert r.upper("w") == 20
    r.dataflows.receive(Progress(99, 0, (Updates("v", 11, 30, parts(r.blob, (3, 15, 1), (4, 22, 1))),)))
    r.said += r.dataflows.step()
    assert r.upper("w") == 30
    assert written(r.blob, r.appends, "w") == [(1, 15, 1), (4, 22, 1)]


def test_a_dataflow_goes_on_with_what_a_dataflow_of_the_replica_has_become() -> None:
    r = Replica()
    r.install(install("r", imported(r.blob, "t", as_of=10, upper=11), 0))
    r.install(install("w", imported(r.blob, "r", as_of=10, upper=11, timestamped=False), 0))
    r.dataflows.halt(Halt("r", 20))
    r.commit("t", 11, 30, (1, 15, 1), (2, 25, 1))
    assert r.upper("w") == 20
    r.dataflows.adopt(Adopt("v", "r", ViewOutput("v", 20)))
    r.dataflows.repoint(repointed(r, "r", "v", 20))
    r.dataflows.halt(Halt("r", None))
    r.said += r.dataflows.step()
    assert written(r.blob, r.appends, "w") == [(1, 15, 1), (2, 25, 1)]
    assert r.upper("w") == r.upper("v") == 30


def test_an_input_has_another_place_only_at_one_time() -> None:
    r = Replica()
    r.install(install("w", imported(r.blob, "r", as_of=10, upper=15, timestamped=False), 0))
    with pytest.raises(InvalidUsage, match="cannot be read from 20 on"):
        r.dataflows.repoint(repointed(r, "r", "v", 20))


def test_a_restarted_dataflow_writes_only_what_is_not_durable() -> None:
    """After every prefix of commits a successor takes over from what is durable: the union is the history."""
    for seed in range(20):
        rng = random.Random(seed)
        history: list[Update] = []
        durable: list[Update] = []
        durable_upper, table_upper = 0, 1
        for _ in range(5):
            r = Replica()
            as_of = max(durable_upper - 1, 0)
            source = imported(
                r.blob,
                "t",
                as_of=as_of,
                upper=table_upper,
                snapshot=[u for u in history if u[1] <= as_of],
                updates=[u for u in history if u[1] > as_of],
            )
            r.install(install("v", source, durable_upper))
            r.said += r.dataflows.step()
            for _ in range(rng.randrange(5)):
                upper = table_upper + rng.randrange(1, 6)
                change = [
                    (rng.randrange(5), rng.randrange(table_upper, upper), rng.choice([1, 1, -1]))
                    for _ in range(rng.randrange(3))
                ]
                history += change
                r.commit("t", table_upper, upper, *change)
                table_upper = upper
            # Of what was said, only a prefix was committed when the replica died.
            kept = r.appends[: rng.randrange(len(r.appends) + 1)]
            durable += written(r.blob, kept, "v")
            durable_upper = max([durable_upper, *(w.upper for a in kept for w in a.writes)])
        totals: dict[int, int] = {}
        for value, time, diff in history:
            if time < durable_upper:
                totals[value] = totals.get(value, 0) + diff
        for value, _, diff in durable:
            totals[value] = totals.get(value, 0) - diff
        assert not any(totals.values()), seed


def test_installing_once_more_starts_from_what_is_durable() -> None:
    r = Replica()
    r.install(install("v", imported(r.blob, "t", as_of=10, upper=11, snapshot=[(1, 5, 1)]), 0))
    r.commit("t", 11, 20, (2, 15, 1))
    source = imported(r.blob, "t", as_of=19, upper=20, snapshot=[(1, 5, 1), (2, 15, 1)])
    r.install(install("v", source, 20))
    r.commit("t", 20, 30, (3, 25, 1))
    assert written(r.blob, r.appends, "v") == [(1, 10, 1), (2, 15, 1), (3, 25, 1)]


def test_a_dataflow_that_cannot_be_installed_says_so_and_leaves_the_others_running() -> None:
    r = Replica()
    r.install(install("good", imported(r.blob, "t", as_of=10, upper=11), 0))
    source = imported(r.blob, "t", as_of=10, upper=11)
    missing = replace(parts(r.blob, (1, 5, 1))[0], inline=None, blob="shard/missing")
    r.install(install("bad", replace(source, snapshot=(missing,)), 0))
    assert [m.id for m in r.said if isinstance(m, Status) and m.state == "failed"] == ["bad"]
    r.commit("t", 11, 20, (2, 15, 1))
    r.commit("t", 20, 30, (3, 25, 1))
    assert written(r.blob, r.appends, "good") == [(2, 15, 1), (3, 25, 1)]
    assert r.upper("bad") == 0


def test_uninstalled_dataflows_hear_nothing() -> None:
    r = Replica()
    r.install(install("v", imported(r.blob, "t", as_of=10, upper=11), 0))
    r.dataflows.uninstall("v")
    r.dataflows.uninstall("never there")
    r.commit("t", 11, 20, (1, 15, 1))
    assert r.said == []


@pytest.mark.parametrize("where", ["dataflows.begin", "installed.Dataflow"])
def test_a_dataflow_that_cannot_begin_for_whatever_reason_leaves_the_others_running(
    where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ValueError("no idea")

    r = Replica()
    r.install(install("good", imported(r.blob, "t", as_of=10, upper=11), 0))
    with monkeypatch.context() as patch:
        patch.setattr(f"ptvc.replica.{where}", broken)
        r.install(install("bad", imported(r.blob, "t", as_of=10, upper=11), 0))
    assert [(m.id, m.reason) for m in r.said if isinstance(m, Status)] == [
        ("bad", "internal error: ValueError('no idea')")
    ]
    r.commit("t", 11, 20, (2, 15, 1))
    assert written(r.blob, r.appends, "good") == [(2, 15, 1)]
    r.install(install("bad", imported(r.blob, "t", as_of=19, upper=20, snapshot=[(2, 15, 1)]), 0))
    r.commit("t", 20, 30)
    assert written(r.blob, r.appends, "bad") == [(2, 19, 1)]


def test_what_has_failed_holds_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    r = Replica()
    command = install("x", imported(r.blob, "t", as_of=10, upper=11, snapshot=[(1, 5, 1)]), 0)
    r.install(replace(command, output=IndexOutput((0,))))
    r.commit("t", 11, 20, (2, 15, 1))
    (installed,) = r.dataflows._installed.values()
    assert installed.nbytes > 0

    def broken(*_: object) -> None:
        raise ValueError("no idea")

    with monkeypatch.context() as patch:
        patch.setattr(Dataflow, "step", broken)
        r.commit("t", 20, 30, (3, 25, 1))
    r.commit("t", 30, 40, (4, 35, 1))
    assert installed.failed
    assert installed.nbytes == 0
