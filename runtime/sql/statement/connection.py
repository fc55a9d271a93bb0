"""CREATE, ALTER and VALIDATE CONNECTION: options by the kind of the connection, secrets by id."""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import RedundantOption, SqlSyntaxError, UndefinedObject, Unsupported
from ...storage.connections.options import (
    ALIASES,
    OPTIONS,
    ConnectionKind,
    ConnectionOptions,
    SecretRef,
    Value,
    checked_value,
    known_option,
)
from ..catalog.catalog_view import CatalogItem
from ..catalog.named_types import find_any
from ..catalog.names import missing_object, new_name
from ..plans.connection_plans import AlterConnection, CreateConnection, ValidateConnection
from ..plans.session_plans import NoOp
from ..query.planner import Planner
from ..syntax import ast
from ..syntax.connection_statements import (
    AlterConnectionStatement,
    ConnectionOption,
    CreateConnectionStatement,
    ValidateConnectionStatement,
)
from ..syntax.vocabulary import ObjectKind
from .skipping import absent


def create(planner: Planner, node: CreateConnectionStatement) -> CreateConnection:
    name = new_name(node.name, planner.context)
    if name.schema == planner.context.temp_schema:
        raise Unsupported("temporary connections are not supported", position=node.name.position)
    options = ConnectionOptions(node.kind, _values(planner, node.kind, node.options))
    options.check()
    validate = node.kind.validated if node.validate is None else node.validate
    return CreateConnection(name, options, validate, node.if_not_exists)


def alter(planner: Planner, node: AlterConnectionStatement) -> AlterConnection | NoOp:
    item = find_any(ObjectKind.CONNECTION, node.name, planner.context)
    if item is None:
        return absent(ObjectKind.CONNECTION, node.name, node.if_exists, planner.context)
    assert item.connects is not None
    changed = _values(planner, item.connects, node.set)
    reset = []
    for option in node.reset:
        name = known_option(item.connects, option.name, option.position).name
        if name in changed or name in reset:
            raise RedundantOption(option.name, position=option.position)
        reset.append(name)
    return AlterConnection(item.id, changed, tuple(reset), node.validate)


def validate(planner: Planner, node: ValidateConnectionStatement) -> ValidateConnection:
    item = find_any(ObjectKind.CONNECTION, node.name, planner.context)
    if item is None:
        raise missing_object(ObjectKind.CONNECTION, node.name, planner.context)
    return ValidateConnection(item.id)


def _values(planner: Planner, kind: ConnectionKind, options: Sequence[ConnectionOption]) -> dict[str, Value]:
    """In the order in which the kind has its options."""
    found: dict[str, Value] = {}
    for given in options:
        option = known_option(kind, given.name, given.position)
        if option.name in found:
            raise RedundantOption(given.name, position=given.position)
        value = given.value
        resolved = SecretRef(find_secret(planner, value).id) if isinstance(value, ast.Name) else value
        if given.name in ALIASES and isinstance(resolved, tuple) and len(resolved) > 1:
            raise SqlSyntaxError(
                f"option {given.name} takes one text",
                hint=f"Several are {option.name}.",
                position=given.position,
            )
        found[option.name] = checked_value(option, resolved, given.position)
    return {name: found[name] for name in OPTIONS[kind] if name in found}


def find_secret(planner: Planner, name: ast.Name) -> CatalogItem:
    item = find_any(ObjectKind.SECRET, name, planner.context)
    if item is None:
        raise UndefinedObject(
            f'secret "{".".join(name.parts)}" does not exist',
            hint="CREATE SECRET name AS '...' makes one.",
            position=name.position,
        )
    return item
