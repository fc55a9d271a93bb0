"""What the benchmark of exchanges measures is computed right, and its figures are what they say."""

from __future__ import annotations

import pytest
from servers.namespaces import REASON
from typer.testing import CliRunner

from benchmarks.__main__ import app
from benchmarks.exchange import (
    count_exchanges,
    critical_path,
    links,
    round_trips,
    run_critical_paths,
    run_divided,
    run_levels,
    run_links,
    run_look_ups,
    run_round_trips,
)
from benchmarks.exchange import steps as steps_module


def test_rows_that_lie_by_their_keys_do_not_move() -> None:
    counts = {count.view: count for count in count_exchanges()}
    assert len(counts) == 7 + 22
    for name in ("W2", "W2-text", "W4"):
        assert (counts[name].moves_left, counts[name].barriers_left) == (0, 0), name
    for name in ("W1", "W3", "q01", "q06"):
        assert (counts[name].moves_left, counts[name].barriers_left) == (1, 1), (
            f"{name}: sums of what is read"
        )
    assert counts["W6"].undivided is None
    for count in counts.values():
        assert count.moves_left <= count.moves
        assert count.barriers_left <= count.barriers


def test_batches_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(round_trips, "SIZES", (1, 5_000))
    monkeypatch.setattr(round_trips, "REPEATS", {1: 4, 5_000: 4})
    found = run_round_trips()
    assert {(trip.way, trip.rows) for trip in found} == {
        (way, rows)
        for way in ("workers' socket", "socket, Arrow IPC", "shared memory", "TLS")
        for rows in (1, 5_000)
    }
    assert all(trip.nbytes > 100 for trip in found)


def test_divided_steps_put_out_what_those_of_one_process_do() -> None:
    """It raises WrongAnswer otherwise."""
    found = run_divided(("W2", "W5"), 2_000, (1, 100), workers=3, scale=0.02)
    assert [(step.workload, step.rows) for step in found] == [
        (name, rows) for name in ("W2", "W5") for rows in (None, 1, 100)
    ]


def test_look_ups_find_their_rows_in_one_process_and_in_several() -> None:
    """It raises WrongAnswer otherwise."""
    found = run_look_ups(3, 5_000, 0.005)
    assert [(cost.keys, cost.busy) for cost in found] == [
        (keys, busy) for busy in (False, True) for keys in (1, 10, 100)
    ]


def test_levels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps_module, "LEVELS", (1, 3))
    assert [cost.levels for cost in run_levels(2, 0.03)] == [1, 3]


def test_steps_over_links(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there can be no such machines it says so."""
    said: list[str] = []
    monkeypatch.setattr(links.console, "log", said.append)
    found = run_links(("W2",), 2_000, (100,), 0.02)
    if not found:
        assert said
        pytest.skip(f"{REASON}: {said[0]}")
    assert [(step.workload, step.link_ms, step.rows) for step in found] == [("W2", 0, 100), ("W2", 1, 100)]
    assert found[1].divided.least_ms > 2, "there and back"


def test_the_model_has_delays_between_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(critical_path, "WORKERS", (3,))
    (path,) = run_critical_paths(("W5",), 2_000, (100,), scale=0.1)
    assert path.link_ms >= 5 * critical_path.LINK_S * 1e3, "three barriers, and there and back"
    assert path.socket_ms < path.link_ms


def test_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(round_trips, "SIZES", (1,))
    monkeypatch.setattr(steps_module, "LEVELS", (1,))
    monkeypatch.setattr(critical_path, "WORKERS", (2,))
    monkeypatch.setattr(links, "LINKS_MS", ())
    arguments = ["exchange", "--rows", "1000", "--changes", "1", "--workloads", "W1", "--scale", "0.02"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    for title in (
        "Exchanges of plans",
        "Round trips",
        "A step of one row",
        "Steps in one process",
        "Steps by a model",
    ):
        assert title in result.output
