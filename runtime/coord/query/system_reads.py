"""Catalog relations in a query that reads users' collections, too.

The parts of it that read catalogs alone are computed here, and go to the replica as literal rows: it knows no catalog.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...compute.lower import lower
from ...compute.oneshot import evaluate_in_order
from ...compute.plan import DataflowPlan
from ...compute.row_chain import is_chain
from ...expr.cost import is_computed_here
from ...expr.temporal import at_time
from ...expr.tree.relation import Constant, Get, GlobalId, Map, Project, Relation
from ...expr.tree.relation_tree import dependencies, free_locals, inputs, with_inputs
from ...expr.tree.scalar import ColumnRef, Literal
from ...repr.batch import Batch, Delta, batch_from_rows
from ...repr.types import UNSIGNED, Kind
from ..catalog.system_items import is_system

SystemRows = Callable[[GlobalId], Batch]
"""All rows of a system relation."""

MOST_PLANS = 100

MOST_ROWS = 10_000
"""More rows than this are not sent for a part of a query; its relations are, and it is computed there."""

_AS_LITERALS = frozenset(
    {
        Kind.BOOL, Kind.CHAR, Kind.NAME, Kind.TEXT, Kind.VARCHAR, Kind.OID,
        Kind.INT2, Kind.INT4, Kind.INT8, *UNSIGNED, Kind.FLOAT4, Kind.FLOAT8, Kind.ARRAY,
    }
)  # fmt: skip
"""Kinds whose Arrow values are the same as Python values and back."""

FEW_ROWS = 100
SMALL_VALUE = 4096
"""Characters, or elements."""


def inputs_of(relation: Relation, rows: SystemRows) -> Mapping[GlobalId, Batch]:
    """The system relations that `relation` reads."""
    return {id_: rows(id_) for id_ in dependencies(relation) if is_system(id_)}


class CatalogQueries:
    """Evaluates queries over catalogs alone.  Clients ask the same ones again and again, and what the plan cache has
    keeps its identity: so its physical plan is kept, too, for the last that were asked."""

    def __init__(self) -> None:
        self._plans: dict[int, tuple[Relation, DataflowPlan]] = {}

    def computation(self, relation: Relation, rows: SystemRows, time: int) -> Callable[[], Delta]:
        """What computes the rows of `relation`, which reads system relations only, or nothing: for any thread."""
        inputs = inputs_of(relation, rows)
        now = at_time(relation, time)
        if now is not relation or not inputs or is_chain(relation):
            return lambda: evaluate_in_order(now, inputs, time)
        found = self._plans.pop(id(relation), None)
        plan = found[1] if found is not None else lower(relation, delta_joins=False)
        self._plans[id(relation)] = (relation, plan)  # which keeps the identity from being another's
        if len(self._plans) > MOST_PLANS:
            del self._plans[next(iter(self._plans))]
        return lambda: evaluate_in_order(plan, inputs, time)


def trivial_rows(relation: Relation) -> Batch | None:
    """The rows of a query that has nothing to compute, a few rows of small literals; None of any other."""
    chain: list[Map | Project] = []
    leaf = relation
    while isinstance(leaf, Map | Project):
        chain.append(leaf)
        leaf = leaf.input
    if not isinstance(leaf, Constant) or len(leaf.rows) > FEW_ROWS:
        return None
    rows = [tuple(row) for row in leaf.rows]
    for node in reversed(chain):
        if isinstance(node, Project):
            rows = [tuple(row[i] for i in node.indices) for row in rows]
            continue
        scalars = [scalar for scalar in node.scalars if isinstance(scalar, ColumnRef | Literal)]
        if len(scalars) < len(node.scalars):
            return None
        rows = [
            (*row, *(row[s.index] if isinstance(s, ColumnRef) else s.value for s in scalars)) for row in rows
        ]
    if not all(_is_small(value) for row in rows for value in row):
        return None
    return batch_from_rows(relation.schema, rows, 0)


def _is_small(value: object) -> bool:
    return not isinstance(value, str | bytes | list | tuple | dict) or len(value) <= SMALL_VALUE


def with_system_rows(relation: Relation, rows: SystemRows) -> Relation:
    """`relation` with literal rows in the place of all system relations; itself if it reads none."""
    reads = dependencies(relation)
    if not any(map(is_system, reads)):
        return relation
    if isinstance(relation, Get):
        return _literal(relation, rows(relation.id))
    if all(map(is_system, reads)) and not free_locals(relation) and is_computed_here(relation):
        kinds = {column.type.kind for column in relation.schema}
        if kinds <= _AS_LITERALS and at_time(relation, 0) is relation:  # the time is that of the whole query
            found = evaluate_in_order(relation, inputs_of(relation, rows), 0)
            if not len(found.errs) and len(found.oks) <= MOST_ROWS:  # errors are raised where they are read
                return _literal(relation, found.oks)
    return with_inputs(relation, tuple(with_system_rows(child, rows) for child in inputs(relation)))


def with_catalogs(relation: Relation, rows: SystemRows) -> Relation:
    """As `with_system_rows`, of a query that is computed in a replica: nothing of it is computed here."""
    if isinstance(relation, Get):
        return _literal(relation, rows(relation.id))
    return with_inputs(relation, tuple(with_catalogs(child, rows) for child in inputs(relation)))


def _literal(relation: Relation, batch: Batch) -> Constant:
    columns = [column.to_pylist() for column in batch.columns]
    alone: list[tuple[Any, ...]] = list(zip(*columns, strict=True)) if columns else [()] * len(batch)
    repeated = (row for row, count in zip(alone, batch.diffs.tolist(), strict=True) for _ in range(count))
    return Constant(tuple(repeated), relation.schema)
