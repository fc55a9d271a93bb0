"""Plans that are kept for a while, as those of cursors, and definitions that change meanwhile.

A plan reads a table by the places of its columns, and an indexed view by its name.  A column that was dropped since would be
read as NULL, and a view that was replaced would be read as what it is now: neither is what the plan was made for.
"""

from __future__ import annotations

from collections.abc import Callable

from ...errors import DroppedMeanwhile, ObjectNotReady
from ...expr.tree.relation import GlobalId, Relation
from ...expr.tree.relation_tree import dependencies
from ...sql.catalog.catalog_view import ItemKind
from .catalog import Catalog
from .entries import Item


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
            if now.layout != item.layout or (
                item.kind is ItemKind.VIEW and now.relation is not item.relation
            ):
                raise ObjectNotReady(
                    f'"{item.full_name}" was altered after {begun}',
                    hint=again,
                )

    return check


def _items(relation: Relation, catalog: Catalog) -> list[Item]:
    """Every table and view that is read, as it is now; what a materialized view held at a time stays what it is."""
    found: list[Item] = []
    pending, seen = [relation], set[GlobalId]()
    while pending:
        new = dependencies(pending.pop()) - seen
        seen |= new
        for item in map(catalog.find_by_id, new):
            if item is not None and item.kind in (ItemKind.TABLE, ItemKind.VIEW):
                found.append(item)
                if item.kind is ItemKind.VIEW and item.relation is not None:
                    pending.append(item.relation)
    return found
