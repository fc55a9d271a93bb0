"""DROP, ALTER ... RENAME and SWAP, COMMENT."""

from __future__ import annotations

from ...errors import (
    PtvcError,
    SqlSyntaxError,
    UndefinedObject,
    UndefinedSchema,
    Unsupported,
    WrongObjectType,
)
from ..catalog.catalog_view import CatalogItem, ItemKind
from ..catalog.named_types import check_type_name, find_altered, find_any
from ..catalog.names import SYSTEM_SCHEMAS, find_object, find_relation, missing_object
from ..plans import definition_plans, session_plans
from ..query.planner import Planner
from ..scalars.assignments import column_index
from ..syntax import ast
from ..syntax.definition_statements import (
    AlterRetentionStatement,
    CommentStatement,
    DropStatement,
    RenameStatement,
    SetSchemaStatement,
    SwapStatement,
)
from ..syntax.vocabulary import ObjectKind
from .skipping import absent, exists, is_skipped, not_altered, not_dropped


def drop(planner: Planner, node: DropStatement) -> definition_plans.Drop:
    ids: list[str] = []
    names: list[str] = []
    notices: list[str] = []
    for name in node.names:
        if node.kind in (ObjectKind.SCHEMA, ObjectKind.CLUSTER):
            if is_skipped(node.kind, name, node.if_exists, planner.context):
                notices.append(not_dropped(node.kind, name, planner.context))
            else:
                names.append(_named(planner, node.kind, name))
            continue
        item = find_any(node.kind, name, planner.context)
        if item is not None:
            if item.id not in ids:
                ids.append(item.id)
        elif node.if_exists:
            notices.append(not_dropped(node.kind, name, planner.context))
        else:
            raise missing_object(node.kind, name, planner.context)
    return definition_plans.Drop(node.kind, tuple(ids), tuple(names), tuple(notices), node.cascade)


def _named(planner: Planner, kind: ObjectKind, name: ast.Name) -> str:
    word = name.parts[-1]
    if exists(kind, name, planner.context):
        return word
    if kind is ObjectKind.SCHEMA:
        raise UndefinedSchema(f'schema "{word}" does not exist', position=name.position)
    raise UndefinedObject(f'cluster "{word}" does not exist', position=name.position)


def _target(planner: Planner, kind: ObjectKind, name: ast.Name) -> str:
    if kind in (ObjectKind.SCHEMA, ObjectKind.CLUSTER):
        return _named(planner, kind, name)
    if kind is ObjectKind.COLUMN:
        raise Unsupported("renaming columns is not supported yet", position=name.position)
    return _item(planner, kind, name).id


def _item(planner: Planner, kind: ObjectKind, name: ast.Name) -> CatalogItem:
    item = find_any(kind, name, planner.context)
    if item is None:
        raise missing_object(kind, name, planner.context)
    return item


def rename(planner: Planner, node: RenameStatement) -> definition_plans.Rename | session_plans.NoOp:
    """ALTER TABLE renames relations of each kind, and indexes, as in PostgreSQL."""
    if is_skipped(node.kind, node.name, node.if_exists, planner.context):
        return not_altered(node.kind, node.name)
    if node.kind in (ObjectKind.SCHEMA, ObjectKind.CLUSTER, ObjectKind.COLUMN):
        return definition_plans.Rename(node.kind, _target(planner, node.kind, node.name), node.new_name)
    item = find_altered(node.kind, node.name, planner.context, indexes=True)
    if item is None:
        return absent(node.kind, node.name, node.if_exists, planner.context)
    if node.kind is ObjectKind.TYPE:
        check_type_name(node.new_name)
    return definition_plans.Rename(node.kind, item.id, node.new_name)


def set_schema(planner: Planner, node: SetSchemaStatement) -> definition_plans.SetSchema | session_plans.NoOp:
    item = find_altered(node.kind, node.name, planner.context)
    if item is None:
        return absent(node.kind, node.name, node.if_exists, planner.context)
    schema = _target(planner, ObjectKind.SCHEMA, node.schema)
    if schema in SYSTEM_SCHEMAS:
        raise PtvcError(
            f'permission denied: "{schema}" is a system schema',
            sqlstate="42501",
            position=node.schema.position,
        )
    if item.name.schema.startswith("pg_temp_"):
        raise Unsupported(
            "cannot move objects into or out of temporary schemas", position=node.schema.position
        )
    return definition_plans.SetSchema(node.kind, item.id, schema)


def alter_retention(
    planner: Planner, node: AlterRetentionStatement
) -> definition_plans.AlterRetention | session_plans.NoOp:
    item = find_object(node.kind, node.name, planner.context)
    if item is None:
        return absent(node.kind, node.name, node.if_exists, planner.context)
    if not item.is_relation:
        raise WrongObjectType(
            f'source "{item.name.name}" has no rows of its own, and no history',
            hint="ALTER TABLE ... SET (RETAIN HISTORY FOR ...) is for its tables.",
            position=node.name.position,
        )
    return definition_plans.AlterRetention(node.kind, item.id, node.retain_history_ms)


def swap(planner: Planner, node: SwapStatement) -> definition_plans.Swap | session_plans.NoOp:
    if is_skipped(node.kind, node.first, node.if_exists, planner.context) or (
        node.kind not in (ObjectKind.SCHEMA, ObjectKind.CLUSTER)
        and node.if_exists
        and find_any(node.kind, node.first, planner.context) is None
    ):
        return not_altered(node.kind, node.first)
    first = _target(planner, node.kind, node.first)
    return definition_plans.Swap(node.kind, first, _target(planner, node.kind, node.second))


def comment(planner: Planner, node: CommentStatement) -> definition_plans.Comment:
    if node.kind is not ObjectKind.COLUMN:
        return definition_plans.Comment(node.kind, _target(planner, node.kind, node.name), None, node.text)
    if len(node.name.parts) < 2:
        raise SqlSyntaxError("COMMENT ON COLUMN takes relation.column", position=node.name.position)
    relation = ast.Name(node.name.parts[:-1], node.name.position)
    item = find_relation(relation, planner.context)
    if item.kind is ItemKind.SYSTEM:
        raise PtvcError("permission denied: system catalog", sqlstate="42501", position=node.name.position)
    return definition_plans.Comment(node.kind, item.id, column_index(item, node.name), node.text)
