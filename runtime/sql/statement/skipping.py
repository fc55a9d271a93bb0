"""IF EXISTS: what is said of what is not there, in PostgreSQL's words."""

from __future__ import annotations

from ..catalog.catalog_view import PlanContext
from ..catalog.names import SYSTEM_SCHEMAS, missing_object
from ..plans.session_plans import NoOp
from ..syntax import ast
from ..syntax.vocabulary import ObjectKind

_NO_RELATIONS = (
    ObjectKind.SCHEMA,
    ObjectKind.CLUSTER,
    ObjectKind.TYPE,
    ObjectKind.SECRET,
    ObjectKind.CONNECTION,
)


def exists(kind: ObjectKind, name: ast.Name, context: PlanContext) -> bool:
    """Of a schema or a cluster."""
    word = name.parts[-1]
    catalog = context.catalog
    return catalog.schema_exists(word) if kind is ObjectKind.SCHEMA else word in catalog.clusters()


def is_skipped(kind: ObjectKind, name: ast.Name, if_exists: bool, context: PlanContext) -> bool:
    """Whether it is a schema or a cluster that is not there, and that is no error."""
    of_kind = kind in (ObjectKind.SCHEMA, ObjectKind.CLUSTER)
    return if_exists and of_kind and not exists(kind, name, context)


def absent(kind: ObjectKind, name: ast.Name, if_exists: bool, context: PlanContext) -> NoOp:
    """ALTER of what is not there: with IF EXISTS nothing is to be done, and without it is an error."""
    if not if_exists:
        raise missing_object(kind, name, context)
    return not_altered(kind, name)


def not_altered(kind: ObjectKind, name: ast.Name) -> NoOp:
    noun = kind.value.lower() if kind in _NO_RELATIONS else "relation"
    return NoOp(f"ALTER {kind.value}", (skipping(f'{noun} "{name.parts[-1]}"'),))


def not_dropped(kind: ObjectKind, name: ast.Name, context: PlanContext) -> str:
    """The notice of DROP of what is not there."""
    if (schema := missing_schema(name, context)) is not None:
        return schema
    shown = ".".join(name.parts) if kind is ObjectKind.TYPE else name.parts[-1]
    return skipping(f'{kind.value.lower()} "{shown}"')


def missing_schema(name: ast.Name, context: PlanContext) -> str | None:
    """The notice of a name in a schema that is not there; None of any other."""
    if len(name.parts) < 2:
        return None
    schema = name.parts[-2]
    if context.catalog.schema_exists(schema) or schema in (*SYSTEM_SCHEMAS, "pg_temp", context.temp_schema):
        return None
    return skipping(f'schema "{schema}"')


def skipping(what: str) -> str:
    return f"{what} does not exist, skipping"
