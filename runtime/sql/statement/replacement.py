"""Replacements of materialized views: CREATE REPLACEMENT ... FOR a view, and ALTER ... APPLY REPLACEMENT.

What reads the view was planned over its columns, so a replacement has the same: names, types, and no NULL where there was
none.
"""

from __future__ import annotations

from ...errors import PtvcError
from ...expr.tree.relation import GlobalId
from ...repr.schema import Schema
from ..catalog.catalog_view import CatalogItem
from ..catalog.names import find_object, missing_object
from ..plans import definition_plans, session_plans
from ..query.planner import Planner
from ..syntax import ast
from ..syntax.definition_statements import ApplyReplacementStatement
from ..syntax.vocabulary import ObjectKind
from .skipping import not_altered


def replaced(planner: Planner, name: ast.Name, schema: Schema) -> GlobalId:
    """The view of that name, which a query with the columns `schema` may replace; 42P16 when it may not."""
    view = _view(planner, name)
    found = difference(view.schema, schema)
    if found is not None:
        text, hint = found
        raise PtvcError(
            f'cannot replace materialized view "{view.name.name}": {text}',
            sqlstate="42P16",
            hint=hint,
            position=name.position,
        )
    return view.id


def difference(old: Schema, new: Schema) -> tuple[str, str] | None:
    """Why a query with the new columns cannot replace one with the old, and what to do; None if it can."""
    hint = "A replacement has the columns of the view; CREATE a view with others beside it, and SWAP them."
    for place, (before, after) in enumerate(zip(old, new, strict=False), 1):
        if before.name != after.name:
            return f'column {place} is called "{after.name}" instead of "{before.name}"', hint
        if before.type != after.type:
            return f'column "{before.name}" is of type {after.type} instead of {before.type}', hint
        if after.nullable and not before.nullable:
            return (
                f'column "{before.name}" may be null, and was not',
                f'Add WITH (ASSERT NOT NULL "{before.name}").',
            )
    if len(old) != len(new):
        return f"it has {len(old)} columns, and the replacement {len(new)}", hint
    return None


def apply(
    planner: Planner, node: ApplyReplacementStatement
) -> definition_plans.ApplyReplacement | session_plans.NoOp:
    kind = ObjectKind.MATERIALIZED_VIEW
    if node.if_exists and find_object(kind, node.name, planner.context) is None:
        return not_altered(kind, node.name)
    return definition_plans.ApplyReplacement(
        _view(planner, node.name).id, _view(planner, node.replacement).id
    )


def _view(planner: Planner, name: ast.Name) -> CatalogItem:
    item = find_object(ObjectKind.MATERIALIZED_VIEW, name, planner.context)
    if item is None:
        raise missing_object(ObjectKind.MATERIALIZED_VIEW, name, planner.context)
    return item
