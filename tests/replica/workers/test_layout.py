"""Where workers are: each on one machine, and of two on different ones the later dials."""

from __future__ import annotations

import pytest
from ptvc.replica.workers.layout import Layout


@pytest.mark.parametrize("workers", range(1, 9))
@pytest.mark.parametrize("per_machine", range(1, 10))
def test_layout(workers: int, per_machine: int) -> None:
    layout = Layout(workers, per_machine)
    places = [worker for machine in range(layout.machines) for worker in layout.on(machine)]
    assert places == list(range(workers))
    assert all(0 < len(layout.on(machine)) <= per_machine for machine in range(layout.machines))
    assert layout.is_spread == (workers > per_machine)
    for worker in range(workers):
        assert worker in layout.on(layout.machine_of(worker))
        beside = set(layout.on(layout.machine_of(worker)))
        far = {*layout.dialed_by(worker), *layout.dialing(worker)}
        assert far | beside == set(range(workers))
        assert not far & beside
        assert all(worker in layout.dialing(other) for other in layout.dialed_by(worker))


def test_without_a_number_all_are_on_one_machine() -> None:
    assert Layout(64).machines == 1
