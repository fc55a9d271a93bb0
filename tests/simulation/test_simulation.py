"""Seeds of the simulation, and that a seed is all there is to a run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from .simulation import run, run_all

BLOCK = 20
BLOCKS = 50
ORDINARY = 5
DIGESTED = (3, 11, 14)
FOUND = (2223, 3972, 6871)
"""Seeds that have found a defect: a definition taken back of which it was not known whether it was durable, a subscription's
task whose end nobody saw, records of a source that two replicas committed."""


@pytest.mark.slow(ordinary=2)
@pytest.mark.parametrize("block", range(ORDINARY))
def test_nothing_is_lost_hangs_or_dies_unseen(block: int) -> None:
    """A seed that fails replays alone: `python -m tests.simulation --seeds SEED --trace`."""
    _check(block)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(ORDINARY, BLOCKS))
def test_nor_with_other_seeds(block: int) -> None:
    _check(block)


def _check(block: int) -> None:
    first = block * BLOCK
    results = run_all(range(first, first + BLOCK))
    assert {result.seed: result.violations for result in results if result.violations} == {}


@pytest.mark.parametrize("seed", FOUND)
def test_seeds_that_have_found_a_defect(seed: int) -> None:
    assert run(seed).violations == []


@pytest.mark.parametrize("seed", DIGESTED)
def test_a_seed_replays(seed: int) -> None:
    first, second = run(seed, traced=True), run(seed, traced=True)
    assert first.trace == second.trace
    assert first.turns > 500


@pytest.mark.slow
def test_hashes_of_strings_decide_nothing() -> None:
    """Two processes, whose sets have other orders."""
    command = [sys.executable, "-m", "tests.simulation", "--digest", "--seeds", "3:6"]
    root = Path(__file__).parents[2]
    digests = [
        subprocess.run(
            command,
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=root,
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        ).stdout
        for seed in ("1", "2")
    ]
    assert digests[0] == digests[1]
    assert len(digests[0].splitlines()) == 3


def test_runs_differ_and_do_much() -> None:
    """The seeds reach what they are for: restarts, refusals, cancels, lost answers, definitions that are done; what
    sessions have for themselves, subscriptions that go on, sources and sinks."""
    shown = "\n".join(line for seed in range(300, 312) for line in run(seed, traced=True).trace)
    for happened in (
        "the process dies",
        "cancel",
        "leaves",
        "QueryCanceled",
        "DiskFull",
        "fault: kill_replica",
        "CREATE MATERIALIZED VIEW",
        "COPY",
        "COMMIT",
        "ROLLBACK TO",
        "CREATE TEMPORARY TABLE",
        "REPLICATION FACTOR",
        "SNAPSHOT = false",
        "CREATE SOURCE",
        "CREATE SINK",
    ):
        assert happened in shown
