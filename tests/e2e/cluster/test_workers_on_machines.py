"""A replica whose workers are on two machines, by a cluster of Spark.

The step's bar: 100 rows within 15 ms, over a link of 1 ms each way.
"""

from __future__ import annotations

from random import Random

import pytest
from servers.namespaces import REASON, NotPermitted

from ..runtime_process import Runtime
from .spread import BACK_WITHIN_S, Spread

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]

STEPS = 20
ROUNDS = 5
"""Of so many the quickest counts, as others use this machine."""
DELAY_MS = 1
MOST_ROUND_TRIPS = 5
"""Of a step."""


def test_there_is_a_worker_on_each_machine(spread: Spread) -> None:
    spread.check()
    (one, _), (other, _) = spread.both()
    assert one is not other


def test_a_step_over_a_slow_link(spread: Spread) -> None:
    """Of the leader, as it says, between two workers with 1 ms each way: what that adds is some round trips, however slow the machine is."""
    _, (node, _) = spread.both()
    at_once = min(step_ms(spread.runtime, number) for number in range(ROUNDS))
    try:
        node.delay(DELAY_MS)
    except NotPermitted as reason:
        pytest.skip(f"{REASON}: {reason}")
    try:
        delayed = min(step_ms(spread.runtime, ROUNDS + number) for number in range(ROUNDS))
        assert delayed - at_once < MOST_ROUND_TRIPS * 2 * DELAY_MS, (at_once, delayed)
    finally:
        node.undelay()
    spread.check()


def step_ms(runtime: Runtime, number: int) -> float:
    """The mean of STEPS steps of 100 rows; each `number` has rows of its own."""
    query = (
        "SELECT w.steps, w.busy_seconds + w.waiting_seconds FROM mz_internal.mz_dataflow_workers w"
        " JOIN mz_catalog.mz_objects o ON o.id = w.object_id WHERE o.name = 'w2' AND w.worker_id = 0"
    )
    ((steps, seconds),) = runtime.eventually(lambda: runtime.run(query), BACK_WITHIN_S)
    for at in range(STEPS):
        first = 2_000_000_000 - (number * STEPS + at) * 100
        runtime.run(
            f"INSERT INTO orders SELECT {first} - i, i * 10, i FROM generate_series(0, 99) AS i",
            "SELECT count(*) FROM w2",  # which waits for the step
        )

    def later(before: int = steps) -> tuple[int, float] | None:
        told = runtime.run(query)
        return (int(told[0][0]), float(told[0][1])) if told and told[0][0] >= before + STEPS else None

    now, took = runtime.eventually(later, BACK_WITHIN_S)  # type: ignore[misc]
    return (took - seconds) / (now - steps) * 1e3


def test_one_machine_for_all_and_back(spread: Spread) -> None:
    """From the checkpoint, each time."""
    random = Random(6)
    spread.runtime.run("ALTER CLUSTER spread RESET (WORKERS PER MACHINE)")
    spread.change(random)
    spread.check()

    def together() -> bool:
        spread.change(random)
        told = spread.workers()
        return len(told) == 2 and len({machine for machine, _ in told}) == 1

    spread.runtime.eventually(together, BACK_WITHIN_S)
    spread.runtime.run("ALTER CLUSTER spread SET (WORKERS 3, WORKERS PER MACHINE 2)")
    spread.change(random)
    spread.check()

    def apart() -> bool:
        spread.change(random)
        machines = [machine for machine, _ in spread.workers()]
        return len(machines) == 3 and machines[0] == machines[1] != machines[2]

    spread.runtime.eventually(apart, BACK_WITHIN_S)
    spread.check()
