"""Dataflows of a replica that share an index: readers lag behind it, it is compacted as far as may be, it comes and goes."""

from __future__ import annotations

from collections import Counter, defaultdict
from random import Random

import pytest
from ptvc.compute.lower import lower
from ptvc.compute.lower.shared_arrangements import IndexKey
from ptvc.expr.tree.relation import Get, Join, JoinKind, Map, Project
from ptvc.expr.tree.scalar import ColumnRef
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.replica.dataflows import Dataflows
from ptvc.replica.protocol import Append, Import, IndexOutput, InstallDataflow, Progress, Updates, ViewOutput
from ptvc.repr.types import INT8

from .support import SCHEMA, Update, imported, parts, written

A = ColumnRef(0, INT8)
JOIN = Project(Join(Get("t", SCHEMA), Get("u", SCHEMA), JoinKind.INNER, (A,), (A,)), (0,))
BEGIN = 10


class Collection:
    """What was written to `id`; readers have it below `upper`."""

    def __init__(self, random: Random, id: str) -> None:
        self.id = id
        self.updates: list[Update] = []
        self.upper = BEGIN
        self._random = random
        self._live: Counter[int] = Counter()

    def write(self, time: int) -> None:
        for _ in range(self._random.randrange(4)):
            value = self._random.randrange(4)
            diff = -1 if self._live[value] and self._random.random() < 0.5 else 1
            self._live[value] += diff
            self.updates.append((value, time, diff))

    def between(self, lower: int, upper: int) -> list[Update]:
        return [u for u in self.updates if lower <= u[1] < upper]

    def at(self, time: int) -> Counter[int]:
        contents: Counter[int] = Counter()
        for value, at, diff in self.updates:
            if at <= time:
                contents[value] += diff
        return contents


class Run:
    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.blob = MemoryBlob()
        self.dataflows = Dataflows(self.blob, "writer")
        self.t, self.u = Collection(self.random, "t"), Collection(self.random, "u")
        self.appends: list[Append] = []

    def source(self, collection: Collection, as_of: int, timestamped: bool) -> Import:
        snapshot = [(value, as_of, n) for value, n in collection.at(as_of).items() if n]
        upper = max(collection.upper, as_of + 1)
        return imported(
            self.blob,
            collection.id,
            as_of=as_of,
            upper=upper,
            snapshot=snapshot,
            updates=collection.between(as_of + 1, upper),
            timestamped=timestamped,
        )

    def install_index(self) -> None:
        as_of = self.t.upper - 1
        plan = lower(Map(Get("t", SCHEMA), (A,), ("key",)))
        source = self.source(self.t, as_of, True)
        self.install(InstallDataflow("i", plan, as_of, (source,), IndexOutput((1,))))

    def install_view(self, id: str) -> None:
        as_of = self.u.upper - 1
        plan = lower(JOIN, indexes=(IndexKey("i", "t", (0,)),))
        sources = (self.source(self.t, as_of, True), self.source(self.u, as_of, False))
        self.install(InstallDataflow(id, plan, as_of, sources, ViewOutput(id, 0)))

    def install(self, command: InstallDataflow) -> None:
        assert list(self.dataflows.install(command)) == []
        self.step()

    def step(self) -> None:
        self.appends += [m for m in self.dataflows.step() if isinstance(m, Append)]

    def advance(self, collection: Collection, upper: int, since: int) -> None:
        lower_, collection.upper = collection.upper, upper
        part = parts(self.blob, *updates) if (updates := collection.between(lower_, upper)) else ()
        news = (Updates(collection.id, lower_, upper, part),)
        self.dataflows.receive(Progress(self.t.upper, since, news))
        self.step()

    def check(self, id: str, begin: int) -> None:
        found: defaultdict[int, Counter[int]] = defaultdict(Counter)
        for value, time, diff in written(self.blob, self.appends, id):
            found[time][value] += diff
        contents: Counter[int] = Counter()
        for time in range(begin, self.u.upper):
            for value, diff in found[time].items():
                contents[value] += diff
            left, right = self.t.at(time), self.u.at(time)
            expected = {value: n * right[value] for value, n in left.items() if n * right[value]}
            assert {value: n for value, n in contents.items() if n} == expected, (id, time)


@pytest.mark.parametrize("seed", range(30))
def test_readers_that_lag_see_the_index_as_of_their_own_time(seed: int) -> None:
    run = Run(seed)
    random = run.random
    begins: dict[str, int] = {}
    there = random.random() < 0.8
    if there:
        run.install_index()
    now = BEGIN
    for round_ in range(40):
        run.t.write(now)
        run.u.write(now)
        now += 1
        since = random.randrange(BEGIN, now)
        run.advance(run.t, now, since)
        if random.random() < 0.4:
            run.advance(run.u, random.randint(run.u.upper, now), since)
        if round_ % 10 == 3:
            id = f"v{round_}"
            begins[id] = run.u.upper - 1
            run.install_view(id)
        if random.random() < 0.08:
            if there:
                run.dataflows.uninstall("i")
            else:
                run.install_index()
            there = not there
        if there and random.random() < 0.05:
            run.install_index()  # anew
    run.advance(run.u, now, now - 1)
    for id, begin in begins.items():
        run.check(id, begin)


def test_an_index_is_not_compacted_beyond_its_readers() -> None:
    run = Run(0)
    run.install_index()
    run.install_view("v")
    index = run.dataflows.index("i")
    for now in range(BEGIN + 1, BEGIN + 6):
        run.advance(run.t, now, now - 1)
    assert index.since == BEGIN - 1  # the view has its beginning only, as u stands still
    run.advance(run.u, BEGIN + 3, BEGIN + 4)
    run.advance(run.t, BEGIN + 7, BEGIN + 6)
    assert index.since == BEGIN + 2
    run.dataflows.uninstall("v")
    run.advance(run.t, BEGIN + 8, BEGIN + 7)
    assert index.since == BEGIN + 6  # it was complete below BEGIN + 7 when it was told
