"""ALTER TABLE: checks that the rows there are fit the new definition, and makes it the table's.

Meanwhile no other write to the table is committed; what was planned or checked under the old
definition is refused afterwards (see `Table.shape`).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from ...errors import CheckViolation, DuplicateObject, NotNullViolation, UndefinedTable, Unsupported
from ...expr.registry import resolve_call
from ...expr.tree.relation import Filter, Get, Relation, TopK
from ...expr.tree.scalar import ColumnRef, Scalar, transform
from ...repr.hash import hash_columns
from ...sql.plans.definition_plans import AlterTable
from ...sql.syntax.constraints import Constraint
from ..catalog.catalog import Catalog
from ..catalog.entries import Change
from ..catalog.items import Index, Item, MaterializedView, Sink, Table, View
from ..dml.key_lookup import Read, duplicate, not_unique
from ..storage.key_values import key_values
from ..storage.unique_keys import UniqueKeys
from ..thread_pool import over_rows
from .drop_column import drop_columns


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows that a definition has to fit: `read` gives those of a relation, and `add_key` raises (23505) if a constraint of
    the new definition of a table, which it has beside the old one, does not hold for them, and checks it from then on."""

    read: Read
    add_key: Callable[[Table, Table, Constraint], Awaitable[None]]


async def alter_table(catalog: Catalog, plan: AlterTable, rows: Rows) -> list[Change]:
    """The changes to the catalog, the table's last; raises what forbids it.  No other write to the table is committed
    between this and the change."""
    match catalog.find_by_id(plan.id):
        case Table() as table if table.shape == plan.before.shape:
            return await _alter_table(catalog, table, plan, rows)
        case View() | MaterializedView() as view if view.schema == plan.before.schema:
            # Its query calls its columns otherwise.
            named = view.named or plan.schema.names != view.schema.names
            return [Change(view, replace(view, schema=plan.schema, named=named))]
        case _:
            raise UndefinedTable(
                "the relation was altered meanwhile", hint="Run the statement again.", sqlstate="40001"
            )


async def _alter_table(catalog: Catalog, item: Table, plan: AlterTable, rows: Rows) -> list[Change]:
    read = rows.read
    if plan.nullable:
        _check_no_dependents(catalog, item, plan)
    known = {constraint.name: constraint for constraint in item.constraints}
    constraints = tuple(c if c.oid else replace(c, oid=catalog.allocate_oid()) for c in plan.constraints)
    layout = item.layout.with_columns(plan.schema.types[len(item.schema) :], plan.missing)
    new = replace(item, schema=plan.schema, defaults=plan.defaults, constraints=constraints, layout=layout)
    dropped: list[Item] = []
    if plan.dropped:
        new, dropped = drop_columns(catalog, item, new, plan)
    if plan.missing:
        _check_no_sinks(catalog, item)
    if plan.empty is not None and len(await read(_one(item.contents))):
        column = plan.schema[plan.empty]
        raise NotNullViolation(
            f'column "{column.name}" of relation "{item.name}" contains null values',
            item.about(column=column.name),
        )
    for index in plan.present:
        await _check_present(item, index, read)
    oids = {constraint.oid for constraint in known.values()}
    added = [constraint for constraint in constraints if constraint.oid not in oids]
    for constraint in added:
        if constraint.is_key:
            if catalog.find(item.schema_name, constraint.name) is not None:
                raise DuplicateObject(f'relation "{constraint.name}" already exists')
            await rows.add_key(item, new, constraint)
        else:
            await _check_rows(item, constraint, read)
    gone = {other.id for other in dropped}
    indexes = [index for index in catalog.indexes_on(new.id) if index.id not in gone]
    return [
        *(Change(other, None) for other in dropped),
        *_over(catalog, indexes, item, new),
        Change(item, new),
    ]


def _over(catalog: Catalog, indexes: list[Index], old: Table, new: Table) -> Iterator[Change]:
    """Rows stay as they are stored, and views go on; indexes on the table are built again, with its columns now."""
    if new.stored_shape != old.stored_shape:
        for index in indexes:
            id_, _ = catalog.allocate()
            yield Change(index, None)
            yield Change(None, replace(index_over(index, new), id=id_))
    elif [column.nullable for column in new.schema] != [column.nullable for column in old.schema]:
        for index in indexes:
            yield Change(index, index_over(index, new))


def index_over(index: Index, table: Table) -> Index:
    """The index's definition over the rows of the table as they are now: which columns may be NULL is part of it."""
    schema = table.physical

    def relabelled(node: Scalar) -> Scalar:
        if isinstance(node, ColumnRef):
            return ColumnRef(node.index, node.type, schema[node.index].nullable)
        return node

    keys = tuple(transform(key, relabelled) for key in index.keys)
    return replace(index, relation=Get(table.id, schema), keys=keys)


def _check_no_dependents(catalog: Catalog, item: Table, plan: AlterTable) -> None:
    """What is maintained over the table has been optimized for a column without NULLs."""
    dependents = catalog.dependents(item.id)
    if dependents:
        names = ", ".join(f'"{dependent.full_name}"' for dependent in dependents)
        column = item.schema[plan.nullable[0]].name
        raise Unsupported(
            f'cannot drop NOT NULL of column "{column}": {names} rely on it',
            hint="Drop them first, and create them anew.",
        )


def _check_no_sinks(catalog: Catalog, item: Table) -> None:
    for dependent in catalog.dependents(item.id):
        if isinstance(dependent, Sink):
            raise Unsupported(
                f'cannot add a column to "{item.name}": sink "{dependent.full_name}" reads it',
                hint="Drop the sink, or let it read a materialized view of the columns that it shall have.",
            )


async def _check_present(item: Table, index: int, read: Read) -> None:
    column = item.schema[index]
    is_null = resolve_call("is_null", (ColumnRef(index, column.type, True),))
    if len(await read(_one(Filter(item.contents, (is_null,))))):
        raise NotNullViolation(
            f'column "{column.name}" of relation "{item.name}" contains null values',
            item.about(column=column.name),
        )


async def _check_rows(item: Table, constraint: Constraint, read: Read) -> None:
    assert constraint.check is not None
    wrong: Scalar = resolve_call("not", (constraint.check,))
    if len(await read(_one(Filter(item.contents, (wrong,))))):
        raise CheckViolation(
            f'check constraint "{constraint.name}" of relation "{item.name}" is violated by some row',
            item.about(constraint=constraint.name),
        )


async def check_unique(item: Table, constraint: Constraint, unique: UniqueKeys, read: Read) -> None:
    """Raises 23505 if the table's rows do not fit; from now on the constraint's keys are known, and follow every commit."""
    await unique.ready(item, [constraint])
    try:
        counts = unique.counts(constraint.oid)
        suspects = await over_rows(len(counts), counts.repeated)
        if len(suspects):
            rows = await read(item.contents)

            def check() -> None:
                hashes = hash_columns(key_values(item, constraint, rows), len(rows))
                suspected = rows.filter(np.isin(hashes, suspects))
                if (found := duplicate(item, constraint, suspected)) is not None:
                    raise not_unique(item, constraint, suspected, found)

            await over_rows(len(rows), check)
    except BaseException:
        unique.forget([constraint])
        raise


def _one(relation: Relation) -> Relation:
    return TopK(relation, (), (), 1)
