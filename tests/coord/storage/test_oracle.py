"""The oracle under a clock that the test moves."""

from __future__ import annotations

import random

import pytest
from ptvc.clock import ManualClock
from ptvc.coord.storage.oracle import MARK_AHEAD_MS, MARK_SPARE_MS, MAX_JUMP_MS, Oracle


class Jumping(ManualClock):
    """Wall time may jump; the monotonic clock only knows what `advance` has moved."""

    jumped = 0

    def jump(self, milliseconds: int) -> None:
        self.advance(milliseconds)
        self.jumped += milliseconds

    def monotonic(self) -> float:
        return (self.now_ms() - self.jumped) / 1000


class Marks:
    """What is durable, and who raises it: the group commit, in production."""

    def __init__(self, mark: int = 0) -> None:
        self.mark = mark
        self.calls = 0
        self.broken = False

    def keep_up(self, oracle: Oracle) -> None:
        if not self.broken and (wanted := oracle.wanted_mark()) is not None:
            self.calls += 1
            self.mark = max(self.mark, wanted)
            oracle.mark_raised(self.mark)


def make(clock: ManualClock, marks: Marks) -> Oracle:
    oracle = Oracle(clock, marks.mark)
    marks.keep_up(oracle)
    return oracle


def test_times_increase_while_the_clock_stands_still() -> None:
    oracle = make(ManualClock(), Marks())
    times = []
    for _ in range(100):
        time = oracle.write_time()
        assert time > oracle.read_time
        oracle.close(time)
        assert oracle.read_time >= time
        times.append(time)
    assert times == sorted(set(times))


def test_times_follow_the_clock() -> None:
    clock = ManualClock(5_000)
    oracle = make(clock, Marks())
    clock.advance(700)
    assert oracle.write_time() == 5_700


def test_an_open_write_holds_the_read_time() -> None:
    oracle = make(ManualClock(), Marks())
    first, second = oracle.write_time(), oracle.write_time()
    assert oracle.closed == first
    oracle.close(second)
    assert oracle.closed == first
    before = oracle.closed
    assert oracle.tick() == before  # a tick must not pass an open write
    oracle.close(first)
    assert oracle.read_time == second


def test_a_tick_moves_time_on() -> None:
    clock = ManualClock()
    oracle = make(clock, Marks())
    before = oracle.read_time
    clock.advance(40)
    assert oracle.tick() == oracle.closed > before + 40


def test_a_successor_starts_above_everything_that_was_given_out() -> None:
    rng = random.Random(1)
    clock, marks = ManualClock(), Marks()
    last = 0
    for _ in range(20):
        oracle = make(clock, marks)
        assert oracle.read_time >= last
        for _ in range(rng.randrange(50)):
            time = oracle.write_time()
            assert last < time
            marks.keep_up(oracle)  # in the transaction of the write
            oracle.close(time)
            assert time <= oracle.read_time <= marks.mark
            clock.advance(rng.randrange(300))
            last = max(time, oracle.read_time)
        clock.advance(-rng.randrange(2_000))  # the clock may go back between two processes


def test_the_mark_is_raised_seldom_and_ahead_of_need() -> None:
    clock, marks = ManualClock(), Marks()
    oracle = make(clock, marks)
    for _ in range(10 * MARK_AHEAD_MS):
        oracle.close(oracle.write_time())
        assert oracle.read_time < oracle.mark  # there is always some left
        marks.keep_up(oracle)
    assert marks.calls <= 10 * MARK_AHEAD_MS // (MARK_AHEAD_MS - MARK_SPARE_MS) + 2
    assert oracle.mark - oracle.read_time <= MARK_AHEAD_MS + 1


def test_time_goes_on_up_to_a_mark_that_cannot_be_raised_and_on_from_there() -> None:
    clock, marks = ManualClock(), Marks()
    oracle = make(clock, marks)
    marks.broken = True
    seen = []
    for _ in range(10):
        clock.advance(MARK_AHEAD_MS // 4)
        time = oracle.write_time()  # nothing waits for the store
        oracle.close(time)  # and what could not be written is given up
        seen.append(oracle.read_time)
        assert oracle.read_time <= marks.mark
    assert seen == sorted(seen)
    assert seen[0] > seen[-1] - MARK_AHEAD_MS
    assert seen[-1] == marks.mark
    marks.broken = False
    marks.keep_up(oracle)
    assert oracle.read_time == time


def test_a_jump_back_ticks_by_one() -> None:
    clock = Jumping(100_000)
    oracle = make(clock, Marks())
    oracle.close(last := oracle.write_time())
    clock.jump(-50_000)
    for i in range(1, 6):
        time = oracle.write_time()
        oracle.close(time)
        assert time == last + i
    clock.jump(51_000)
    assert oracle.write_time() == clock.now_ms()


def test_a_jump_forward_is_refused_until_the_clock_is_back(caplog: pytest.LogCaptureFixture) -> None:
    clock = Jumping(100_000)
    oracle = make(clock, Marks())
    oracle.close(last := oracle.write_time())
    clock.jump(MAX_JUMP_MS + 1_000)
    oracle.close(oracle.write_time())
    assert oracle.read_time == last + 1
    assert "jumped forward" in caplog.text
    clock.jump(-MAX_JUMP_MS)
    assert oracle.write_time() == clock.now_ms()


def test_a_small_jump_and_a_long_pause_are_followed() -> None:
    clock = Jumping(100_000)
    oracle = make(clock, Marks())
    clock.jump(MAX_JUMP_MS - 1)
    assert oracle.write_time() == clock.now_ms()
    clock.advance(3_600_000)
    assert oracle.write_time() == clock.now_ms()


def test_reads_are_held_and_time_goes_on() -> None:
    clock = Jumping(100_000)
    marks = Marks()
    oracle = make(clock, marks)
    time = oracle.write_time()
    oracle.hold_reads(time)
    oracle.close(time)
    assert oracle.closed == time + 1
    assert oracle.read_time == time - 1
    clock.advance(500)
    marks.keep_up(oracle)
    oracle.tick()
    assert oracle.closed > time + 100
    assert oracle.read_time == time - 1
    oracle.release_reads()
    assert oracle.read_time == oracle.closed - 1
