"""CHANGES(object): what has changed in a stored relation, as a relation.

| columns | |
|---|---|
| the object's | of the row that came or went |
| `mz_timestamp` | when, in milliseconds since 1970 (bigint) |
| `mz_diff` | how many more rows of these values there are since then; fewer, if negative (bigint) |

Its times are those behind the beginning of the object's history, or BETWEEN two, up to the time of the query.
"""

from __future__ import annotations

from ...errors import Unsupported, WrongObjectType
from ...expr.tree.relation import Changes, Get, Project, Relation
from ...repr.schema import Column, Schema
from ...repr.types import INT8
from ..catalog.catalog_view import CatalogItem, ItemKind
from ..catalog.names import find_relation
from ..syntax import ast
from .as_of import plan_time
from .planner import Planner

_STORED = (ItemKind.TABLE, ItemKind.SOURCE, ItemKind.MATERIALIZED_VIEW)
_ADDED = (Column("mz_timestamp", INT8, False), Column("mz_diff", INT8, False))


def plan_changelog(planner: Planner, item: ast.TableRef) -> Relation:
    """Unsupported in what is maintained; WrongObjectType for what is not stored."""
    if planner.maintained:
        raise Unsupported(
            f"CHANGES is not supported in {planner.defining}",
            hint="SUBSCRIBE tells the changes of a relation as they come.",
            position=item.position,
        )
    name = ast.Name(item.name, item.position)
    if len(item.name) == 1 and item.name[0] in planner.environment:
        raise WrongObjectType(
            f'"{item.name[0]}" is a WITH query, which has no history',
            hint="CHANGES reads tables, sources and materialized views.",
            position=item.position,
        )
    found = find_relation(name, planner.context)
    planner.uses.add(found.id)
    if found.kind not in _STORED:
        raise WrongObjectType(
            f'"{found.name.name}" is a {found.kind.value.replace("-", " ")}, which stores no changes',
            hint="CHANGES reads tables, sources and materialized views.",
            position=item.position,
        )
    assert item.changes is not None
    bounds = tuple(plan_time(planner, bound, "CHANGES") for bound in item.changes)
    stored = contents_of(found)
    layout = tuple(range(len(stored.schema)))
    if isinstance(stored, Project):
        layout, stored = stored.indices, stored.input
    assert isinstance(stored, Get), "a stored relation is read as it is, less the columns that were dropped"
    width = len(stored.schema)
    changes = Changes(
        f"{found.id}/{planner.local_id('changes')}", Schema((*stored.schema, *_ADDED)), found.id, bounds
    )
    names = (*found.schema.names, *(column.name for column in _ADDED))
    return Project(changes, (*layout, width, width + 1), names)


def contents_of(item: CatalogItem) -> Relation:
    """A view's definition, or what an object stores."""
    return item.definition if item.definition is not None else Get(item.id, item.schema)
