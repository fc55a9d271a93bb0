"""GRANT, REVOKE and OWNER TO: which objects they are about, and whether these have such privileges."""

from __future__ import annotations

from ...errors import PtvcError, UndefinedObject, UndefinedSchema
from ..catalog.catalog_view import CatalogItem, ItemKind
from ..catalog.named_types import find_altered, find_any
from ..catalog.names import find_relation, missing_object
from ..parser.grant import check_words
from ..plans import session_plans
from ..query.planner import Planner
from ..syntax.ast import Name
from ..syntax.privilege_statements import GrantStatement, OwnerStatement
from ..syntax.role_statements import AlterOwner, Grant, Securable
from ..syntax.vocabulary import ObjectKind
from .function import existing
from .skipping import absent, is_skipped, not_altered

_APART = {Securable.SECRET: ObjectKind.SECRET, Securable.CONNECTION: ObjectKind.CONNECTION}


def grant(planner: Planner, node: GrantStatement) -> Grant:
    check_words(node.kind, node.words)
    if node.functions:
        targets = tuple(existing(planner, reference).id for reference in node.functions)
    elif node.kind is Securable.TABLE and not node.in_schemas:
        targets = tuple(_relation(planner, name) for name in node.names)
    elif node.kind in _APART and not node.in_schemas:
        targets = tuple(_object(planner, _APART[node.kind], name).id for name in node.names)
    else:
        kind = Securable.SCHEMA if node.in_schemas else node.kind
        targets = tuple(_named(planner, kind, name) for name in node.names)
    return Grant(
        node.revoke, node.words, node.kind, targets, node.in_schemas, node.grantees, node.option, node.cascade
    )


def _object(planner: Planner, kind: ObjectKind, name: Name) -> CatalogItem:
    item = find_any(kind, name, planner.context)
    if item is None:
        raise missing_object(kind, name, planner.context)
    return item


def _relation(planner: Planner, name: Name) -> str:
    try:
        item = find_relation(name, planner.context)
    except PtvcError as error:
        error.position = None  # as in PostgreSQL
        raise
    if item.kind is ItemKind.SYSTEM:
        raise PtvcError(
            f'permission denied: "{item.name.name}" is a system catalog',
            sqlstate="42501",
            position=name.position,
        )
    return item.id


def _named(planner: Planner, kind: Securable, name: Name) -> str:
    word = name.parts[-1]
    catalog = planner.context.catalog
    match kind:
        case Securable.SCHEMA:
            if not catalog.schema_exists(word):
                raise UndefinedSchema(f'schema "{word}" does not exist', position=name.position)
        case Securable.CLUSTER:
            if word not in catalog.clusters():
                raise UndefinedObject(f'cluster "{word}" does not exist', position=name.position)
        case _:
            if word != planner.context.database:
                raise PtvcError(f'database "{word}" does not exist', sqlstate="3D000", position=name.position)
    return word


def owner(planner: Planner, node: OwnerStatement) -> AlterOwner | session_plans.NoOp:
    if node.kind != "DATABASE" and is_skipped(
        ObjectKind(node.kind), node.name, node.if_exists, planner.context
    ):
        return not_altered(ObjectKind(node.kind), node.name)
    if node.kind in ("SCHEMA", "CLUSTER", "DATABASE"):
        name = _named(planner, Securable(node.kind.lower()), node.name)
        return AlterOwner(node.kind, name, node.owner)
    kind = ObjectKind(node.kind)
    item = find_altered(kind, node.name, planner.context)
    if item is None:
        return absent(kind, node.name, node.if_exists, planner.context)
    return AlterOwner(node.kind, item.id, node.owner)
