"""Places of connections, and who makes way for whom."""

from __future__ import annotations

from random import Random

import pytest
from ptvc.network.addresses import network_of
from ptvc.network.places import Places, Waiting


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
