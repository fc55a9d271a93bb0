"""mz_internal: what objects are computed from, directly or not, and their whole names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...config import DATABASE
from ...expr.tree.relation import GlobalId
from ..catalog.items import Index, Item, MaterializedView, Readable, Sink, View
from .mz_catalog import DATABASE_ID
from .state import State

Rows = Iterator[dict[str, Any]]


def mz_object_dependencies(state: State) -> Rows:
    for item in state.catalog.user_objects():
        for id_ in item.uses:
            yield {"object_id": item.id, "referenced_object_id": id_}


def mz_object_transitive_dependencies(state: State) -> Rows:
    """Of each object what it uses, and what that uses in turn."""
    uses = {item.id: item.uses for item in state.catalog.user_objects()}
    below: dict[str, set[str]] = {}
    for object_id in uses:
        pending, found = list(uses[object_id]), set[str]()
        while pending:
            if (id_ := pending.pop()) not in found:
                found.add(id_)
                pending += below.get(id_, uses.get(id_, ()))
        below[object_id] = found
        for id_ in sorted(found):
            yield {"object_id": object_id, "referenced_object_id": id_}


def mz_compute_dependencies(state: State) -> Rows:
    """What a materialized view, an index or a sink is maintained from: views in between are none of it."""
    for item in state.catalog.user_items():
        if isinstance(item, Index | MaterializedView | Sink):
            for id_ in sorted(_maintained_from(state, item)):
                yield {"object_id": item.id, "dependency_id": id_}


def _maintained_from(state: State, item: Item) -> set[GlobalId]:
    pending, found = list(item.uses), set[GlobalId]()
    while pending:
        used = state.catalog.find_by_id(pending.pop())
        if isinstance(used, View):
            pending += used.uses
        elif isinstance(used, Readable):
            found.add(used.id)
    return found


mz_materialization_dependencies = mz_compute_dependencies


def mz_object_fully_qualified_names(state: State) -> Rows:
    for item in state.catalog.user_objects():
        yield {
            "id": item.id,
            "name": item.name,
            "object_type": item.kind.value,
            "schema_id": str(state.schema_oid(item.schema_name)),
            "schema_name": item.schema_name,
            "database_id": DATABASE_ID,
            "database_name": DATABASE,
            "cluster_id": state.cluster_id(item),
        }
