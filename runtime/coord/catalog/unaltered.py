"""Plans that are kept for a while, as those of cursors, and definitions that change meanwhile.

A plan reads a table by the places of its columns, and an indexed view by its name.  A column that was dropped since would be
read as NULL, and a view that was replaced would be read as what it is now: neither is what the plan was made for.
"""

from __future__ import annotations

from collections.abc import Callable

from ...errors import DroppedMeanwhile, ObjectNotReady
from ...expr.tree.relation import GlobalId, Relation
from ...expr.tree.relation_tree import dependencies
from .catalog import Catalog
from .items import Item, Table, View


def unaltered(
    relation: Relation,
    catalog: Catalog,
    begun: str = "the cursor was declared",
    again: str = "Close the cursor, and declare it again.",
) -> Callable[[], None]:
    """A check that raises when something that `relation` reads is not what it is now, when `begun`: 55000, or 42P01 without it."""
    before = _items(relation, catalog)

    def check() -> None:
        for item in before:
            now = catalog.find_by_id(item.id)
            if now is None:
                raise DroppedMeanwhile(f'"{item.full_name}" was dropped after {begun}')
            if _altered(item, now):
                raise ObjectNotReady(
                    f'"{item.full_name}" was altered after {begun}',
                    hint=again,
                )

    return check


def _altered(before: Table | View, now: Item) -> bool:
    match before, now:
        case Table(), Table():
            return now.layout.places != before.layout.places
        case View(), View():
            return now.relation is not before.relation
        case _:
            raise AssertionError(f'"{before.full_name}" was a {before.kind.value}, and is a {now.kind.value}')


def _items(relation: Relation, catalog: Catalog) -> list[Table | View]:
    """Every table and view that is read, as it is now; what a materialized view held at a time stays what it is."""
    found: list[Table | View] = []
    pending, seen = [relation], set[GlobalId]()
    while pending:
        new = dependencies(pending.pop()) - seen
        seen |= new
        for item in map(catalog.find_by_id, new):
            if isinstance(item, Table | View):
                found.append(item)
                if isinstance(item, View):
                    pending.append(item.relation)
    return found
