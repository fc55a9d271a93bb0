"""A sink that is given something else to read before its target shows what it was given before."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.persist.write import write_parts
from ptvc.replica.egress import Egress
from ptvc.replica.protocol import (
    FormerInput,
    Import,
    InstallSink,
    Progress,
    SinkDescription,
    SinkProgress,
    Updates,
)
from ptvc.repr.batch import Delta, batch_from_rows, empty_batch
from ptvc.repr.schema import ERROR_SCHEMA

from .support import SCHEMA, Update, imported, parts
from .test_sources_and_sinks import Sent, records

FIRST = 10
ONE: list[Update] = [(1, FIRST, 1), (2, FIRST, 1), (1, 24, -1)]
TWO: list[Update] = [(2, FIRST, 1), (3, FIRST, 1), (4, 25, 1)]
THREE: list[Update] = [(2, FIRST, 1), (5, FIRST, 1), (6, 33, 1), (2, 41, -1)]
ALL = {"one": ONE, "two": TWO, "three": THREE}
"""What the sink reads, one after the other: two from 20 on, three from 30 on."""
LASTS = (20, 30)


def contents(history: list[Update], time: int) -> Counter[int]:
    found: Counter[int] = Counter()
    for value, at, diff in history:
        if at <= time:
            found[value] += diff
    return +found


class Replica:
    def __init__(self, out: Path) -> None:
        self.out = out
        self.blob = MemoryBlob()
        self.sent = Sent()
        self.sinks = Egress(self.blob, self.sent)
        self.terms = 0

    def read(self, name: str, as_of: int, upper: int) -> Import:
        known = [update for update in ALL[name] if update[1] < upper]
        return imported(
            self.blob,
            name,
            as_of=as_of,
            upper=upper,
            snapshot=[(value, min(time, as_of), diff) for value, time, diff in known if time <= as_of],
            updates=[update for update in known if update[1] > as_of],
            timestamped=False,
        )

    def install(self, generation: int, as_of: int, upper: int, oldest: int = 0, **uppers: int) -> None:
        """The sink as it is after so many exchanges; `uppers` are those of inputs that are not complete below `upper`."""
        self.terms += 1
        names = list(ALL)[: generation + 1]
        begins = [max(as_of, *LASTS[oldest:place]) if place > oldest else as_of for place in range(3)]
        inputs = [self.read(name, begins[place], uppers.get(name, upper)) for place, name in enumerate(names)]
        formers = tuple(
            FormerInput(inputs[place], place, LASTS[place]) for place in range(oldest, generation)
        )
        options = {"path": str(self.out), "format": "json"}
        description = SinkDescription("file", options, "none", (), generation, FIRST)
        self.sinks.install(InstallSink("k", "snk", description, inputs[-1], self.terms, formers))

    def commit(self, name: str, lower: int, upper: int, error: int = 0) -> None:
        """What the input has in these times; `error` is what comes or goes of an error at the first."""
        oks = [update for update in ALL[name] if lower <= update[1] < upper]
        written = parts(self.blob, *oks) if oks else ()
        if error:
            errs = batch_from_rows(ERROR_SCHEMA, [("22012", "division by zero")], lower, error)
            written += write_parts(
                self.blob, "shard", SCHEMA, Delta(empty_batch(SCHEMA), errs), writer="test"
            )
        self.sinks.receive(Progress(upper, 0, (Updates(name, lower, upper, written),)))

    def await_generation(self, generation: int, upper: int) -> None:
        while True:
            progress = self.sent.next(SinkProgress)
            if (progress.generation, progress.upper) >= (generation, upper):
                return

    def written(self) -> list[Update]:
        return [(record["a"], record["mz_timestamp"], record["mz_diff"]) for record in records(self.out)]

    def generation(self) -> int:
        found: int = json.loads((self.out / "manifest.json").read_text()).get("generation", 0)
        return found

    def holds(self, time: int) -> Counter[int]:
        """Asserts that no row is taken that is not there."""
        found = self.written()
        for at in sorted({update[1] for update in found}):
            so_far: Counter[int] = Counter()
            for value, when, diff in found:
                if when <= at:
                    so_far[value] += diff
            assert min(so_far.values()) >= 0
        return contents(found, time)


@pytest.fixture
def replica(tmp_path: Path) -> Replica:
    return Replica(tmp_path / "out")


def test_a_target_that_never_showed_the_second_goes_over_to_the_third(replica: Replica) -> None:
    replica.install(0, FIRST, 26)
    replica.await_generation(0, 26)
    replica.install(2, 25, 40, two=15)
    replica.await_generation(2, 40)
    assert replica.generation() == 2
    assert [update for update in replica.written() if update[0] in (3, 4)] == []
    for time, shown in ((23, ONE), (30, ONE), (31, THREE), (39, THREE)):
        assert replica.holds(time) == contents(shown, time)
    replica.commit("three", 40, 50)
    replica.await_generation(2, 50)
    assert replica.holds(49) == contents(THREE, 49)
    replica.sinks.close()


def test_a_target_that_shows_the_second_goes_over_from_that(replica: Replica) -> None:
    """Though it is installed as of a time at which it is not known to."""
    replica.install(0, FIRST, 18)
    replica.await_generation(0, 18)
    replica.install(1, 17, 28)
    replica.await_generation(1, 28)
    assert replica.holds(27) == contents(TWO, 27)
    replica.install(2, 17, 40)
    replica.await_generation(2, 40)
    for time, shown in ((20, ONE), (21, TWO), (27, TWO), (30, TWO), (31, THREE), (39, THREE)):
        assert replica.holds(time) == contents(shown, time)
    replica.sinks.close()


def test_a_target_that_shows_the_third_goes_on(replica: Replica) -> None:
    replica.install(0, FIRST, 18)
    replica.await_generation(0, 18)
    replica.install(2, 17, 40, two=40)
    replica.await_generation(2, 40)
    before = replica.written()
    replica.install(2, 17, 40)
    replica.commit("three", 40, 50)
    replica.await_generation(2, 50)
    assert replica.written()[: len(before)] == before
    assert replica.holds(49) == contents(THREE, 49)
    replica.sinks.close()


def test_a_sink_that_waits_to_go_from_an_error_to_an_error_goes_over_to_what_is_in_none(
    replica: Replica,
) -> None:
    replica.install(0, FIRST, 18)
    replica.await_generation(0, 18)
    replica.commit("one", 18, 19, error=1)
    replica.sent.state("stalled")
    replica.install(1, 17, 19)
    replica.commit("two", 19, 28, error=1)
    replica.commit("one", 19, 28)
    replica.sent.state("stalled")
    replica.install(2, 17, 35)
    replica.await_generation(2, 35)
    assert replica.holds(34) == contents(THREE, 34)
    replica.sinks.close()


def test_a_target_that_shows_what_the_sink_has_never_read_is_refused(replica: Replica) -> None:
    replica.install(0, FIRST, 18)
    replica.await_generation(0, 18)
    replica.install(2, 17, 40, oldest=1)
    assert "generation 0" in replica.sent.state("failed").reason
    replica.sinks.close()
