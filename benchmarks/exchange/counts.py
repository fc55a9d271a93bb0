"""How often plans move rows: the exchanges that operators ask for, and those that are left where rows lie by a key already.

Nothing is run: W1 to W6 and TPC-H's 22 queries are planned, as the runtime plans them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from ptvc.compute.lower import lower
from ptvc.compute.partitioned.placement import divided, undivided
from ptvc.compute.plan import DataflowPlan, levels
from ptvc.sql.catalog.catalog_view import PlanContext
from ptvc.sql.parser.parse import parse
from ptvc.sql.plan import plan
from ptvc.sql.plans.definition_plans import CreateMaterializedView, CreateTable
from ptvc.transform.pipeline import optimize
from rich.table import Table

from .. import tpch
from ..report import new_table, shows
from ..workloads import WORKLOADS, Tables


@dataclass(frozen=True, slots=True)
class ExchangeCount:
    """`moves` are collections that are exchanged, `barriers` the times that a step waits for all workers, in the middle; of the plan as it
    is lowered, and as it is divided; but for those inside loops.  `undivided`: why it is not."""

    view: str
    operators: int
    moves: int
    barriers: int
    moves_left: int
    barriers_left: int
    undivided: str | None


def count_exchanges() -> list[ExchangeCount]:
    return [_counted(name, plan) for name, plan in _plans()]


def _plans() -> Iterator[tuple[str, DataflowPlan]]:
    for workload in WORKLOADS.values():
        yield workload.name, workload.plan()
    tables = {}
    nothing = PlanContext(Tables({}), ("public",), "ptvc", "ptvc", "quickstart", 0, "pg_temp_1", {})
    for number, statement in enumerate(parse(tpch.SCHEMA), 1):
        made = plan(statement, nothing)
        assert isinstance(made, CreateTable)
        tables[made.name.name] = (f"u{number}", made.schema)
    context = PlanContext(Tables(tables), ("public",), "ptvc", "ptvc", "quickstart", 0, "pg_temp_1", {})
    for name, query in tpch.queries(Decimal("0.01"), 160).items():
        (statement,) = parse(f"CREATE MATERIALIZED VIEW v AS {query}")
        view = plan(statement, context)
        assert isinstance(view, CreateMaterializedView)
        yield name, lower(optimize(view.relation))


def _counted(name: str, plan: DataflowPlan) -> ExchangeCount:
    """Rows of imports that are dealt out by a key move once, when a step begins, with all other rows of it: that is no exchange."""
    left = divided(plan).plan
    return ExchangeCount(
        name,
        len(plan.nodes),
        _moves(plan),
        len(levels(plan)) - 1,
        _moves(left),
        len(levels(left)) - 1,
        undivided(plan),
    )


def _moves(plan: DataflowPlan) -> int:
    """What several operators take by the same columns moves once."""
    return len(
        {(i, by) for node in plan for i, by in zip(node.inputs, node.exchange, strict=True) if by is not None}
    )


@shows(ExchangeCount)
def _counts_table(results: list[ExchangeCount]) -> Table:
    table = new_table(
        "Exchanges of plans, as lowered and where keys that agree are left where they are",
        *("view", "operators", "moves", "barriers", "moves left", "barriers left", "undivided"),
    )
    for r in results:
        table.add_row(
            r.view,
            *map(str, (r.operators, r.moves, r.barriers, r.moves_left, r.barriers_left)),
            r.undivided or "",
        )
    both = [r for r in results if r.undivided is None]
    if both:
        sums = (
            sum(r.operators for r in both),
            sum(r.moves for r in both),
            sum(r.barriers for r in both),
            sum(r.moves_left for r in both),
            sum(r.barriers_left for r in both),
        )
        table.add_row("all that are divided", *map(str, sums), "")
    return table
