"""Rows of a table by key: what a unique constraint's suspicion, or ON CONFLICT, is decided by.

Few keys are asked for as literals, so that an index on the key answers; many as a join.  What comes back may be more
than was asked for, and is compared here.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...errors import UniqueViolation
from ...expr.coercion.literals import python_value
from ...expr.functions.comparison.comparison_keys import equality_key
from ...expr.registry import resolve_call
from ...expr.tree.relation import Constant, Filter, Join, JoinKind, Relation
from ...expr.tree.scalar import ColumnRef, Literal, Or, Scalar
from ...repr.batch import Batch, concat_batches
from ...repr.buffers import Words
from ...repr.consolidate import Groups, group_rows
from ...repr.hash import hash_columns
from ...repr.schema import Column, Schema
from ...sql.syntax.constraints import Constraint
from ..catalog.items import Table
from ..storage.key_values import key_values
from ..thread_pool import over_rows
from .row_checks import shown_values

FEW_KEYS = 1_000
"""So many keys are looked for as literals."""


Read = Callable[[Relation], Awaitable[Batch]]
"""The rows of a relation, at a time that the caller chooses."""


async def rows_with_keys(read: Read, item: Table, constraint: Constraint, wanted: Batch) -> Batch:
    """The table's rows whose key is, by hash, that of one of the `wanted` rows."""
    if not len(wanted):
        return concat_batches(item.schema, [])
    rows = await read(await over_rows(len(wanted), lambda: _restricted(item, constraint, wanted)))

    def matching() -> Batch:
        hashes = np.unique(hash_columns(key_values(item, constraint, wanted), len(wanted)))
        found = hash_columns(key_values(item, constraint, rows), len(rows))
        return rows.filter(np.isin(found, hashes))

    return await over_rows(len(wanted) + len(rows), matching)


def _restricted(item: Table, constraint: Constraint, wanted: Batch) -> Relation:
    keys = [wanted.columns[index] for index in constraint.columns]
    table = item.contents
    columns = [item.schema[index] for index in constraint.columns]
    refs = [ColumnRef(i, c.type, c.nullable) for i, c in zip(constraint.columns, columns, strict=True)]
    try:
        if len(keys[0]) > FEW_KEYS:
            values = [[python_value(value) for value in array] for array in keys]
            schema = Schema(tuple(Column(c.name, c.type) for c in columns))
            constant = Constant(tuple(zip(*values, strict=True)), schema)
            left = tuple(equality_key(ref) for ref in refs)
            right = tuple(equality_key(ColumnRef(i, c.type, True)) for i, c in enumerate(schema))
            return Join(table, constant, JoinKind.SEMI, left, right, null_safe=True)
        predicates = tuple(_among(ref, array) for ref, array in zip(refs, keys, strict=True))
    except ValueError:  # a date that Python cannot hold: all rows are looked at
        return table
    return Filter(table, predicates)


def _among(column: ColumnRef, array: pa.Array) -> Scalar:
    """The column has one of the array's values."""
    groups = key_groups([array], len(array))
    distinct = array.take(pa.array(groups.order[groups.starts]))
    literals = [Literal(python_value(value), column.type) for value in distinct if value.is_valid]
    alternatives: list[Scalar] = []
    if literals:
        alternatives.append(resolve_call("eq" if len(literals) == 1 else "in", (column, *literals)))
    if distinct.null_count:
        alternatives.append(resolve_call("is_null", (column,)))
    return alternatives[0] if len(alternatives) == 1 else Or(tuple(alternatives))


async def check_duplicates(
    read: Read, item: Table, constraint: Constraint, own: Batch, hashes: Words
) -> None:
    """Raises 23505 if the table with the changes `own` would have two rows of one key whose hash is among `hashes`.

    `read` gives the table as it is for everybody.
    """

    def suspected() -> Batch:
        return own.filter(np.isin(hash_columns(key_values(item, constraint, own), len(own)), hashes))

    def check(there: Batch) -> None:
        both = concat_batches(item.schema, [there, suspects])
        if (found := duplicate(item, constraint, both)) is not None:
            raise violation(item, constraint, both, found)

    suspects = await over_rows(len(own), suspected)
    for start in range(0, len(suspects), FEW_KEYS):
        piece = suspects.slice(start, start + FEW_KEYS)
        there = await rows_with_keys(read, item, constraint, piece)
        await over_rows(len(there) + len(suspects), partial(check, there))


def duplicate(item: Table, constraint: Constraint, rows: Batch) -> int | None:
    """A row whose key more than one row has; diffs count."""
    if not len(rows):
        return None
    columns = key_values(item, constraint, rows)
    groups = key_groups(columns, len(rows))
    counts = np.add.reduceat(rows.diffs[groups.order], groups.starts)
    if constraint.nulls_distinct:
        firsts = groups.order[groups.starts]
        for column in columns:
            if column.null_count:
                counts[pc.is_null(column).to_numpy(zero_copy_only=False)[firsts]] = 0
    wrong = np.flatnonzero(counts > 1)
    return int(groups.order[groups.starts[wrong[0]]]) if len(wrong) else None


def key_groups(columns: Sequence[pa.Array], length: int) -> Groups:
    """Rows of equal keys (see `key_values`), of at least one row."""
    return group_rows(columns, hash_columns(columns, length))


def violation(item: Table, constraint: Constraint, rows: Batch, row: int) -> UniqueViolation:
    """23505, as PostgreSQL words it."""
    return UniqueViolation(
        f'duplicate key value violates unique constraint "{constraint.name}"',
        item.about(constraint=constraint.name),
        detail=f"{_shown(item, constraint, rows, row)} already exists.",
    )


def not_unique(item: Table, constraint: Constraint, rows: Batch, row: int) -> UniqueViolation:
    """23505 for a constraint that the rows there are do not allow."""
    return UniqueViolation(
        f'could not create unique index "{constraint.name}"',
        item.about(constraint=constraint.name),
        detail=f"{_shown(item, constraint, rows, row)} is duplicated.",
    )


def _shown(item: Table, constraint: Constraint, rows: Batch, row: int) -> str:
    schema = item.schema.project(constraint.columns)
    values = shown_values(schema, tuple(rows.columns[index] for index in constraint.columns), row)
    return f"Key ({', '.join(schema.names)})=({', '.join(values)})"
