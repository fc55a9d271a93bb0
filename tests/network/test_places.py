"""Places of connections, and who makes way for whom."""

from __future__ import annotations

from random import Random

import pytest
from ptvc.network.addresses import network_of
from ptvc.network.places import Places, Waiting, YieldingPlaces


def test_places_in_all_and_of_one() -> None:
    places = Places(4, 2)
    assert [places.take("a") for _ in range(3)] == [True, True, False]
    assert [places.take("b") for _ in range(2)] == [True, True]
    assert not places.take("c")
    assert places.take("a", beyond=True)
    assert places.taken == 5
    places.free("a")
    assert not places.take("c")
    places.free("a")
    assert places.take("c")


def test_any_number() -> None:
    places = Places(0, 0)
    assert all(places.take("a") for _ in range(10_000))


@pytest.mark.parametrize("seed", range(5))
def test_what_nobody_holds_is_not_kept(seed: int) -> None:
    random = Random(seed)
    places, held = Places(50, 7), list[str]()
    for _ in range(2_000):
        if held and random.random() < 0.5:
            places.free(held.pop(random.randrange(len(held))))
        else:
            network = random.choice("abcdefghijkl")
            free = len(held) < 50 and held.count(network) < 7
            assert places.take(network) == free
            held += [network] if free else []
        assert places.taken == len(held)
        assert dict(places._taken) == {network: held.count(network) for network in held}


class Idle:
    """A connection of a network; `gone` are those that made way."""

    def __init__(self, places: YieldingPlaces, network: str, gone: list[Idle]) -> None:
        self.places, self.network, self.gone = places, network, gone
        places.idle(self, network)

    def give_way(self) -> None:
        self.places.free(self.network)
        self.gone.append(self)


def test_who_is_idle_makes_way() -> None:
    places, gone = YieldingPlaces(5, 3), list[Idle]()
    assert [places.take(network) for network in "aabbc"] == [True] * 5
    a1, a2, b1 = (Idle(places, network, gone) for network in "aab")
    assert places.take("d")
    assert gone == [a1]
    assert places.take("d")  # a has one, b two
    assert gone == [a1, b1]
    assert not places.take("d")  # a would have none, and d three
    assert places.taken == 5
    places.busy(a2)
    assert not places.take("e")
    places.idle(a2, "a")
    assert places.take("e")
    assert gone == [a1, b1, a2]


def test_of_a_full_network_its_own_idle_one_makes_way() -> None:
    places, gone = YieldingPlaces(0, 2), list[Idle]()
    assert all(places.take(network) for network in "baa")
    _, a = (Idle(places, network, gone) for network in "ba")
    assert places.take("a")
    assert gone == [a]
    assert not places.take("a")


def test_two_crowds_do_not_end_an_idle_one_that_is_alone() -> None:
    places, gone = YieldingPlaces(500, 250), list[Idle]()
    for network in "c" + "ab" * 250:
        assert places.take(network)
        Idle(places, network, gone)
    assert [idle.network for idle in gone] == ["a"]
    for network in "ab" * 500:
        assert places.take(network)
        Idle(places, network, gone)
    assert "c" not in {idle.network for idle in gone}


def test_the_oldest_makes_way_and_of_a_crowd_its_own() -> None:
    waiting = Waiting[str](4, 2)
    assert [waiting.add(name, name[0]) for name in ("a1", "b1", "a2")] == [None, None, None]
    assert waiting.add("a3", "a") == "a1"
    assert waiting.add("c1", "c") is None
    assert waiting.add("d1", "d") == "a2"
    assert waiting.add("e1", "e") == "b1"
    waiting.remove("a3")
    waiting.remove("a3")
    assert len(waiting) == 3
    assert waiting.add("f1", "f") is None
    assert waiting.add("f2", "f") == "f1"
    for name in ("c1", "d1", "e1", "f2"):
        waiting.remove(name)
    assert (len(waiting), waiting._of) == (0, {})


def test_two_crowds_do_not_end_one_that_is_alone() -> None:
    waiting = Waiting[str](256, 128)
    for number in range(128):
        waiting.add(f"a{number}", "a")
        waiting.add(f"b{number}", "b")
    waiting.add("alone", "c")
    gone = [waiting.add(f"{network}x{number}", network) for number in range(500) for network in "ab"]
    assert "alone" not in gone
    assert len(waiting) == 256


@pytest.mark.parametrize(
    ("host", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::", "2001:db8:1:2::/64"),
        ("::1", "::/64"),
        ("", ""),
        (None, ""),
        ("somewhere", "somewhere"),
    ],
)
def test_who_a_client_is(host: str | None, network: str) -> None:
    assert network_of(host) == network
