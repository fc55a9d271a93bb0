"""ALTER TABLE ... DROP COLUMN: what goes along, and the definition that is left.

Rows stay as they are stored, and are read with NULL in place of the column (see `Column.dropped`).  What is
maintained from the table has rows with the column's values in its state, so it must go first; indexes on the table are
built again.
"""

from __future__ import annotations

from dataclasses import replace

from ...errors import DependentObjectsExist, Unsupported
from ...expr.tree.relation_tree import dependencies
from ...expr.tree.scalar import columns_of
from ...sql.catalog.catalog_view import ItemKind
from ...sql.plans.definition_plans import AlterTable
from ..catalog.catalog import Catalog
from ..catalog.entries import Item
from ..catalog.views import expand
from .dependents import CASCADE_HINT, dropped_with, noun

_MAINTAINED = (ItemKind.MATERIALIZED_VIEW, ItemKind.INDEX, ItemKind.SINK)


def drop_columns(catalog: Catalog, item: Item, new: Item, plan: AlterTable) -> tuple[Item, list[Item]]:
    """`new` without the dropped columns, and the other objects that go, dependents first."""
    layout = item.layout or tuple(range(len(item.schema)))
    places = {layout[index]: item.schema[index].name for index in plan.dropped}
    using: list[tuple[Item, str]] = []
    going: list[Item] = []
    for dependent in catalog.dependents(item.id):
        if dependent.kind is ItemKind.INDEX:
            if any(columns_of(key) & places.keys() for key in dependent.keys):
                going.append(dependent)  # as in PostgreSQL, an index goes with its columns
        elif (name := _named(dependent, item, places)) is not None:
            using.append((dependent, name))
    if using and not plan.cascade:
        names = ", ".join(places.values())
        raise DependentObjectsExist(
            f"cannot drop column {names} of table {item.name} because other objects depend on it",
            detail="\n".join(
                f"{noun(dependent)} {dependent.full_name} depends on column {name} of table {item.full_name}"
                for dependent, name in using
            ),
            hint=CASCADE_HINT,
        )
    dropped = dropped_with(catalog, [*going, *(dependent for dependent, _ in using)], cascade=True)
    _check_not_maintained(catalog, item, {other.id for other in dropped})
    moved = {old: new for new, old in enumerate(i for i in range(len(layout)) if i not in plan.dropped)}
    new = replace(
        new,
        stored=item.stored or item.schema.types,
        layout=tuple(layout[index] for index in moved),
        column_comments={moved[i]: text for i, text in item.column_comments.items() if i in moved},
    )
    return new, dropped


def _named(dependent: Item, table: Item, places: dict[int, str]) -> str | None:
    """One of the columns that the object names; any of them if that is not known of it."""
    if dependent.columns is None:
        return next(iter(places.values()))
    return next(
        (places[place] for id_, place in dependent.columns if id_ == table.id and place in places), None
    )


def _check_not_maintained(catalog: Catalog, table: Item, dropped: set[str]) -> None:
    readers = [
        other.full_name
        for other in catalog.user_items()
        if other.kind in _MAINTAINED
        and other.id not in dropped
        and not (other.kind is ItemKind.INDEX and other.on == table.id)
        and (
            other.on == table.id
            if other.kind is ItemKind.SINK
            else other.relation is not None and table.id in dependencies(expand(other.relation, catalog))
        )
    ]
    if readers:
        raise Unsupported(
            f'cannot drop a column of table "{table.name}" while objects are maintained from it',
            detail=f"These are {', '.join(readers)}.",
            hint="Drop them first; views that are not maintained may stay.",
        )
