"""Steps of a plan from the parts in which inputs are committed to the parts of the output, as a replica makes them."""

from __future__ import annotations

from collections.abc import Mapping

from ptvc.compute.dataflow import Dataflow
from ptvc.compute.partitioned.messages import Writing
from ptvc.compute.partitioned.stored import READ_APART_ROWS, Stored
from ptvc.compute.plan import DataflowPlan
from ptvc.expr.tree.relation import GlobalId
from ptvc.persist.blob.base import Blob
from ptvc.persist.part import PartRef
from ptvc.persist.read import read_updates
from ptvc.persist.write import write_parts
from ptvc.replica.installed import FEW_WRITTEN_ROWS
from ptvc.replica.workers.team import DividedDataflow
from ptvc.repr.batch import NO_ERRORS, Batch, Delta

WRITER = "benchmark"
OUTPUT = "output"

Committed = Mapping[GlobalId, tuple[PartRef, ...]]
"""What a step takes in, by import."""


class StoredSteps:
    """The first step is at time 0; each other one has a time of its own."""

    def __init__(self, plan: DataflowPlan, blob: Blob) -> None:
        self._plan = plan
        self._blob = blob

    def committed(self, inputs: Mapping[GlobalId, Batch], *, passing: bool = True) -> Committed:
        """The inputs in parts."""
        return {
            id_: write_parts(
                self._blob,
                id_,
                self._plan.import_schema(id_),
                Delta(batch, NO_ERRORS),
                writer=WRITER,
                passing=passing,
            )
            for id_, batch in inputs.items()
        }

    def in_one(self, dataflow: Dataflow, inputs: Committed, time: int) -> tuple[PartRef, ...]:
        """In one process."""
        return self._written(dataflow.step(self._read(inputs, time), time, time + 1), time)

    def in_several(self, dataflow: DividedDataflow, inputs: Committed, time: int) -> tuple[PartRef, ...]:
        """In those of a team, which has the same store."""
        large = {id_ for id_, parts in inputs.items() if sum(p.rows for p in parts) >= READ_APART_ROWS}
        stored = {}
        for id_ in large:
            schema = self._plan.import_schema(id_)
            stored[id_] = [Stored(inputs[id_], schema, len(schema), time, time + 1)]
        few = self._read({id_: parts for id_, parts in inputs.items() if id_ not in large}, time)
        writing = Writing(OUTPUT, time, time > 0, FEW_WRITTEN_ROWS)
        made = dataflow.step_over(few, stored, time, time + 1, writing)
        return made.parts + self._written(made.delta, time)

    def output(self, parts: tuple[PartRef, ...], time: int) -> Batch:
        return read_updates(self._blob, parts, self._plan.schema, time, time + 1).oks

    def _read(self, inputs: Committed, time: int) -> dict[GlobalId, Delta]:
        return {
            id_: read_updates(self._blob, parts, self._plan.import_schema(id_), time, time + 1)
            for id_, parts in inputs.items()
        }

    def _written(self, delta: Delta, time: int) -> tuple[PartRef, ...]:
        return write_parts(self._blob, OUTPUT, self._plan.schema, delta, writer=WRITER, passing=time > 0)
