"""Growing pauses, their ends, and what interrupts them; on a clock of the test's own."""

from __future__ import annotations

import threading
from random import Random

import pytest
from ptvc.errors import QueryCanceled
from ptvc.interrupt import Interrupt, interruptible
from ptvc.retry import Backoff, ManualTiming, Pauses, ThreadTiming, first_only, retry


class Failing:
    """Fails so often, then returns how often it was called."""

    def __init__(self, times: int) -> None:
        self.calls = 0
        self._times = times

    def __call__(self) -> int:
        self.calls += 1
        if self.calls <= self._times:
            raise ConnectionError(f"failure {self.calls}")
        return self.calls


def passes(error: Exception) -> bool:
    return isinstance(error, ConnectionError)


def test_pauses_double_up_to_the_longest() -> None:
    timing = ManualTiming()
    assert retry(Failing(6), passes, Backoff(1, 10), timing) == 7
    assert timing.pauses == [1, 2, 4, 8, 10, 10]


def test_what_does_not_pass_is_not_tried_again() -> None:
    timing = ManualTiming()
    operation = Failing(3)
    with pytest.raises(ConnectionError, match="failure 1"):
        retry(operation, lambda error: False, Backoff(1, 10), timing)
    assert (operation.calls, timing.pauses) == (1, [])


def test_attempts_are_counted_with_the_first() -> None:
    operation = Failing(100)
    with pytest.raises(ConnectionError, match="failure 4"):
        retry(operation, passes, Backoff(1, 10, attempts=4), ManualTiming())
    assert operation.calls == 4


def test_no_attempt_begins_after_the_deadline() -> None:
    timing = ManualTiming()
    with pytest.raises(ConnectionError, match="failure 4"):
        retry(Failing(100), passes, Backoff(1, 10, deadline_s=7), timing)
    assert timing.now == 7


def test_a_deadline_counts_from_when_the_caller_says() -> None:
    timing = ManualTiming()
    timing.now = 100.0
    operation = Failing(100)
    with pytest.raises(ConnectionError, match="failure 1"):
        retry(operation, passes, Backoff(1, 10, deadline_s=7), timing, since=90.0)
    assert operation.calls == 1


@pytest.mark.parametrize("seed", range(5))
def test_jitter_stays_around_the_pause(seed: int) -> None:
    class Chance(ManualTiming):
        drawn = Random(seed)

        def random(self) -> float:
            return self.drawn.random()

    pauses = Pauses(Backoff(1, 8, jitter=0.25), Chance())
    lengths = [pauses.endless() for _ in range(50)]
    for length, whole in zip(lengths, [1, 2, 4, *[8] * 47], strict=True):
        assert 0.75 * whole <= length <= 1.25 * whole
    assert len(set(lengths)) == 50


def test_a_series_begins_anew_after_a_success() -> None:
    pauses = Pauses(Backoff(1, 10), ManualTiming())
    assert [pauses.next(), pauses.next()] == [1, 2]
    pauses.reset()
    assert pauses.next() == 1


def test_ten_thousand_failures_are_no_overflow() -> None:
    pauses = Pauses(Backoff(1, 300), ManualTiming())
    assert {pauses.endless() for _ in range(10_000)} >= {1, 256, 300}


def test_failures_are_told_before_each_pause() -> None:
    seen: list[str] = []
    retry(Failing(3), passes, Backoff(1, 10), ManualTiming(), lambda error: seen.append(str(error)))
    assert seen == ["failure 1", "failure 2", "failure 3"]
    seen.clear()
    retry(
        Failing(3), passes, Backoff(1, 10), ManualTiming(), first_only(lambda error: seen.append(str(error)))
    )
    assert seen == ["failure 1"]


def test_an_event_ends_a_pause_of_an_hour() -> None:
    stop = threading.Event()
    operation = Failing(100)
    with pytest.raises(ConnectionError, match="failure 1"):
        retry(operation, passes, Backoff(3600, 3600), ThreadTiming(stop), lambda error: stop.set())
    assert operation.calls == 1


def test_what_is_not_wanted_any_more_is_not_tried_again() -> None:
    wanted = [True]
    operation = Failing(100)
    with pytest.raises(ConnectionError, match="failure 1"):
        retry(
            operation,
            passes,
            Backoff(3600, 3600),
            ThreadTiming(wanted=lambda: wanted[0]),
            lambda error: wanted.clear() or wanted.append(False),
        )
    assert operation.calls == 1


def test_an_interrupt_ends_a_pause_of_an_hour() -> None:
    interrupt = Interrupt()
    with interruptible(interrupt), pytest.raises(QueryCanceled):
        retry(Failing(100), passes, Backoff(3600, 3600), on_failure=lambda error: interrupt.set())
