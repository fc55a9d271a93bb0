"""Failed logins: what the next ones wait for, and what they do not."""

from __future__ import annotations

import pytest
from ptvc.network.attempts import (
    FORGOTTEN_AFTER_S,
    FREE_ATTEMPTS,
    FREE_OF_ADDRESS,
    MOST_DELAY_S,
    MOST_KEPT,
    MOST_WAIT_S,
    Attempts,
    TooManyFailures,
)


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


def guess(attempts: Attempts, clock: Clock, network: str = "a", user: str = "ann") -> float:
    """The seconds of a wrong attempt, made when it may be."""
    wait = attempts.wait_s(network, user)
    clock.now += wait
    attempts.failed(network, user)
    refusal = attempts.refusal_wait_s(network)
    clock.now += refusal
    return wait + refusal


def test_each_failure_costs_twice_as_much_as_the_one_before() -> None:
    clock = Clock()
    attempts = Attempts(0.5, clock)
    waits = [guess(attempts, clock) for _ in range(FREE_ATTEMPTS + 7)]
    assert waits == [0.0] * (FREE_ATTEMPTS + 1) + [0.5, 1.0, 2.0, 4.0, 8.0, MOST_DELAY_S]
    assert attempts.wait_s("b", "ann") == 0
    assert attempts.wait_s("a", "bob") == 0


def test_many_at_once_are_no_faster_than_one() -> None:
    clock = Clock()
    attempts = Attempts(0.5, clock)
    for _ in range(FREE_ATTEMPTS + 4):
        attempts.failed("a", "ann")
    waits = [attempts.wait_s("a", "ann") for _ in range(7)]
    assert waits == [4.0 * number for number in range(1, 8)]
    with pytest.raises(TooManyFailures, match='too many failed logins as "ann"'):
        attempts.wait_s("a", "ann")
    clock.now += MOST_WAIT_S
    assert attempts.wait_s("a", "ann") == 4.0


def test_a_success_forgives_and_so_does_time() -> None:
    clock = Clock()
    attempts = Attempts(0.5, clock)
    for user in ("ann", "bob"):
        for _ in range(FREE_ATTEMPTS + 1):
            attempts.failed("a", user)
    attempts.succeeded("a", "ann")
    assert attempts.wait_s("a", "ann") == 0
    attempts.failed("a", "ann")
    assert attempts.wait_s("a", "ann") == 0  # it has its free ones again
    assert attempts.wait_s("a", "bob") == 0.5
    clock.now += FORGOTTEN_AFTER_S + 1
    assert attempts.wait_s("a", "bob") == 0


def test_who_goes_through_many_roles_is_slowed_down() -> None:
    clock = Clock()
    attempts = Attempts(0.5, clock)
    waits = [guess(attempts, clock, user=f"role{number}") for number in range(FREE_OF_ADDRESS + 3)]
    assert waits == [0.0] * FREE_OF_ADDRESS + [0.5, 1.0, 2.0]
    assert attempts.refusal_wait_s("b") == 0


def test_others_at_an_address_are_not_kept_from_a_right_password() -> None:
    attempts = Attempts(0.5, Clock())
    for number in range(10 * FREE_OF_ADDRESS):
        attempts.failed("a", f"role{number}")
    assert attempts.wait_s("a", "ann") == 0
    attempts.succeeded("a", "ann")
    assert attempts.refusal_wait_s("a") == MOST_DELAY_S  # an account is no way to guess on


def test_an_address_is_forgotten_in_time() -> None:
    clock = Clock()
    attempts = Attempts(0.5, clock)
    for number in range(FREE_OF_ADDRESS + 1):
        attempts.failed("a", f"role{number}")
    assert attempts.refusal_wait_s("a") == 0.5
    clock.now += FORGOTTEN_AFTER_S + 1
    assert attempts.refusal_wait_s("a") == 0


def test_what_is_counted_is_bounded() -> None:
    attempts = Attempts(0.5, Clock())
    for number in range(MOST_KEPT):
        attempts.failed(f"n{number}", "ann")
    assert len(attempts) == MOST_KEPT


def test_nothing_is_slowed_down_where_it_is_not_wanted() -> None:
    attempts = Attempts(0.0, Clock())
    for _ in range(100):
        attempts.failed("a", "ann")
    assert attempts.wait_s("a", "ann") == attempts.refusal_wait_s("a") == 0


def test_of_a_long_name_the_beginning_is_kept() -> None:
    attempts = Attempts(0.5, Clock())
    for number in range(FREE_ATTEMPTS + 1):
        attempts.failed("a", "x" * 9_000 + str(number))
    assert attempts.wait_s("a", "x" * 9_000) == 0.5
    assert len(attempts) == 2
    attempts.succeeded("a", "x" * 5_000)
    assert len(attempts) == 1
