"""Types that CREATE TYPE made: lists and maps by a name of their own, and what such a name stands for.

A name is an alias: where a statement says it, the statement is planned with the list or the map itself.  What keeps its text
(a view, an index's expressions) depends on the type; what keeps the types of its columns or arguments (a table, a source, a
function) has what the name stood for.
"""

from __future__ import annotations

from ...errors import DependentObjectsExist, PermissionDenied, Unsupported
from ...expr.functions.system.system import quote_ident
from ...expr.tree.relation import GlobalId
from ...repr.types import ScalarType
from ..syntax import ast
from ..syntax.types import FindType, is_system_type, resolve_type
from ..syntax.vocabulary import ObjectKind
from .catalog_view import CatalogItem, ItemKind, PlanContext
from .names import SYSTEM_SCHEMAS, effective_path, find, find_object, find_of_kind, schema_of, visible_path

_ALTERED_AS_TABLES = (ItemKind.TABLE, ItemKind.VIEW, ItemKind.MATERIALIZED_VIEW, ItemKind.SOURCE)


def find_any(kind: ObjectKind, name: ast.Name, context: PlanContext) -> CatalogItem | None:
    """As `find_object`, of what is found among its like only, too."""
    match kind:
        case ObjectKind.TYPE:
            return find_type(name, context)
        case ObjectKind.SECRET:
            return find_of_kind(ItemKind.SECRET, name, context)
        case ObjectKind.CONNECTION:
            return find_of_kind(ItemKind.CONNECTION, name, context)
        case _:
            return find_object(kind, name, context)


def find_altered(
    kind: ObjectKind, name: ast.Name, context: PlanContext, *, indexes: bool = False
) -> CatalogItem | None:
    """As `find_any`; but with a verb that all relations have, ALTER TABLE takes each of them, and some take `indexes`."""
    if kind is ObjectKind.TABLE:
        item = find(name, context)
        if item is not None and (
            item.kind in _ALTERED_AS_TABLES or (indexes and item.kind is ItemKind.INDEX)
        ):
            return item
    return find_any(kind, name, context)


def find_type(name: ast.Name, context: PlanContext) -> CatalogItem | None:
    """The type of that name, which CREATE TYPE made; 2BP01 for one of the system's, 42501 where the role may not look."""
    parts = name.parts
    system = len(parts) == 1 or parts[-2] in SYSTEM_SCHEMAS
    if system and is_system_type(parts[-1]):
        raise DependentObjectsExist(
            f"type {parts[-1]} cannot be changed because it is required by the database system",
            position=name.position,
        )
    return _found(parts, context, name.position)


def _found(parts: tuple[str, ...], context: PlanContext, position: int) -> CatalogItem | None:
    if len(parts) == 1:
        for schema in effective_path(context):
            if (item := context.catalog.type(schema, parts[0])) is not None:
                return item
        return None
    schema = schema_of(parts, context, position)
    if schema in context.hidden:
        raise PermissionDenied(f"permission denied for schema {schema}", position=position)
    return context.catalog.type(schema, parts[-1])


def types_in(context: PlanContext, uses: set[GlobalId] | None = None) -> FindType:
    """What names of types stand for; `uses` is called with every one that is found."""

    def found(name: ast.TypeName) -> ScalarType | None:
        item = _found((*name.schema, name.name), context, name.position)
        if item is None:
            return None
        if uses is not None:
            uses.add(item.id)
        return item.named_type

    return found


def type_oid(name: ast.TypeName, context: PlanContext) -> int:
    """A created type has an oid of its own; the lists, and the maps, that columns and values are of share one."""
    if not name.dimensions and (name.schema or not is_system_type(name.name)):
        item = _found((*name.schema, name.name), context, name.position)
        if item is not None:
            return context.catalog.oid(item.id)
    return resolve_type(name, types_in(context)).oid


def type_names(context: PlanContext) -> dict[int, str]:
    """Created types by oid, as regtype shows them."""
    path = set(visible_path(context))
    shown = {}
    for item in context.catalog.all_types():
        name = quote_ident(item.name.name)
        if item.name.schema not in path:
            name = f"{quote_ident(item.name.schema)}.{name}"
        shown[context.catalog.oid(item.id)] = name
    return shown


def check_type_name(name: str) -> None:
    """0A000 for a name that a type of the system's has."""
    if is_system_type(name):
        raise Unsupported(
            f"type {name} is one of the system's, beside which others of the name are not supported",
            hint="Give it another name.",
        )
