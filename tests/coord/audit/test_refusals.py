"""A flood of refused logins is few events."""

from __future__ import annotations

from ptvc.coord.audit.refusals import (
    MOST_KINDS,
    MOST_KINDS_OF_STRANGERS,
    MOST_OF_AN_ADDRESS,
    NAME_LENGTH,
    WINDOW_MS,
    Refusal,
    Refusals,
)


def test_the_first_is_told_and_those_behind_it_are_counted() -> None:
    refusals = Refusals()
    ann, bob = Refusal("ann", "a", "28P01"), Refusal("bob", "a", "28P01")
    assert [refusals.add(ann, 1_000 + number, is_role=True) for number in range(500)] == [ann] + [None] * 499
    assert refusals.add(bob, 2_000, is_role=False) == bob
    assert list(refusals.ended(1_000 + WINDOW_MS - 1)) == []
    assert list(refusals.ended(1_000 + WINDOW_MS)) == [(ann, 499, 1_000)]
    assert list(refusals.ended(2_000 + WINDOW_MS)) == []
    assert len(refusals) == 0
    assert refusals.add(ann, 100_000, is_role=True) == ann


def test_kinds_are_bounded() -> None:
    refusals = Refusals()
    told = [
        refusals.add(Refusal(f"u{n}", f"n{n}", "28P01"), 0, is_role=True) for n in range(MOST_KINDS + 5_000)
    ]
    assert sum(refusal is not None for refusal in told) == MOST_KINDS + 1
    assert told[MOST_KINDS] == Refusal(None, None, "28P01")
    assert len(refusals) == MOST_KINDS + 1
    assert list(refusals.ended(0, all_of_them=True)) == [(Refusal(None, None, "28P01"), 4_999, 0)]


def test_of_names_that_an_address_makes_up_a_few_are_told_apart() -> None:
    refusals = Refusals()
    told = [refusals.add(Refusal(f"u{n}", "a", "08P01"), 0, is_role=False) for n in range(1_000)]
    together = Refusal(None, "a", "08P01")
    assert told[: MOST_OF_AN_ADDRESS + 1] == [
        *(Refusal(f"u{n}", "a", "08P01") for n in range(MOST_OF_AN_ADDRESS)),
        together,
    ]
    assert set(told[MOST_OF_AN_ADDRESS + 1 :]) == {None}
    for told_apart in (Refusal("ann", "a", "28P01"), Refusal("v", "b", "08P01")):
        assert refusals.add(told_apart, 0, is_role=told_apart.user == "ann") == told_apart
    assert list(refusals.ended(WINDOW_MS)) == [(together, 1_000 - MOST_OF_AN_ADDRESS - 1, 0)]
    assert refusals.add(Refusal("w", "a", "08P01"), WINDOW_MS, is_role=False) == Refusal("w", "a", "08P01")


def test_a_flood_of_made_up_names_leaves_room_for_roles() -> None:
    refusals = Refusals()
    told = [refusals.add(Refusal(f"u{n}", f"n{n}", "28P01"), 0, is_role=False) for n in range(5_000)]
    assert sum(refusal is not None for refusal in told) == MOST_KINDS_OF_STRANGERS + 1
    ann = Refusal("ann", "a", "28P01")
    assert refusals.add(ann, 0, is_role=True) == ann


def test_names_are_bounded() -> None:
    found = Refusals().add(Refusal("x" * 9_000, "a", "28P01"), 0, is_role=False)
    assert found == Refusal("x" * NAME_LENGTH, "a", "28P01")
