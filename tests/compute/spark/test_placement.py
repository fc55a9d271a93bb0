"""Which machines a resident task prefers."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace

import pytest
from ptvc.compute.spark import placement
from ptvc.compute.spark.placement import (
    AWAITED_S,
    MOVED_AFTER_S,
    Placement,
    is_misplaced,
    least_used,
    place_of,
)


@pytest.mark.parametrize(
    ("residents", "name", "best"),
    [
        ({}, "c1-r1", ["a", "b", "c"]),
        ({"c1-r1": "a"}, "c1-r2", ["b", "c"]),
        ({"c1-r1": "a", "c2-r1": "b"}, "c1-r2", ["c"]),
        ({"c1-r1": "a", "c2-r1": "b", "c3-r1": "c"}, "c1-r2", ["b", "c"]),
        # Its own cluster counts before others.
        ({"c1-r1": "a", "c2-r1": "b", "c3-r1": "b", "c4-r1": "c", "c5-r1": "c"}, "c1-r2", ["b", "c"]),
        ({"c1-r1": "a", "c1-r2": "b", "c1-r3": "c"}, "c1-r4", ["a", "b", "c"]),
        # A machine that has gone is none.
        ({"c1-r1": "d"}, "c1-r2", ["a", "b", "c"]),
        ({"c11-r1": "a"}, "c1-r2", ["b", "c"]),
    ],
)
def test_least_used(residents: Mapping[str, str], name: str, best: list[str]) -> None:
    assert least_used(["a", "b", "c"], residents, name) == best


def test_where_it_was_is_the_last_to_be_taken() -> None:
    assert least_used(["a", "b"], {"c1-r1": "b"}, "c1-r2", {"a"}) == ["b"]
    assert least_used(["a"], {}, "c1-r1", {"a"}) == ["a"]


def test_several_executors_of_a_machine() -> None:
    assert least_used(["a", "a", "b"], {}, "c1-r1") == ["a", "b"]
    assert least_used([], {"c1-r1": "a"}, "c1-r2") == []


@pytest.mark.parametrize(
    ("rooms", "residents", "misplaced"),
    [
        ({"a": 1, "b": 2}, {"c1-r1": "a", "c1-r2": "a"}, True),
        ({"a": 1, "b": 1}, {"c1-r1": "a", "c1-r2": "a"}, False),
        ({"a": 1, "b": 2}, {"c1-r1": "b", "c1-r2": "a"}, False),
        ({"a": 1, "b": 2}, {"c1-r2": "a", "c1-r3": "a"}, False),
        ({"a": 1, "b": 2}, {"c2-r1": "a", "c1-r2": "a"}, False),
        ({"a": 1, "b": 2}, {"c1-r1": "a", "c1-r2": "a", "c1-r3": "b"}, False),
        ({"a": 1, "b": 2, "c": 2}, {"c1-r1": "a", "c1-r2": "a", "c1-r3": "b"}, True),
    ],
)
def test_who_is_misplaced(rooms: Mapping[str, int], residents: Mapping[str, str], misplaced: bool) -> None:
    """The second one of the first cluster, which takes two cores."""
    assert is_misplaced(rooms, residents, "c1-r2", 2) == misplaced


class Machines:
    """Those of an application, without Spark; `now` is the time."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        self.executors = [("a", 3), ("b", 3)]
        self.residents: dict[str, str] = {}
        monkeypatch.setattr(placement, "executors", lambda _: self.executors)
        monkeypatch.setattr(placement, "running_on", self._running_on)
        monkeypatch.setattr(placement, "monotonic", lambda: self.now)

    def _running_on(self, _: object, name: str) -> dict[int, str]:
        places = {number: place_of(name, number) for number in range(9)}
        return {number: self.residents[place] for number, place in places.items() if place in self.residents}

    def placement(self) -> Placement:
        spark = SimpleNamespace(sc=lambda: SimpleNamespace(isStopped=lambda: False))
        return Placement(SimpleNamespace(_jsc=spark))  # type: ignore[arg-type]


def test_who_is_misplaced_for_long_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    machines = Machines(monkeypatch)
    placed = machines.placement()
    assert placed.prefer("c1-r1", 1) == ["a"]
    assert placed.prefer("c1-r2", 1) == ["b"]
    machines.residents = {"c1-r1": "a", "c1-r2": "a"}
    assert not placed.is_to_move("c1-r2")
    machines.now += MOVED_AFTER_S
    assert not placed.is_to_move("c1-r1")
    assert placed.is_to_move("c1-r2")
    assert (placed.moves("c1-r2"), placed.moves("c1-r2")) == (True, False)
    del machines.residents["c1-r2"]
    assert placed.prefer("c1-r2", 1) == ["b"]


def test_who_is_put_back_waits_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    machines = Machines(monkeypatch)
    placed = machines.placement()
    placed.prefer("c1-r1", 1)
    placed.prefer("c1-r2", 1)
    machines.residents = {"c1-r1": "a", "c1-r2": "a"}
    moved = []
    for machines.now in range(0, 500, 10):
        if placed.is_to_move("c1-r2"):
            moved.append(machines.now)
    assert moved == [30, 100, 230, 480]


def test_who_has_room_only_for_a_while_does_not_move(monkeypatch: pytest.MonkeyPatch) -> None:
    machines = Machines(monkeypatch)
    placed = machines.placement()
    placed.prefer("c1-r1", 1)
    placed.prefer("c1-r2", 1)
    machines.residents = {"c1-r1": "a", "c1-r2": "a"}
    assert not placed.is_to_move("c1-r2")
    machines.executors = [("a", 3)]
    machines.now = MOVED_AFTER_S - 1
    assert not placed.is_to_move("c1-r2")
    machines.executors = [("a", 3), ("b", 3)]
    machines.now = MOVED_AFTER_S + 1
    assert not placed.is_to_move("c1-r2")


def test_a_resident_on_several_machines(monkeypatch: pytest.MonkeyPatch) -> None:
    machines = Machines(monkeypatch)
    machines.executors = [("a", 3), ("b", 3), ("c", 3)]
    placed = machines.placement()
    assert placed.prefer("c1-r1", 2, 2) == ["a", "b"]
    assert placed.cores_taken == 4
    assert placed.prefer("c2-r1", 1) == ["c"], "it is beside nobody there"
    machines.executors.append(("d", 3))
    assert placed.prefer("c1-r2", 2, 2) == ["d", "c"], "as none of the cluster is there"


def test_it_waits_for_as_many_machines_and_then_takes_those_that_there_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    machines = Machines(monkeypatch)
    machines.executors = [("a", 3)]
    placed = machines.placement()
    waited = list[float]()

    def sleep(seconds: float) -> None:
        waited.append(seconds)
        machines.now += 10

    monkeypatch.setattr(placement, "sleep", sleep)
    assert placed.prefer("c1-r1", 1, 2) == ["a", "a"]
    assert machines.now > AWAITED_S
    waited.clear()
    machines.executors.append(("b", 3))
    assert placed.prefer("c1-r1", 1, 2) == ["a", "b"]
    assert not waited


def test_machines_that_it_has_left_come_last(monkeypatch: pytest.MonkeyPatch) -> None:
    machines = Machines(monkeypatch)
    machines.executors = [("a", 3), ("b", 3), ("c", 3)]
    placed = machines.placement()
    assert placed.prefer("c1-r1", 1, 2) == ["a", "b"]
    machines.residents = {"c1-r1": "a", "c1-r1.1": "b"}
    placed.forget("c1-r1", (1,))
    machines.residents = {}
    assert placed.prefer("c1-r1", 1, 2) == ["a", "c"]
    placed.forget("c1-r1", ())
    assert placed.prefer("c1-r1", 1, 2) == ["a", "b"]
    machines.executors = [("a", 3), ("b", 3)]
    machines.residents = {"c1-r1": "a", "c1-r1.1": "b"}
    placed.forget("c1-r1", (1,))
    machines.residents = {}
    assert placed.prefer("c1-r1", 1, 2) == ["a", "b"], (
        "at once: it may come back, and one machine is not enough"
    )


def test_it_moves_when_its_machines_are_one(monkeypatch: pytest.MonkeyPatch) -> None:
    machines = Machines(monkeypatch)
    placed = machines.placement()
    placed.prefer("c1-r1", 1, 2)
    machines.residents = {"c1-r1": "a", "c1-r1.1": "a"}
    assert not placed.is_to_move("c1-r1")
    machines.now += MOVED_AFTER_S
    assert placed.is_to_move("c1-r1")
    machines.residents = {"c1-r1": "a", "c1-r1.1": "b"}
    assert not placed.is_to_move("c1-r1")


def test_an_executor_that_has_gone_is_no_place() -> None:
    """Spark lists one, without an address, when it hears of tasks of an executor after its end."""

    def summary(number: str, address: str) -> SimpleNamespace:
        return SimpleNamespace(id=lambda: number, hostPort=lambda: address, totalCores=lambda: 3)

    listed = [summary("driver", "d:1"), summary("1", ""), summary("2", "b:7")]
    store = SimpleNamespace(
        executorList=lambda active: SimpleNamespace(size=lambda: len(listed), apply=listed.__getitem__)
    )
    context = SimpleNamespace(_jsc=SimpleNamespace(sc=lambda: SimpleNamespace(statusStore=lambda: store)))
    assert placement.executors(context) == [("b", 3)]  # type: ignore[arg-type]
