"""Expanding indexed views.

Planning leaves an indexed view as a `Get`, so that a query can use the index.  To maintain something, or where no index
is used, it is expanded to its definition.
"""

from __future__ import annotations

from ...expr.tree.relation import Get, GlobalId, Relation
from ...expr.tree.relation_tree import dependencies, inputs, with_inputs
from .catalog import Catalog
from .items import AnyView, Computed, Item, View


def expand(relation: Relation, catalog: Catalog) -> Relation:
    """`relation` with every view replaced by what it is over stored collections, as they are now; itself if that is it."""
    if isinstance(relation, Get):
        item = catalog.find_by_id(relation.id)
        if not isinstance(item, View):
            return catalog.widened(relation)
        return expand(item.relation, catalog)
    children = inputs(relation)
    new = tuple(expand(child, catalog) for child in children)
    same = all(a is b for a, b in zip(children, new, strict=True))
    return relation if same else with_inputs(relation, new)


def own_writes_show(read: Get, catalog: Catalog) -> set[GlobalId]:
    """The tables of which what a transaction has written itself shows in what it reads: the table, or those below a view; a materialized
    view shows nothing before the commit."""
    return dependencies(expand(read, catalog))


def expand_unbuilt(relation: Relation, catalog: Catalog) -> Relation:
    """`relation`, which is expanded, with every materialized view computed that a block has created, as it is not stored yet."""
    if not catalog.unbuilt:
        return relation
    if isinstance(relation, Get):
        item = catalog.find_by_id(relation.id) if relation.id in catalog.unbuilt else None
        if not isinstance(item, AnyView):
            return relation
        return expand_unbuilt(expand(item.relation, catalog), catalog)
    children = inputs(relation)
    new = tuple(expand_unbuilt(child, catalog) for child in children)
    same = all(a is b for a, b in zip(children, new, strict=True))
    return relation if same else with_inputs(relation, new)


def stored_inputs(item: Item, catalog: Catalog) -> set[GlobalId]:
    """The stored collections that the item is computed from."""
    if not isinstance(item, Computed):
        return set()
    return dependencies(expand(item.relation, catalog))
