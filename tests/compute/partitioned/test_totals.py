"""What workers count of their steps: rows as they cross, messages as they are sent, and time as it goes by."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from time import perf_counter

import pytest
from ptvc.compute.dataflow import Dataflow
from ptvc.compute.lower import lower
from ptvc.compute.partitioned.messages import Begin, Done, Message, Rows
from ptvc.compute.partitioned.totals import Meter, PartStatistics, Totals, of_this_process
from ptvc.compute.plan import DataflowPlan
from ptvc.expr.tree import relation as r
from ptvc.expr.tree.scalar import ColumnRef
from ptvc.repr.batch import NO_ERRORS, Delta
from ptvc.repr.types import INT4, INT8

from ..histories import batch_of, schema_of
from .simulated import Flow, Simulated, SimulatedWires

PAIRS = schema_of(INT4, INT4)


@dataclass
class Ways:
    messages: int = 3
    nbytes: int = 300
    waited_s: float = 10.0


def test_a_step_is_measured_from_its_beginning() -> None:
    ways, totals = Ways(), Totals(rows_received=7)
    for _ in range(2):
        meter = Meter(ways)
        began = perf_counter()
        ways.messages += 2
        ways.nbytes += 50
        while perf_counter() - began < 0.003:
            pass
        ways.waited_s += 0.001
        meter.add_to(totals)
    assert (totals.steps, totals.messages_sent, totals.bytes_sent, totals.rows_received) == (2, 4, 100, 7)
    assert totals.waiting_s == pytest.approx(0.002)
    assert totals.busy_s >= 0.0039, "of 3 ms each, one was spent waiting"
    assert totals.with_state(()) == PartStatistics(2, 7, 4, 100, totals.busy_s, totals.waiting_s, 0, 0, 0)


def test_a_process_says_what_it_has_sent() -> None:
    alone, one = of_this_process(None), of_this_process(Ways())
    assert (alone.messages_sent, alone.bytes_sent) == (0, 0)
    assert (one.messages_sent, one.bytes_sent) == (3, 300)
    assert one.process_id == alone.process_id
    assert one.cpu_s >= alone.cpu_s > 0


def regrouped() -> DataflowPlan:
    """Distinct rows lie by both of their columns, and move from there to where their second ones are counted."""
    count = r.Aggregate("count", None, INT8, "n", nullable=False)
    return lower(r.Reduce(r.Distinct(r.Get("u1", PAIRS)), (ColumnRef(1, INT4),), ("k",), (count,)))


def crossed(message: Message) -> int:
    """How many batches of rows are on their way."""
    match message:
        case Rows(pieces=pieces):
            return len(pieces)
        case Begin(rows=rows, arrived=arrived):
            return len(rows) + len(arrived)
        case Done(rows=output):
            return int(output is not None)
    return 0


@pytest.mark.parametrize("workers", [2, 3, 7])
def test_each_row_that_crosses_counts_where_it_arrives(workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """One row a step, of a group of its own, so each batch that crosses has one."""
    team = Simulated(Random(3), workers)
    flow = Flow(team, regrouped(), 0)
    one = Dataflow(regrouped(), 0)
    batches = messages = 0
    send = SimulatedWires.send

    def counted(wires: SimulatedWires, worker: int, message: Message) -> None:
        nonlocal batches, messages
        batches += crossed(message)
        messages += isinstance(message, Begin | Rows | Done)
        send(wires, worker, message)

    monkeypatch.setattr(SimulatedWires, "send", counted)
    for time in range(30):
        row = Delta(batch_of(PAIRS, [((time, 100 + time), time, 1)]), NO_ERRORS)
        flow.dataflow.step({"u1": row}, time, time + 1)
        one.step({"u1": row}, time, time + 1)
    parts = [flow.dataflow.totals.with_state(flow.dataflow.spines().values())]
    parts += [
        part.totals.with_state(part.spines().values())
        for member in team.members.values()
        for part in member._parts.values()
    ]
    assert len(parts) == workers
    assert sum(part.rows_received for part in parts) == batches > 0
    assert sum(part.messages_sent for part in parts) == messages
    assert parts[0].steps == 30
    assert all(part.steps <= 30 for part in parts)
    assert sum(part.state_rows for part in parts) == sum(spine.rows for spine in one.spines().values())
    assert all(part.busy_s > 0 for part in parts if part.steps)
