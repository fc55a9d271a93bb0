"""A flood of refused logins is few events."""

from __future__ import annotations

from ptvc.coord.audit.refusals import MOST_KINDS, NAME_LENGTH, WINDOW_MS, Refusal, Refusals


def test_the_first_is_told_and_those_behind_it_are_counted() -> None:
    refusals = Refusals()
    ann, bob = Refusal("ann", "a", "28P01"), Refusal("bob", "a", "28P01")
    assert [refusals.add(ann, 1_000 + number) for number in range(500)] == [ann] + [None] * 499
    assert refusals.add(bob, 2_000) == bob
    assert list(refusals.ended(1_000 + WINDOW_MS - 1)) == []
    assert list(refusals.ended(1_000 + WINDOW_MS)) == [(ann, 499, 1_000)]
    assert list(refusals.ended(2_000 + WINDOW_MS)) == []
    assert len(refusals) == 0
    assert refusals.add(ann, 100_000) == ann


def test_kinds_are_bounded() -> None:
    refusals = Refusals()
    told = [refusals.add(Refusal(f"u{n}", f"n{n}", "28P01"), 0) for n in range(MOST_KINDS + 5_000)]
    assert sum(refusal is not None for refusal in told) == MOST_KINDS + 1
    assert told[MOST_KINDS] == Refusal(None, None, "28P01")
    assert len(refusals) == MOST_KINDS + 1
    assert list(refusals.ended(0, all_of_them=True)) == [(Refusal(None, None, "28P01"), 4_999, 0)]


def test_names_are_bounded() -> None:
    found = Refusals().add(Refusal("x" * 9_000, "a", "28P01"), 0)
    assert found == Refusal("x" * NAME_LENGTH, "a", "28P01")
