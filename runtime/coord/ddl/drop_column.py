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
from ...sql.plans.definition_plans import AlterTable
from ..catalog.catalog import Catalog
from ..catalog.items import AnyView, Index, Item, MaterializedView, Sink, Table
from ..catalog.views import expand
from .dependents import CASCADE_HINT, dropped_with, noun


def drop_columns(catalog: Catalog, item: Table, new: Table, plan: AlterTable) -> tuple[Table, list[Item]]:
    """`new` without the dropped columns, and the other objects that go, dependents first."""
    layout = item.layout.all_places(item.schema)
    places = {layout[index]: item.schema[index].name for index in plan.dropped}
    using: list[tuple[Item, str]] = []
    going: list[Item] = []
    for dependent in catalog.dependents(item.id):
        if isinstance(dependent, Index):
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
        layout=new.layout.without(item.schema, plan.dropped),
        column_comments={moved[i]: text for i, text in item.column_comments.items() if i in moved},
    )
    return new, dropped


def _named(dependent: Item, table: Table, places: dict[int, str]) -> str | None:
    """One of the columns that the object names; any of them if that is not known of it."""
    if not isinstance(dependent, AnyView) or dependent.columns is None:
        return next(iter(places.values()))
    return next(
        (places[place] for id_, place in dependent.columns if id_ == table.id and place in places), None
    )


def _check_not_maintained(catalog: Catalog, table: Table, dropped: set[str]) -> None:
    readers = [
        other.full_name
        for other in catalog.user_items()
        if other.id not in dropped and _maintained_from(table, other, catalog)
    ]
    if readers:
        raise Unsupported(
            f'cannot drop a column of table "{table.name}" while objects are maintained from it',
            detail=f"These are {', '.join(readers)}.",
            hint="Drop them first; views that are not maintained may stay.",
        )


def _maintained_from(table: Table, other: Item, catalog: Catalog) -> bool:
    """Whether `other` has rows of the table in its state; indexes on the table itself are built again."""
    match other:
        case Sink():
            return other.on == table.id
        case Index() if other.on == table.id:
            return False
        case MaterializedView() | Index():
            return table.id in dependencies(expand(other.relation, catalog))
        case _:
            return False
