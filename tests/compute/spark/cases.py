"""Views over some inputs, computed as jobs, and what that must come to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from random import Random

from ptvc.compute.dataflow import Dataflow
from ptvc.compute.lower import lower
from ptvc.compute.lower.shared_arrangements import IndexKey
from ptvc.compute.narrow_imports import narrow_imports
from ptvc.compute.run_file import map_run
from ptvc.compute.shared_files import MACHINE
from ptvc.compute.spark.application import Application
from ptvc.compute.spark.broadcast import broadcast
from ptvc.compute.spark.first_paths import first_paths
from ptvc.compute.spark.job import Job
from ptvc.compute.spark.superstep import JobResult
from ptvc.expr.functions.aggregates import resolve_aggregate
from ptvc.expr.tree import relation as r
from ptvc.expr.tree.scalar import ColumnRef
from ptvc.persist.blob.file import FileBlob
from ptvc.persist.part import PartRef
from ptvc.persist.read import read_updates
from ptvc.persist.write import write_parts
from ptvc.repr.batch import NO_ERRORS, Delta
from ptvc.repr.schema import ERROR_SCHEMA, Schema
from ptvc.repr.types import INT4, INT8, TEXT

from ..histories import batch_of, consolidated, schema_of, updates_of
from ..random_views import TABLES, Views, random_row
from ..reference import Row, Update
from .local_job import run_locally

AS_OF = 5
JOB_IDS = count(1)
Inputs = Mapping[str, Sequence[Delta]]
"""Per import its parts: updates at times up to AS_OF."""


def part(schema: Schema, rows: Sequence[Row], *, time: int = 1, diff: int = 1) -> Delta:
    return Delta(batch_of(schema, [(row, time, diff) for row in rows]), NO_ERRORS)


def observed(delta: Delta) -> tuple[dict[Row, int], dict[Row, int]]:
    return consolidated(updates_of(delta.oks)), consolidated(updates_of(delta.errs))


class Case:
    """A view over some inputs, hydrated in both ways.  Without an application the job's tasks run in this process.
    `append_only`: inputs that are so."""

    def __init__(
        self,
        application: Application | None,
        directory: Path,
        relation: r.Relation,
        inputs: Inputs,
        partitions: int = 2,
        append_only: frozenset[str] = frozenset(),
        indexes: tuple[IndexKey, ...] = (),
    ) -> None:
        self.plan = lower(relation, append_only=append_only, indexes=indexes)
        self.application = application
        self.inputs = inputs
        self.schemas = {id_: self.plan.import_schema(id_) for id_ in self.plan.imports}
        self.blob = FileBlob(directory / "blobs")
        state = directory / "state"
        state.mkdir(parents=True, exist_ok=True)
        self.job = Job(
            plan=self.plan,
            as_of=AS_OF,
            schemas=self.schemas,
            blobs=(directory / "blobs").as_uri(),
            directory=str(state),
            writer="test",
            partitions=partitions,
            rows=sum(len(delta.oks) for deltas in inputs.values() for delta in deltas),
            output_shard="view",
            payloads=str(directory / "payloads"),
            small_bytes=-1,  # every level is Spark's
        )

    def plan_for(self, sizes: Mapping[str, int]) -> None:
        """The job's plan is that of a hydration of inputs of these sizes."""
        plan, columns = narrow_imports(self.plan)
        plan, copies = broadcast(first_paths(plan, sizes), sizes, self.job.partitions)
        self.job = replace(self.job, plan=plan, columns=columns, copies=copies)

    def parts(self, id: str) -> list[PartRef]:
        return [
            ref
            for delta in self.inputs.get(id, ())
            for ref in write_parts(self.blob, id, self.schemas[id], delta, writer="test")
        ]

    def run(self) -> JobResult:
        imports = [(id_, self.parts(id_)) for id_ in self.plan.imports]
        if self.application is None:
            return run_locally(self.job, imports)
        return self.application.job_run(self.job).run(imports, "test", f"job-{next(JOB_IDS)}")

    def check(self, changes: Sequence[Mapping[str, Delta]] = ()) -> JobResult:
        """The job's contents are the dataflow's, and so are the outputs of later steps."""
        expected = Dataflow(self.plan, AS_OF)
        contents = {}
        for id_ in self.plan.imports:
            updates = [u for delta in self.inputs.get(id_, ()) for u in updates_of(delta.oks)]
            errors = [u for delta in self.inputs.get(id_, ()) for u in updates_of(delta.errs)]
            contents[id_] = Delta(
                batch_of(self.schemas[id_], [(row, AS_OF, n) for row, time, n in updates if time <= AS_OF]),
                batch_of(ERROR_SCHEMA, [(row, AS_OF, n) for row, time, n in errors if time <= AS_OF]),
            )
        wanted = expected.step(contents, AS_OF, AS_OF + 1)
        result = self.run()
        found = read_updates(self.blob, result.parts, self.plan.schema, 0, AS_OF + 1)
        assert observed(found) == observed(wanted)
        assert all(ref.min_time == ref.max_time == AS_OF for ref in result.parts)
        loaded = Dataflow(self.plan, AS_OF)
        loaded.load(
            {id_: [map_run(MACHINE.path(name)) for name in names] for id_, names in result.state.items()},
            AS_OF + 1,
        )
        for node in loaded.shareable():
            loaded.own_rows(node.node, contents[node.source].oks)
        for step, change in enumerate(changes, AS_OF + 1):
            assert observed(loaded.step(change, step, step + 1)) == observed(
                expected.step(change, step, step + 1)
            )
        return result


NUMBERS = schema_of(INT4, INT4)
NAMES = schema_of(TEXT, INT4)


def get(id: str, schema: Schema = NUMBERS) -> r.Get:
    return r.Get(id, schema)


def column(index: int, schema: Schema = NUMBERS) -> ColumnRef:
    return ColumnRef(index, schema.types[index])


def totals(child: r.Relation, keys: tuple[int, ...] = (0,), *, scalar: bool = False) -> r.Reduce:
    _, total = resolve_aggregate("sum", INT4)
    value = column(len(child.schema) - 1, child.schema)
    aggregates = (
        r.Aggregate("count", None, INT8, "count", nullable=False),
        r.Aggregate("sum", value, total, "sum"),
        r.Aggregate("min", value, INT4, "min"),
        r.Aggregate("count", value, INT8, "values", distinct=True, nullable=False),
    )
    scalars = tuple(column(key, child.schema) for key in keys)
    return r.Reduce(child, scalars, tuple(f"key_{i}" for i in keys), aggregates, scalar)


def random_numbers(random: Random, rows: int, keys: int = 20) -> list[Row]:
    return [(random.choice((None, *range(keys))), random.randrange(100)) for _ in range(rows)]


def append_only_case(random: Random, application: Application | None, directory: Path, rows: int) -> Case:
    """Of what only ever appends: the ends and the first rows of groups, and the distinct keys of those that follow."""
    top = r.TopK(
        r.Join(get("u1"), get("u2"), r.JoinKind.SEMI, (column(0),), (column(0),)), (0,), (r.OrderBy(1),), 3
    )
    keys = r.Distinct(r.Project(get("u1"), (0, 0)))
    view = r.Union((totals(get("u1")), totals(r.Union((top, keys), NUMBERS))), totals(get("u1")).schema)
    inputs = {
        "u1": [part(NUMBERS, random_numbers(random, rows), time=1 + i) for i in range(4)],
        "u2": [part(NUMBERS, random_numbers(random, 30))],
    }
    return Case(
        application, directory, view, inputs, random.choice((1, 2, 3)), append_only=frozenset({"u1", "u2"})
    )


def random_case(
    random: Random, application: Application | None, directory: Path
) -> tuple[Case, list[dict[str, Delta]]]:
    """A random view; rows that were deleted before the job began, some in other parts than their insert; and what
    changes in three more steps."""
    relation = Views(random).relation(random.choice((2, 3, 3, 4)))
    inputs: dict[str, list[Delta]] = {}
    changes: list[dict[str, Delta]] = [{}, {}, {}]
    for id_, schema in TABLES.items():
        rows = [random_row(random, schema) for _ in range(30)]
        gone, kept = rows[:10], rows[10:]
        inputs[id_] = [
            part(schema, rows[:15]),
            part(schema, rows[15:], time=2),
            part(schema, gone, time=AS_OF, diff=-1),
        ]
        for step, change in enumerate(changes):
            updates: list[Update] = [(row, AS_OF + 1 + step, -1) for row in kept[step * 5 : step * 5 + 5]]
            updates += [(random_row(random, schema), AS_OF + 1 + step, 1) for _ in range(5)]
            change[id_] = Delta(batch_of(schema, updates), NO_ERRORS)
    return Case(application, directory, relation, inputs, random.choice((1, 2, 3))), changes
