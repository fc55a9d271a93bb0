"""Functions that are not of the registry: those of the session, of the catalog, and those with types of their own.

Functions of the session become literals; functions of the catalog become look-ups: a join of the expression's
relation with the constant, or the system relation, that holds the answers.
"""

from __future__ import annotations

import re
import struct
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from ...config import POSTGRES_VERSION
from ...directory import installed_version
from ...errors import (
    GroupingError,
    PtvcError,
    SqlSyntaxError,
    UndefinedFunction,
    UndefinedObject,
    Unsupported,
)
from ...expr.coercion.type_rules import base_name
from ...expr.functions.system import input_checks
from ...expr.tree.scalar import CLOCKS, Call, Cast, Coalesce, Literal, MzNow, PerExecution, Scalar
from ...expr.tree.windows import WINDOW_FUNCTIONS
from ...repr.types import (
    BOOL,
    INT4,
    INT8,
    INTERVAL,
    NAME,
    OID,
    RANGES,
    TEXT,
    TIMESTAMPTZ,
    ScalarType,
    array_of,
)
from ..catalog.catalog_view import PlanContext
from ..catalog.named_types import types_in
from ..catalog.names import usable_path, visible_path
from ..parser.expression import CLOCK_FUNCTIONS
from ..scalars import build
from ..scalars.expressions import Expressions
from ..scalars.per_execution import HINT
from ..scalars.typed import Typed
from ..scalars.volatile import VOLATILE, drawn
from ..scalars.zone import fold
from ..syntax import ast
from ..syntax.role_statements import Securable
from ..syntax.types import with_precision
from .aggregate_call import is_aggregate, is_grouping
from .catalog_functions import CatalogFunctions
from .privilege_functions import has_privilege, has_role
from .server_functions import SIGNATURES
from .server_functions import misplaced as misplaced_call
from .table_functions import is_table_function, misplaced
from .type_text import input_type
from .warehouse_functions import scalar_call
from .window_errors import misplaced_window

if TYPE_CHECKING:
    pass

_BEGUN = time.monotonic()
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_OF_STATEMENT = frozenset({"clock_timestamp", "statement_timestamp"})
"""The statement's time, which is one moment: a statement is planned as a whole, and no function of it comes later."""
_NOW = _OF_STATEMENT | frozenset(
    {
        "now",
        "current_timestamp",
        "transaction_timestamp",
        "localtime",
        "localtimestamp",
        "current_date",
    }
)
_NULL_TEXT = frozenset(
    {
        "pg_get_ruledef", "pg_get_statisticsobjdef_columns", "pg_get_partkeydef", "pg_get_triggerdef",
        "pg_get_serial_sequence", "shobj_description", "pg_tablespace_location",
        "inet_server_addr", "inet_client_addr",
        "pg_get_partition_constraintdef",
        "pg_get_replica_identity_index", "inet_client_port", "inet_server_port",
    }
)  # fmt: skip
_UNRESTRICTED = frozenset(
    f"has_{kind}_privilege"
    for kind in ("sequence", "tablespace", "type", "language", "foreign_data_wrapper", "server")
)
"""Everybody may use what there is of these kinds."""
_BY_SUBSCRIPT = frozenset(
    {"array_lower", "array_upper", "array_dims", "array_position", "array_positions", "trim_array"}
)
_NEVER_CALLED = frozenset({"array_agg", "json_build_object"})
_TYPE_FUNCTIONS = frozenset(
    (
        "bool",
        "int2",
        "int4",
        "int8",
        "float4",
        "float8",
        "text",
        "name",
        "bytea",
        "date",
        "timestamptz",
        "oid",
        "uuid",
    )
)
"""Types whose names can be called as functions: casts."""
_RANGES = frozenset(map(str, RANGES))
"""Likewise, but of texts only; of several arguments they are the constructors."""
_OTHER_AGGREGATES = frozenset(
    {
        "list_agg", "map_agg", "xmlagg",
        "range_agg", "json_agg_strict", "jsonb_agg_strict", "json_object_agg_strict",
        "json_object_agg_unique", "json_object_agg_unique_strict", "jsonb_object_agg_strict", "jsonb_object_agg_unique",
        "jsonb_object_agg_unique_strict",
    }
)  # fmt: skip


class SessionFunctions(CatalogFunctions):
    def function(self, expressions: Expressions, node: ast.Function) -> Typed:
        own = self.planner.functions.call(expressions, node)
        if own is not None:
            return own
        if (meant := scalar_call(expressions, node)) is not None:
            return expressions._resolve(meant)
        name = node.name[-1]
        schema = node.name[-2] if len(node.name) > 1 else "pg_catalog"
        if schema not in ("pg_catalog", "mz_catalog", "mz_internal") and not is_table_function(node):
            raise UndefinedFunction(f"function {'.'.join(node.name)} does not exist", position=node.position)
        if node.over is not None:
            if expressions.windows is None or node not in expressions.windows:
                raise misplaced_window(expressions.clause, node)
            return Typed(expressions.windows[node])
        if is_aggregate(node) or is_grouping(node):
            return self._aggregate(expressions, node)
        if name in WINDOW_FUNCTIONS:
            raise PtvcError(
                f"window function {name} requires an OVER clause", sqlstate="42809", position=node.position
            )
        if is_table_function(node):
            return self._set(expressions, node)
        if name in _OTHER_AGGREGATES:
            raise Unsupported(
                f"aggregate {name} is not supported yet",
                hint="The list of aggregates is in docs/sql/functions.md.",
                position=node.position,
            )
        if node.distinct or node.filter is not None or node.order_by or node.star:
            raise PtvcError(
                f"DISTINCT, FILTER or * specified, but {name} is not an aggregate function",
                sqlstate="42809",
                position=node.position,
            )
        if name == "coalesce":
            items = [expressions._resolve(arg) for arg in node.args]
            scalars, type_ = expressions.unify(items, "COALESCE", node.position, node.args)
            if not scalars:
                raise SqlSyntaxError('syntax error at or near ")"', position=node.position)
            return Typed(scalars[0] if len(scalars) == 1 else Coalesce(tuple(scalars), type_))
        if name == "pg_typeof":
            return self._type_of(expressions, node)
        if name in SIGNATURES:
            raise misplaced_call(name, node.position)
        if name in VOLATILE:
            return Typed(drawn(expressions, name, node))
        session = self._session(name, node)
        if session is not None:
            return session
        if name == "format_type" and (named := self._format_type(expressions, node)) is not None:
            return named
        method = _CATALOG_FUNCTIONS.get(name)
        if method is not None:
            return method(self, expressions, node)
        if name in _TYPE_FUNCTIONS and len(node.args) == 1:
            return expressions._resolve(
                ast.Cast(node.args[0], ast.TypeName(name, (), 0, node.position), node.position)
            )
        args = [expressions._resolve(arg) for arg in node.args]
        if name in _RANGES and len(args) == 1 and (args[0].unknown or args[0].scalar.type.is_string_category):
            return expressions._resolve(
                ast.Cast(node.args[0], ast.TypeName(name, (), 0, node.position), node.position)
            )
        if name in _BY_SUBSCRIPT and any(arg.scalar.type.is_vector for arg in args):
            raise Unsupported(
                f"{name} of a vector is not supported",
                hint="Cast it to an array, whose subscripts begin at 1.",
                position=node.position,
            )
        try:
            return expressions.apply(name, args, node.position)
        except (UndefinedFunction, Unsupported):
            known = node.name[0] == "pg_catalog" or name in _NEVER_CALLED
            if not known or not build.never_has_rows(expressions.relation) or self.planner.generic:
                raise
            return Typed(
                Literal(None, TEXT), unknown=True
            )  # never called: what psql asks of kinds that are not here

    def _type_of(self, expressions: Expressions, node: ast.Function) -> Typed:
        if len(node.args) != 1:
            raise UndefinedFunction("function pg_typeof(...) does not exist", position=node.position)
        arg = expressions._resolve(node.args[0])
        if arg.parameter is not None:
            expressions.defaulted(arg)
        return Typed(
            Literal(base_name(None if arg.unknown and arg.parameter is None else arg.scalar.type), TEXT)
        )

    def _aggregate(self, expressions: Expressions, node: ast.Function) -> Typed:
        if expressions.aggregates is not None and node in expressions.aggregates:
            return Typed(expressions.aggregates[node])
        if not is_grouping(node) and _of_outer_query(expressions, node):
            raise Unsupported(
                "aggregates over columns of an outer query are not supported",
                hint="Move the aggregate to a derived table.",
                position=node.position,
            )
        what = "grouping operations" if is_grouping(node) else "aggregate functions"
        raise GroupingError(f"{what} are not allowed in {expressions.clause}", position=node.position)

    def _set(self, expressions: Expressions, node: ast.Function) -> Typed:
        column = expressions.sets.get(node)
        if column is None:
            raise misplaced(expressions.clause, node.position)
        return Typed(column)

    # --- the session ---

    def _session(self, name: str, node: ast.Function) -> Typed | None:
        if name == "mz_now":
            if node.args:
                raise UndefinedFunction("function mz_now(...) does not exist", position=node.position)
            return Typed(MzNow())
        if name in _NOW:
            return self._now(name, node)
        found = _SESSION_VALUES.get(name)
        if found is None:
            return None
        if self.planner.maintained and not self.planner.open:
            raise Unsupported(
                f"{name} is not allowed in {self.planner.defining}: its value depends on the session",
                position=node.position,
            )
        if node.args:
            raise UndefinedFunction(f"function {name}(...) does not exist", position=node.position)
        if self.planner.open:
            return Typed(PerExecution(name, found[1], nullable=True))
        return Typed(self.value_of(name))

    def value_of(self, name: str) -> Literal:
        """What the function of the session, or of the time, is in the execution that is being planned."""
        context = self.planner.context
        if name in _NOW:
            now = context.now_us
            if name in _OF_STATEMENT and context.statement_us is not None:
                now = context.statement_us
            return Literal(_EPOCH + timedelta(microseconds=now), TIMESTAMPTZ)
        value, type_ = _SESSION_VALUES[name]
        return Literal(value(context), type_)

    def _now(self, name: str, node: ast.Function) -> Typed:
        if self.planner.maintained and not self.planner.open:
            raise Unsupported(
                f"{name} is not allowed in {self.planner.defining}", hint=HINT, position=node.position
            )
        type_ = CLOCKS.get(name, TIMESTAMPTZ)
        if node.args and name not in CLOCK_FUNCTIONS:
            raise UndefinedFunction(f"function {name}(...) does not exist", position=node.position)
        digits = tuple(arg.value for arg in node.args if isinstance(arg, ast.Integer))
        if digits:
            type_ = with_precision(type_, digits, node.position)
        now: Scalar = PerExecution(name, TIMESTAMPTZ)
        if not self.planner.open:
            now = self.value_of(name)
        return Typed(now if type_ == TIMESTAMPTZ else fold(Cast(now, type_)))

    def _schemas(self, expressions: Expressions, node: ast.Function) -> Typed:
        context = self.planner.context
        implicit = bool(node.args) and isinstance(node.args[0], ast.Boolean) and node.args[0].value
        names = visible_path(context) if implicit else usable_path(context)
        found = [n for n in names if context.catalog.schema_exists(n)]
        return Typed(Literal(found, array_of(NAME)))

    def _setting(self, expressions: Expressions, node: ast.Function) -> Typed:
        arg = node.args[0] if node.args else None
        if arg is None:
            raise UndefinedFunction("function current_setting() does not exist", position=node.position)
        if not isinstance(arg, ast.String):
            key = expressions.defaulted(expressions._resolve(arg))
            rows = sorted(self.planner.context.settings.items())
            relation = build.constant(rows, [("name", TEXT), ("setting", TEXT)])
            return Typed(self.join(expressions, key, relation))
        settings = {name.lower(): value for name, value in self.planner.context.settings.items()}
        value = settings.get(arg.value.lower())
        if value is None and len(node.args) < 2:
            raise UndefinedObject(
                f'unrecognized configuration parameter "{arg.value}"', position=node.position
            )
        return Typed(Literal(value, TEXT))

    def _input_is_valid(self, expressions: Expressions, node: ast.Function) -> Typed:
        args = [expressions._resolve(arg) for arg in node.args]
        if len(args) != 2 or not all(arg.unknown or arg.scalar.type.is_string_category for arg in args):
            names = ", ".join(base_name(None if arg.unknown else arg.scalar.type) for arg in args)
            raise UndefinedFunction(
                f"function {input_checks.NAME}({names}) does not exist", position=node.position
            )
        text, name = (expressions.coerce(arg, TEXT, "") for arg in args)
        if not isinstance(name, Literal):
            raise Unsupported(
                f"{input_checks.NAME} of a type that is not a constant is not supported",
                position=node.position,
            )
        if name.value is None:
            return Typed(Literal(None, BOOL))
        type_ = input_type(str(name.value), types_in(self.planner.context, self.planner.uses), node.position)
        return Typed(Call(input_checks.NAME, (text, Literal(None, type_)), BOOL, True))


def _of_outer_query(expressions: Expressions, node: ast.Function) -> bool:
    """Whether all columns that the aggregate's arguments name are those of enclosing queries."""
    names = [arg for arg in node.args if isinstance(arg, ast.Name)]
    scope = expressions.scope
    return bool(names) and all(
        scope.lookup(name.parts[-2] if len(name.parts) > 1 else None, name.parts[-1], name.position) is None
        for name in names
    )


def _current_schema(context: PlanContext) -> str | None:
    for name in usable_path(context):
        if context.catalog.schema_exists(name):
            return name
    return None


def _uptime(context: PlanContext) -> bytes:
    """An interval: how long ago this process began to plan."""
    context.hold_once()
    return struct.pack("<qii", int((time.monotonic() - _BEGUN) * 1_000_000), 0, 0)


def _version_number(version: str) -> int:
    """1.2.3 is 100203."""
    major, minor, patch = (int(part) for part in re.findall(r"\d+", version)[:3])
    return (major * 1000 + minor) * 100 + patch


# Functions, so that a plan which asks for one thing of the session depends on that alone.
_SESSION_VALUES: dict[str, tuple[Callable[[PlanContext], object], ScalarType]] = {
    "current_database": (lambda context: context.database, NAME),
    "current_catalog": (lambda context: context.database, NAME),
    "current_user": (lambda context: context.user, NAME),
    "current_role": (lambda context: context.user, NAME),
    "session_user": (lambda context: context.session_user or context.user, NAME),
    "user": (lambda context: context.user, NAME),
    "current_schema": (_current_schema, NAME),
    "version": (lambda _: f"PostgreSQL {POSTGRES_VERSION} on ptvc (a streaming SQL runtime)", TEXT),
    "mz_version": (lambda _: f"v{installed_version()} (ptvc)", TEXT),
    "mz_version_num": (lambda _: _version_number(installed_version()), INT4),
    "mz_is_superuser": (lambda context: context.settings["is_superuser"] == "on", BOOL),
    "mz_uptime": (_uptime, INTERVAL),
    "pg_is_in_recovery": (lambda _: False, BOOL),
    "pg_backend_pid": (lambda context: context.pid, INT4),
    "pg_my_temp_schema": (lambda _: 0, OID),  # temporary schemas have no OIDs
    "txid_current": (lambda context: context.now_us // 1000, INT8),
    "pg_postmaster_start_time": (
        lambda context: _EPOCH + timedelta(microseconds=context.now_us),
        TIMESTAMPTZ,
    ),
    "pg_client_encoding": (lambda _: "UTF8", NAME),
    "getdatabaseencoding": (lambda _: "UTF8", NAME),
}

_CatalogFunction = Callable[[SessionFunctions, Expressions, ast.Function], Typed]
_CATALOG_FUNCTIONS: dict[str, _CatalogFunction] = {
    "current_schemas": SessionFunctions._schemas,
    "current_setting": SessionFunctions._setting,
    "pg_get_userbyid": SessionFunctions._user,
    "pg_get_expr": SessionFunctions._first,
    "pg_get_viewdef": SessionFunctions._definition,
    "pg_get_indexdef": SessionFunctions._definition,
    "pg_get_constraintdef": SessionFunctions._definition,
    "pg_get_functiondef": SessionFunctions._definition,
    "pg_get_function_arguments": SessionFunctions._definition,
    "pg_get_function_identity_arguments": SessionFunctions._definition,
    "pg_get_function_result": SessionFunctions._definition,
    "pg_get_function_sqlbody": SessionFunctions._definition,
    "obj_description": SessionFunctions._description,
    "col_description": SessionFunctions._description,
    input_checks.NAME: SessionFunctions._input_is_valid,
    "pg_encoding_to_char": SessionFunctions._encoding,
    "pg_char_to_encoding": SessionFunctions._utf8,
    **dict.fromkeys(
        (
            "pg_relation_size",
            "pg_total_relation_size",
            "pg_table_size",
            "pg_indexes_size",
            "pg_database_size",
            "pg_stat_get_numscans",
            "pg_stat_get_live_tuples",
            "pg_stat_get_dead_tuples",
        ),
        SessionFunctions._zero,
    ),
    **dict.fromkeys(_NULL_TEXT, SessionFunctions._null_text),
    **dict.fromkeys(_UNRESTRICTED, SessionFunctions.true),
    **dict.fromkeys(
        ("has_table_privilege", "has_column_privilege", "has_any_column_privilege"),
        has_privilege(Securable.TABLE),
    ),
    "has_schema_privilege": has_privilege(Securable.SCHEMA),
    "has_function_privilege": has_privilege(Securable.FUNCTION),
    "has_database_privilege": has_privilege(Securable.DATABASE),
    "has_cluster_privilege": has_privilege(Securable.CLUSTER),
    "has_secret_privilege": has_privilege(Securable.SECRET),
    "has_connection_privilege": has_privilege(Securable.CONNECTION),
    "pg_has_role": has_role,
    "has_role": has_role,
    "pg_table_is_visible": SessionFunctions._visible,
    "pg_function_is_visible": SessionFunctions._function_visible,
    **dict.fromkeys(
        (
            "pg_type_is_visible",
            "pg_statistics_obj_is_visible",
            "pg_operator_is_visible",
            "pg_opclass_is_visible",
            "pg_opfamily_is_visible",
            "pg_collation_is_visible",
            "pg_conversion_is_visible",
            "pg_ts_config_is_visible",
            "pg_ts_dict_is_visible",
            "pg_ts_parser_is_visible",
            "pg_ts_template_is_visible",
            "pg_relation_is_publishable",
        ),
        SessionFunctions.true,
    ),
    "pg_is_other_temp_schema": SessionFunctions._false,
    "like_escape": SessionFunctions._like_escape,
    "to_regtype": SessionFunctions._to_regtype,
    "to_regclass": SessionFunctions._to_regclass,
}

NAMES = frozenset(
    (
        *_CATALOG_FUNCTIONS,
        *_SESSION_VALUES,
        *_NOW,
        *_TYPE_FUNCTIONS,
        *_RANGES,
        *_OTHER_AGGREGATES,
        *SIGNATURES,
        *VOLATILE,
        "mz_now",
        "pg_typeof",
    )
)
"""Of all of these functions."""
