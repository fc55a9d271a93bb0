"""Plans that are kept for a while, as those of cursors, and definitions that change meanwhile.

A plan reads a table by the places of its columns, and an indexed view by its name.  A column that was dropped since would be
read as NULL, and a view that was replaced would be read as what it is now: neither is what the plan was made for.  What a source
leaves out later (ALTER SOURCE ... APPLY) matters to those only that look at it.
"""

from __future__ import annotations

from collections.abc import Callable

from ...errors import DroppedMeanwhile, ObjectNotReady
from ...expr.tree.relation import Get, GlobalId, Relation
from ...expr.tree.relation_tree import dependencies, walk
from ...transform.narrow_reads import narrow_reads
from ...transform.pipeline import optimize
from .catalog import Catalog
from .items import Item, LaidOut, Source, SourceTable, Table, View
from .views import expand

_Read = Table | Source | SourceTable | View


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
            if _altered(item, now) or _lacks(item, now, relation, catalog):
                raise ObjectNotReady(
                    f'"{item.full_name}" was altered after {begun}',
                    hint=again,
                )

    return check


def check_columns(relation: Relation, catalog: Catalog) -> None:
    """Raises DroppedMeanwhile if `relation`, planned a moment ago, reads a column that its table has not any more."""
    dropped: dict[GlobalId, frozenset[int]] = {}
    for id_ in {node.id for node in walk(relation) if isinstance(node, Get)}:
        item = catalog.find_by_id(id_)
        if isinstance(item, LaidOut) and (places := item.layout.dropped_places):
            dropped[id_] = places
    if not dropped:
        return
    _, columns = narrow_reads(relation)
    for id_, places in dropped.items():
        if id_ not in columns or not places.isdisjoint(columns[id_]):
            raise DroppedMeanwhile(
                f'a column of "{catalog.get(id_).full_name}" that the query reads was dropped meanwhile'
            )


def _altered(before: _Read, now: Item) -> bool:
    match before, now:
        case Table(), Table():
            return now.layout.places != before.layout.places
        case (Source(), Source()) | (SourceTable(), SourceTable()):
            return False
        case View(), View():
            return now.relation is not before.relation
        case _:
            raise AssertionError(f'"{before.full_name}" was a {before.kind.value}, and is a {now.kind.value}')


def _lacks(before: _Read, now: Item, relation: Relation, catalog: Catalog) -> bool:
    """Whether a source has not any more what `relation`, of which the views are as they were, looks at."""
    if not (isinstance(before, Source | SourceTable) and isinstance(now, Source | SourceTable)):
        return False
    gone = now.layout.dropped_places - before.layout.dropped_places
    if not gone:
        return False
    _, columns = narrow_reads(optimize(expand(relation, catalog)))
    return now.id not in columns or not gone.isdisjoint(columns[now.id])


def _items(relation: Relation, catalog: Catalog) -> list[_Read]:
    """Everything that is read, as it is now, but materialized views: what one held at a time stays what it is."""
    found: list[_Read] = []
    pending, seen = [relation], set[GlobalId]()
    while pending:
        new = dependencies(pending.pop()) - seen
        seen |= new
        for item in map(catalog.find_by_id, new):
            if isinstance(item, _Read):
                found.append(item)
                if isinstance(item, View):
                    pending.append(item.relation)
    return found
