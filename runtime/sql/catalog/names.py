"""Catalog names: search_path, as PostgreSQL looks names up."""

from __future__ import annotations

import difflib

from ...errors import (
    PermissionDenied,
    PtvcError,
    UndefinedObject,
    UndefinedSchema,
    UndefinedTable,
    WrongObjectType,
)
from ..syntax import ast
from ..syntax.vocabulary import ObjectKind
from .catalog_view import CatalogItem, ItemKind, PlanContext, QualifiedName

SYSTEM_SCHEMAS = ("pg_catalog", "information_schema", "mz_catalog", "mz_internal")
_READABLE = (ItemKind.TABLE, ItemKind.VIEW, ItemKind.MATERIALIZED_VIEW, ItemKind.SOURCE, ItemKind.SYSTEM)


def usable_path(context: PlanContext) -> tuple[str, ...]:
    """search_path, `$user` spelled out, without the schemas that the role may not use: as in PostgreSQL these are passed over."""
    path = (context.user if name == "$user" else name for name in context.search_path)
    return tuple(name for name in path if name not in context.hidden)


def effective_path(context: PlanContext) -> tuple[str, ...]:
    """Schemas in the order of look-up: temporary objects and pg_catalog come first unless the path places them."""
    path = usable_path(context)
    implicit = tuple(name for name in (context.temp_schema, "pg_catalog") if name not in path)
    # Materialize's system relations are found without a schema too, behind everything else.
    trailing = tuple(name for name in ("mz_catalog", "mz_internal") if name not in path)
    return implicit + path + trailing


def visible_path(context: PlanContext) -> tuple[str, ...]:
    """Schemas whose relations are listed without one.  Materialize's are found by name only, and not listed among
    the user's own when psql describes all relations."""
    return tuple(name for name in effective_path(context) if name not in ("mz_catalog", "mz_internal"))


def find(name: ast.Name, context: PlanContext) -> CatalogItem | None:
    parts = name.parts
    if len(parts) == 1:
        for schema in effective_path(context):
            if (item := context.catalog.item(schema, parts[0])) is not None:
                return item
        return None
    schema = schema_of(parts, context, name.position)
    if schema in context.hidden:
        raise PermissionDenied(f"permission denied for schema {schema}", position=name.position)
    return context.catalog.item(context.temp_schema if schema == "pg_temp" else schema, parts[-1])


def find_relation(name: ast.Name, context: PlanContext) -> CatalogItem:
    """The relation that a query may read; 42P01 with near names, 42809 for an index or a sink."""
    item = find(name, context)
    if item is None:
        raise no_relation(name, context)
    if item.kind not in _READABLE:
        raise WrongObjectType(
            f'cannot open relation "{item.name.name}"',
            detail=f"This operation is not supported for a {item.kind.value}.",
            position=name.position,
        )
    if not item.is_relation:
        raise WrongObjectType(
            f'cannot open relation "{item.name.name}"',
            detail="The source has no rows of its own.",
            hint=f"Read a table of it: CREATE TABLE ... FROM SOURCE {item.name.name} (REFERENCE ...).",
            position=name.position,
        )
    return item


def no_relation(name: ast.Name, context: PlanContext) -> PtvcError:
    shown = ".".join(name.parts)
    if len(name.parts) > 1:
        schema = name.parts[-2]
        if not context.catalog.schema_exists(schema) and schema not in SYSTEM_SCHEMAS:
            return UndefinedTable(
                f'relation "{shown}" does not exist',
                detail=f'There is no schema "{schema}".',
                position=name.position,
            )
    path = set(effective_path(context))
    known: dict[str, str] = {}
    for item in context.catalog.items().values():
        if item.kind in _READABLE and item.kind is not ItemKind.SYSTEM:
            qualified = item.name.name if item.name.schema in path else str(item.name)
            known.setdefault(item.name.name, qualified)
    hint = None
    if near := difflib.get_close_matches(name.parts[-1], list(known), 1, 0.7):
        hint = f'Perhaps you meant "{known[near[0]]}".'
    return UndefinedTable(f'relation "{shown}" does not exist', hint=hint, position=name.position)


def new_name(name: ast.Name, context: PlanContext, *, temporary: bool = False) -> QualifiedName:
    """The full name of an object that is to be created."""
    if temporary:
        if len(name.parts) > 1 and name.parts[-2] not in ("pg_temp", context.temp_schema):
            raise PtvcError(
                "cannot create temporary relation in non-temporary schema",
                sqlstate="42P16",
                position=name.position,
            )
        return QualifiedName(context.database, context.temp_schema, name.parts[-1])
    if len(name.parts) == 1:
        for schema in usable_path(context):
            if schema not in SYSTEM_SCHEMAS and context.catalog.schema_exists(schema):
                return QualifiedName(context.database, schema, name.parts[0])
        raise UndefinedSchema("no schema has been selected to create in", position=name.position)
    schema = schema_of(name.parts, context, name.position)
    if schema in ("pg_temp", context.temp_schema):
        return QualifiedName(context.database, context.temp_schema, name.parts[-1])
    if schema in SYSTEM_SCHEMAS:
        raise PtvcError(
            f'permission denied to create "{schema}.{name.parts[-1]}"',
            sqlstate="42501",
            detail="System catalog modifications are currently disallowed.",
            position=name.position,
        )
    if not context.catalog.schema_exists(schema):
        raise UndefinedSchema(f'schema "{schema}" does not exist', position=name.position)
    return QualifiedName(context.database, schema, name.parts[-1])


def schema_of(parts: tuple[str, ...], context: PlanContext, position: int) -> str:
    """The schema that the whole name says."""
    if len(parts) > 3:
        raise PtvcError(
            f"improper qualified name (too many dotted names): {'.'.join(parts)}",
            sqlstate="42601",
            position=position,
        )
    if len(parts) == 3 and parts[0] != context.database:
        raise PtvcError(
            f'cross-database references are not implemented: "{".".join(parts)}"',
            sqlstate="0A000",
            position=position,
        )
    return parts[-2]


_KINDS = {
    ObjectKind.TABLE: ItemKind.TABLE,
    ObjectKind.VIEW: ItemKind.VIEW,
    ObjectKind.MATERIALIZED_VIEW: ItemKind.MATERIALIZED_VIEW,
    ObjectKind.SOURCE: ItemKind.SOURCE,
    ObjectKind.SINK: ItemKind.SINK,
    ObjectKind.INDEX: ItemKind.INDEX,
}


def find_object(kind: ObjectKind, name: ast.Name, context: PlanContext) -> CatalogItem | None:
    """The object of that name; 42809 when it is of another kind than the statement says."""
    item = find(name, context)
    if item is None:
        return None
    if item.kind is ItemKind.SYSTEM:
        raise PtvcError(
            f'permission denied: "{item.name.name}" is a system catalog',
            sqlstate="42501",
            position=name.position,
        )
    if item.kind is not _KINDS[kind]:
        word = kind.value.lower()
        article = "an" if word[0] in "aeiou" else "a"
        actual = item.kind.value.replace("-", " ").upper()
        raise WrongObjectType(
            f'"{item.name.name}" is not {article} {word}',
            hint=f"Use {actual} instead.",
            position=name.position,
        )
    return item


def find_of_kind(kind: ItemKind, name: ast.Name, context: PlanContext) -> CatalogItem | None:
    """The secret or the connection of that name; 42501 where the role may not look."""
    parts = name.parts
    if len(parts) == 1:
        for schema in effective_path(context):
            if (item := context.catalog.of_kind(kind, schema, parts[0])) is not None:
                return item
        return None
    schema = schema_of(parts, context, name.position)
    if schema in context.hidden:
        raise PermissionDenied(f"permission denied for schema {schema}", position=name.position)
    return context.catalog.of_kind(kind, schema, parts[-1])


def missing_object(kind: ObjectKind, name: ast.Name, context: PlanContext) -> PtvcError:
    shown = ".".join(name.parts)
    if kind is ObjectKind.TABLE:
        return UndefinedTable(f'table "{shown}" does not exist', position=name.position)
    return UndefinedObject(
        f'{kind.value.lower()} "{shown}" does not exist',
        sqlstate="42P01" if kind in (ObjectKind.VIEW, ObjectKind.MATERIALIZED_VIEW) else "42704",
        position=name.position,
    )


def check_cluster(name: ast.Name | None, context: PlanContext) -> str:
    """The cluster of that name, or without one the session's: UndefinedObject if it does not exist (any more)."""
    cluster = context.cluster if name is None else name.parts[-1]
    if cluster not in (clusters := context.catalog.clusters()):
        known = (
            f"Clusters are {', '.join(clusters)}." if clusters else "There is none: CREATE CLUSTER makes one."
        )
        chosen = "" if name is not None else " SET cluster = ... chooses one."
        raise UndefinedObject(
            f'cluster "{cluster}" does not exist',
            hint=known + chosen,
            position=name.position if name is not None else None,
        )
    return cluster
