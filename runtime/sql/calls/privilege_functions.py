"""has_table_privilege(), has_schema_privilege() and the others, and pg_has_role(): what a role may do, as look-ups by object.

The role and the privilege have to be known when the statement is planned; the object may be computed.  A plan that was made
for one role is not used for another, and none outlives a change of the catalog, so the answers can be in it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from ...errors import InvalidParameter, UndefinedFunction, UndefinedObject, Unsupported
from ...expr.registry import function_exists
from ...expr.tree.scalar import Cast, Literal, Scalar
from ...repr.types import BOOL, OID, TEXT, Kind, ScalarType
from ..catalog.catalog_view import ItemKind
from ..catalog.names import find_of_kind
from ..catalog.privilege_view import PrivilegeView
from ..parser.lexer import TokenKind, tokenize
from ..scalars import build
from ..scalars.expressions import Expressions
from ..scalars.typed import Typed
from ..syntax import ast
from ..syntax.role_statements import Securable

if TYPE_CHECKING:
    from .catalog_functions import CatalogFunctions

_GRANT_OPTION = " WITH GRANT OPTION"
_MODES = ("MEMBER", "USAGE", "SET")
DATABASE_OID = 5
"""Of the one database."""

_REG = {Securable.TABLE: "regclass", Securable.SCHEMA: "regnamespace", Securable.FUNCTION: "regprocedure"}


def has_privilege(kind: Securable) -> Callable[[CatalogFunctions, Expressions, ast.Function], Typed]:
    """The function for objects of that kind."""

    def function(functions: CatalogFunctions, expressions: Expressions, node: ast.Function) -> Typed:
        args = list(node.args)
        name = node.name[-1]
        columns = 1 if name == "has_column_privilege" else 0
        if len(args) not in (2 + columns, 3 + columns):
            raise UndefinedFunction(f"function {name}() does not exist", position=node.position)
        view = functions.planner.context.privileges
        if view is None:
            return functions.true(expressions, node)
        role = _role(expressions, args.pop(0), view) if len(args) == 3 + columns else _current(functions)
        word = _known(expressions, args.pop(), "the privilege")
        object_ = args[0]
        for column in args[1:]:  # privileges are on whole relations
            expressions._resolve(column)
        answers: dict[int, bool] = {}
        for part in word.upper().split(","):
            part = " ".join(part.split())
            option = part.endswith(_GRANT_OPTION)
            allowed = view.allowed(role, kind, part.removesuffix(_GRANT_OPTION), option=option)
            for oid, may in allowed.items():
                answers[oid] = answers.get(oid, False) or may
        return _looked_up(functions, expressions, object_, kind, answers)

    return function


PREDEFINED = frozenset(
    f"pg_{name}"
    for name in (
        "checkpoint", "create_subscription", "database_owner", "execute_server_program", "maintain", "monitor",
        "read_all_data", "read_all_settings", "read_all_stats", "read_server_files", "signal_autovacuum_worker",
        "signal_backend", "stat_scan_tables", "use_reserved_connections", "write_all_data", "write_server_files",
    )
)  # fmt: skip
"""PostgreSQL's own roles, which clients ask for: there are none here."""


def has_role(functions: CatalogFunctions, expressions: Expressions, node: ast.Function) -> Typed:
    args = list(node.args)
    if len(args) not in (2, 3):
        raise UndefinedFunction("function pg_has_role() does not exist", position=node.position)
    view = functions.planner.context.privileges
    if view is None:
        return functions.true(expressions, node)
    role = _role(expressions, args.pop(0), view) if len(args) == 3 else _current(functions)
    mode = _known(expressions, args.pop(), "the privilege").upper()
    admin = " WITH " in mode
    mode = mode.split(" WITH ")[0].strip()
    if mode not in _MODES:
        raise InvalidParameter(f'unrecognized privilege type: "{mode}"')
    found = view.memberships(role, mode, admin=admin)
    oids = functions.planner.context.catalog.role_oids()
    asked = expressions._resolve(args[0]).scalar
    if isinstance(asked, Literal) and asked.value in PREDEFINED and asked.value not in oids:
        return Typed(Literal(found.issuperset(oids.values()), BOOL))  # a superuser, who is in every role
    answers = {oid: oid in found for oid in oids.values()}
    return _looked_up(functions, expressions, args[0], None, answers)


def _current(functions: CatalogFunctions) -> str:
    context = functions.planner.context
    return context.role or context.user


def _role(expressions: Expressions, node: ast.Expression, view: PrivilegeView) -> str:
    scalar = expressions._resolve(node).scalar
    if isinstance(scalar, Cast):
        scalar = scalar.arg
    if isinstance(scalar, Literal) and isinstance(scalar.value, int):
        name = view.role_name(scalar.value)
        if name is None:
            raise UndefinedObject(f"role with OID {scalar.value} does not exist")
        return name
    if isinstance(scalar, Literal) and isinstance(scalar.value, str):
        return scalar.value
    raise Unsupported("privileges of a role that is not a literal are not supported", position=node.position)


def _known(expressions: Expressions, node: ast.Expression, what: str) -> str:
    scalar = expressions._resolve(node).scalar
    if isinstance(scalar, Literal) and isinstance(scalar.value, str):
        return scalar.value
    raise Unsupported(f"{what} has to be a literal here", position=node.position)


def _looked_up(
    functions: CatalogFunctions,
    expressions: Expressions,
    node: ast.Expression,
    kind: Securable | None,
    answers: Mapping[int, bool],
) -> Typed:
    """The answer for the object; NULL where there is none with that OID."""
    typed = expressions._resolve(node)
    scalar = typed.scalar
    text = typed.unknown or scalar.type.is_string_category
    if text and isinstance(scalar, Literal) and typed.parameter is None:
        if not isinstance(scalar.value, str):
            return Typed(Literal(None, BOOL))
        if kind is Securable.FUNCTION and function_exists(scalar.value.split("(")[0].strip().lower()):
            return Typed(Literal(True, BOOL))  # the system's, which everybody may call
        return Typed(Literal(answers.get(_oid(functions, scalar.value, kind, node.position)), BOOL))
    if functions.planner.maintained:
        raise Unsupported("a view cannot depend on privileges", position=node.position)
    if text and kind is Securable.TABLE:
        scalar, text = functions.relation_oid(expressions, expressions.coerce(typed, TEXT, "")), False
    if text:
        names = _names(functions, kind)
        named = [(name, answers[oid]) for name, oid in sorted(names.items()) if oid in answers]
        key = scalar if scalar.type == TEXT else Cast(scalar, TEXT)
        return Typed(_joined(functions, expressions, key, named, TEXT))
    oid: Scalar = scalar if scalar.type.kind is Kind.OID else Cast(scalar, OID)
    return Typed(_joined(functions, expressions, oid, sorted(answers.items()), OID))


def _joined(
    functions: CatalogFunctions,
    expressions: Expressions,
    key: Scalar,
    rows: Sequence[tuple[int | str, bool]],
    type_: ScalarType,
) -> Scalar:
    relation = build.constant(rows, [("key", type_), ("may", BOOL)])
    return functions.join(expressions, key, relation)


def _oid(functions: CatalogFunctions, name: str, kind: Securable | None, position: int) -> int:
    if kind in _REG:
        return functions.reg_oid(_REG[kind], name, position)
    if kind in (Securable.SECRET, Securable.CONNECTION):
        return _named_apart(functions, kind, name)
    names = _names(functions, kind)
    if name not in names:
        word = "role" if kind is None else kind.value
        code = "3D000" if kind is Securable.DATABASE else "42704"
        raise UndefinedObject(f'{word} "{name}" does not exist', sqlstate=code)
    return names[name]


def _named_apart(functions: CatalogFunctions, kind: Securable, name: str) -> int:
    """Of a secret or a connection."""
    context = functions.planner.context
    parts = tuple(part.value for part in tokenize(name) if part.kind in (TokenKind.NAME, TokenKind.QUOTED))
    found = find_of_kind(ItemKind(kind.value), ast.Name(parts, 0), context) if parts else None
    if found is None:
        raise UndefinedObject(f'{kind.value} "{name}" does not exist')
    return context.catalog.oid(found.id)


def _names(functions: CatalogFunctions, kind: Securable | None) -> Mapping[str, int]:
    context = functions.planner.context
    match kind:
        case None:
            return context.catalog.role_oids()
        case Securable.SCHEMA:
            return context.catalog.schema_oids()
        case Securable.DATABASE:
            return {context.database: DATABASE_OID}
        case Securable.CLUSTER:
            return {name: number for number, name in enumerate(sorted(context.catalog.clusters()), 1)}
        case Securable.FUNCTION | Securable.SECRET | Securable.CONNECTION:
            raise Unsupported(f"privileges on a {kind.value} whose name is no literal are not supported")
        case Securable.TABLE:
            raise AssertionError("names of relations are looked up in the search path")
