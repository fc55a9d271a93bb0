"""The model of docs/capacity.md: its table is of the model as it is, and the model says what is measured."""

from __future__ import annotations

from pathlib import Path

import pytest
from ptvc.persist import gc
from ptvc.persist.compact import FAN_IN
from ptvc.persist.write import INLINE_MAX_BYTES

from benchmarks.capacity import measured
from benchmarks.capacity.__main__ import model_rows, table
from benchmarks.capacity.model import GARBAGE_S, LOOKING_SHARE, WORKLOADS, Figures, month, requests
from benchmarks.capacity.simulated import simulate

PAGE = Path(__file__).parent.parent.parent / "docs" / "capacity.md"


def test_the_page_has_the_model_as_it_is() -> None:
    text = PAGE.read_text()
    for line in table(("", *(work.name for work in WORKLOADS)), model_rows()):
        if "---" not in line:
            assert line in text, "python -m benchmarks.capacity prints the table"


@pytest.mark.parametrize(
    ("commits", "rows"),
    [(200, 1), (200, 100), (100, 2_000), pytest.param(40, 50_000, marks=pytest.mark.slow)],
)
def test_the_model_says_what_is_measured(commits: int, rows: int) -> None:
    figures = Figures()
    found = measured.stream(commits, rows)
    amplification = figures.amplify(commits)
    committed, merged = requests(commits, found.encoded, amplification, figures)
    for kind in ("PUT", "GET"):
        assert abs(committed + merged - found.requests[kind]) <= max(5, 0.2 * found.requests[kind])
    # Small ones grow less, as what is merged is packed better.
    assert found.amplification <= amplification + 0.2
    if rows == 50_000:
        assert found.amplification == pytest.approx(amplification, rel=0.1)


@pytest.mark.parametrize("commits", [256, 4_096, 65_536])
def test_the_fit_is_that_of_the_simulation(commits: int) -> None:
    found = simulate(commits, 1 << 20)
    assert found.written == pytest.approx(Figures().amplify(commits), abs=0.35)
    assert found.merges / commits == pytest.approx(Figures().merges_per_commit, rel=0.07)


def test_its_constants_are_those_of_the_store() -> None:
    from benchmarks.capacity import model

    assert (model.INLINE_BYTES, model.FAN_IN, LOOKING_SHARE) == (INLINE_MAX_BYTES, FAN_IN, gc.LOOKING_SHARE)
    assert GARBAGE_S >= 1


def test_bookkeeping() -> None:
    found = measured.bookkeeping(parts=200, shards=50, merged=8)
    figures = Figures()
    assert found.consensus_bytes < 2 * figures.part_consensus_bytes
    assert found.memory_bytes < 1.5 * figures.part_memory_bytes


def test_costs_follow_what_they_are_of() -> None:
    small, middle, large = map(month, WORKLOADS)
    assert small.stored < middle.stored < large.stored
    assert large.coordinator_bytes / middle.coordinator_bytes == pytest.approx(10, rel=0.01)
