"""Catalog relations in a query that reads users' collections, too.

The parts of it that read catalogs alone are computed here, and go to the replica as literal rows: it knows no catalog.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..compute.oneshot import evaluate_once
from ..expr.relation import Constant, Get, GlobalId, Relation, dependencies, free_locals, inputs, with_inputs
from ..expr.temporal import at_time
from ..repr.batch import Batch
from ..repr.types import Kind

SystemRows = Callable[[GlobalId], Batch]
"""All rows of a system relation."""

MOST_ROWS = 10_000
"""More rows than this are not sent for a part of a query; its relations are, and it is computed there."""

_AS_LITERALS = frozenset(
    {
        Kind.BOOL, Kind.CHAR, Kind.NAME, Kind.TEXT, Kind.VARCHAR, Kind.OID,
        Kind.INT2, Kind.INT4, Kind.INT8, Kind.FLOAT4, Kind.FLOAT8, Kind.ARRAY,
    }
)  # fmt: skip
"""Kinds whose Arrow values are the same as Python values and back."""


def is_system(id: GlobalId) -> bool:
    return id.startswith("s")


def inputs_of(relation: Relation, rows: SystemRows) -> Mapping[GlobalId, Batch]:
    """The system relations that `relation` reads."""
    return {id_: rows(id_) for id_ in dependencies(relation) if is_system(id_)}


def with_system_rows(relation: Relation, rows: SystemRows) -> Relation:
    """`relation` with literal rows in the place of all system relations; itself if it reads none."""
    reads = dependencies(relation)
    if not any(map(is_system, reads)):
        return relation
    if isinstance(relation, Get):
        return _literal(relation, rows(relation.id))
    if all(map(is_system, reads)) and not free_locals(relation):
        kinds = {column.type.kind for column in relation.schema}
        if kinds <= _AS_LITERALS and at_time(relation, 0) is relation:  # the time is that of the whole query
            found = evaluate_once(relation, inputs_of(relation, rows), 0)
            if not len(found.errs) and len(found.oks) <= MOST_ROWS:  # errors are raised where they are read
                return _literal(relation, found.oks)
    return with_inputs(relation, tuple(with_system_rows(child, rows) for child in inputs(relation)))


def _literal(relation: Relation, batch: Batch) -> Constant:
    columns = [column.to_pylist() for column in batch.columns]
    alone: list[tuple[Any, ...]] = list(zip(*columns, strict=True)) if columns else [()] * len(batch)
    repeated = (row for row, count in zip(alone, batch.diffs.tolist(), strict=True) for _ in range(count))
    return Constant(tuple(repeated), relation.schema)
