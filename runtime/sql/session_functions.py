"""Functions that are not of the registry: those of the session, of the catalog, and those with types of their own.

Functions of the session become literals; functions of the catalog become look-ups: a join of the expression's
relation with the constant, or the system relation, that holds the answers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from ..errors import GroupingError, PtvcError, SqlSyntaxError, UndefinedFunction, UndefinedObject, Unsupported
from ..expr.aggregates import AGGREGATES
from ..expr.relation import Get, Join, JoinKind, Relation
from ..expr.scalar import Cast, Coalesce, Literal, Scalar
from ..repr.types import (
    BOOL,
    DATE,
    INT4,
    INT8,
    NAME,
    OID,
    TEXT,
    TIMESTAMP,
    TIMESTAMPTZ,
    Kind,
    ScalarType,
    array_of,
)
from . import ast, build
from .expressions import Expressions, Typed, at
from .names import find, no_relation, visible_path
from .session_arrays import without
from .system_relations import SYSTEM_RELATIONS
from .types import resolve_type

if TYPE_CHECKING:
    from .planner import Planner

SERVER_VERSION = "16.4"
OWNER_OID = 10
UTF8 = 6
"""The number of that encoding in pg_database."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NOW = frozenset(
    {
        "now",
        "current_timestamp",
        "transaction_timestamp",
        "statement_timestamp",
        "localtimestamp",
        "current_date",
    }
)
_NULL_TEXT = frozenset(
    {
        "pg_get_constraintdef", "pg_get_ruledef", "pg_get_statisticsobjdef_columns", "pg_get_partkeydef", "pg_get_triggerdef",
        "pg_get_serial_sequence", "shobj_description", "pg_get_function_sqlbody", "pg_tablespace_location",
        "inet_server_addr", "inet_client_addr", "pg_get_function_result", "pg_get_function_arguments",
        "pg_get_function_identity_arguments",
    }
)  # fmt: skip
_PRIVILEGES = frozenset(
    f"has_{kind}_privilege"
    for kind in (
        "table",
        "schema",
        "database",
        "column",
        "any_column",
        "function",
        "sequence",
        "tablespace",
        "type",
    )
) | {"pg_has_role"}
_OF_ARRAYS = frozenset({"unnest", "generate_subscripts", "array_agg"})
_WINDOWS = frozenset(
    {
        "row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile", "lag", "lead", "first_value",
        "last_value", "nth_value",
    }
)  # fmt: skip
_OTHER_AGGREGATES = frozenset(
    {
        "string_agg", "array_agg", "json_agg", "jsonb_agg", "json_object_agg", "jsonb_object_agg", "stddev",
        "stddev_pop", "stddev_samp", "variance", "var_pop", "var_samp", "bit_and", "bit_or", "bit_xor", "corr",
        "covar_pop", "covar_samp", "mode", "percentile_cont", "percentile_disc", "any_value", "list_agg",
    }
)  # fmt: skip


def escaped_pattern(pattern: str, escape: str, position: int) -> str:
    """A LIKE pattern of another escape character, or of none, in terms of the backslash."""
    if len(escape) > 1:
        raise PtvcError(
            "invalid escape string",
            sqlstate="22025",
            hint="Escape string must be empty or one character.",
            position=position,
        )
    parts: list[str] = []
    characters = iter(pattern)
    for character in characters:
        if escape and character == escape:
            following = next(characters, None)
            if following is None:
                raise PtvcError(
                    "LIKE pattern must not end with escape character", sqlstate="22025", position=position
                )
            parts.append("\\" + following)
        else:
            parts.append("\\\\" if character == "\\" else character)
    return "".join(parts)


class SessionFunctions:
    def __init__(self, planner: Planner) -> None:
        self.planner = planner

    def function(self, expressions: Expressions, node: ast.Function) -> Typed:
        name = node.name[-1]
        if len(node.name) > 1 and node.name[-2] not in ("pg_catalog", "mz_catalog", "mz_internal"):
            raise UndefinedFunction(f"function {'.'.join(node.name)} does not exist", position=node.position)
        if node.over is not None or name in _WINDOWS:
            raise Unsupported(
                "window functions are not supported yet",
                hint="row_number() OVER (...) <= k in an outer WHERE, or in QUALIFY, is: top k per group.",
                position=node.position,
            )
        if name in AGGREGATES:
            return self._aggregate(expressions, node)
        if name in _OTHER_AGGREGATES:
            raise Unsupported(
                f"aggregate {name} is not supported yet",
                hint="Aggregates are count, sum, avg, min, max, bool_and, bool_or and every.",
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
            scalars, type_ = expressions.unify(items, "COALESCE", node.position)
            if not scalars:
                raise SqlSyntaxError('syntax error at or near ")"', position=node.position)
            return Typed(scalars[0] if len(scalars) == 1 else Coalesce(tuple(scalars), type_))
        session = self._session(name, node)
        if session is not None:
            return session
        method = _CATALOG_FUNCTIONS.get(name)
        if method is not None:
            return method(self, expressions, node)
        args = [expressions._resolve(arg) for arg in node.args]
        if name == "array_remove" and (kept := without(args)) is not None:
            return kept
        try:
            return expressions.apply(name, args, node.position)
        except (UndefinedFunction, Unsupported):
            known = node.name[0] == "pg_catalog" or name in _OF_ARRAYS
            if not known or not build.never_has_rows(expressions.relation):
                raise
            return Typed(
                Literal(None, TEXT), unknown=True
            )  # never called: what psql asks of kinds that are not here

    def _aggregate(self, expressions: Expressions, node: ast.Function) -> Typed:
        if expressions.aggregates is not None and node in expressions.aggregates:
            return Typed(expressions.aggregates[node])
        raise GroupingError(
            f"aggregate functions are not allowed in {expressions.clause}", position=node.position
        )

    # --- the session ---

    def _session(self, name: str, node: ast.Function) -> Typed | None:
        context = self.planner.context
        if name == "mz_now":
            raise Unsupported(
                "mz_now() is not supported yet",
                hint="Temporal filters are not there yet.",
                position=node.position,
            )
        if name in _NOW or name == "clock_timestamp":
            return self._now(name, node)
        values: dict[str, tuple[object, ScalarType]] = {
            "current_database": (context.database, NAME),
            "current_catalog": (context.database, NAME),
            "current_user": (context.user, NAME),
            "current_role": (context.user, NAME),
            "session_user": (context.user, NAME),
            "user": (context.user, NAME),
            "current_schema": (self._current_schema(), NAME),
            "version": (f"PostgreSQL {SERVER_VERSION} on ptvc (a streaming SQL runtime)", TEXT),
            "pg_is_in_recovery": (False, BOOL),
            "pg_backend_pid": (int(context.settings.get("pg_backend_pid", "0")), INT4),
            "txid_current": (context.now_us // 1000, INT8),
            "pg_postmaster_start_time": (_EPOCH + timedelta(microseconds=context.now_us), TIMESTAMPTZ),
            "pg_client_encoding": ("UTF8", NAME),
            "getdatabaseencoding": ("UTF8", NAME),
        }
        if name not in values:
            return None
        if self.planner.maintained:
            raise Unsupported(
                f"{name} is not allowed in a view: its value depends on the session", position=node.position
            )
        if node.args:
            raise UndefinedFunction(f"function {name}(...) does not exist", position=node.position)
        value, type_ = values[name]
        return Typed(Literal(value, type_))

    def _now(self, name: str, node: ast.Function) -> Typed:
        if self.planner.maintained:
            raise Unsupported(
                f"{name} is not allowed in a view",
                hint="A view's contents must be a function of its inputs; compare with a column instead.",
                position=node.position,
            )
        instant = _EPOCH + timedelta(microseconds=self.planner.context.now_us)
        now = Literal(instant, TIMESTAMPTZ)
        if name == "current_date":
            return Typed(Literal(instant.date(), DATE))
        if name == "localtimestamp":
            return Typed(Literal(instant.replace(tzinfo=None), TIMESTAMP))
        return Typed(now)

    def _current_schema(self) -> str | None:
        context = self.planner.context
        for schema in context.search_path:
            name = context.user if schema == "$user" else schema
            if context.catalog.schema_exists(name):
                return name
        return None

    def _schemas(self, expressions: Expressions, node: ast.Function) -> Typed:
        context = self.planner.context
        implicit = bool(node.args) and isinstance(node.args[0], ast.Boolean) and node.args[0].value
        path = visible_path(context) if implicit else context.search_path
        names = [context.user if name == "$user" else name for name in path]
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
            return Typed(self._join(expressions, key, relation))
        value = self.planner.context.settings.get(arg.value.lower())
        if value is None and len(node.args) < 2:
            raise UndefinedObject(
                f'unrecognized configuration parameter "{arg.value}"', position=node.position
            )
        return Typed(Literal(value, TEXT))

    # --- the catalog ---

    def reg_cast(self, expressions: Expressions, node: ast.Cast) -> Typed:
        """`'name'::regclass` is an OID; `oid::regclass` is shown by name, so it is text."""
        kind = node.type.name
        if isinstance(node.arg, ast.String):
            return Typed(Literal(self._reg_oid(kind, node.arg.value, node.position), OID))
        inner = expressions._resolve(node.arg)
        if inner.unknown or inner.scalar.type.is_string_category:
            raise Unsupported(
                f"{kind} of text that is not a literal is not supported", position=node.position
            )
        names = self._reg_names(kind)
        return Typed(self._lookup(expressions, inner.scalar, names, keep=True))

    def _reg_oid(self, kind: str, value: str, position: int) -> int:
        if value.isdigit():
            return int(value)
        context = self.planner.context
        parts = tuple(part.strip('"') if part.startswith('"') else part.lower() for part in value.split("."))
        if kind == "regclass":
            name = ast.Name(parts, position)
            item = find(name, context)
            if item is None:
                raise no_relation(name, context)
            return context.catalog.oid(item.id)
        if kind == "regnamespace":
            oids = context.catalog.schema_oids()
            if parts[-1] not in oids:
                raise UndefinedObject(f'schema "{value}" does not exist', sqlstate="3F000", position=position)
            return oids[parts[-1]]
        if kind == "regtype":
            dimensions = value.count("[]")
            word = parts[-1].replace("[]", "").strip()
            return resolve_type(ast.TypeName(word, (), dimensions, position)).oid
        if kind == "regrole":
            return OWNER_OID
        raise UndefinedFunction(f'function "{value}" does not exist', position=position)

    def _reg_names(self, kind: str) -> dict[int, str]:
        context = self.planner.context
        if kind == "regclass":
            path = set(visible_path(context))
            return {
                context.catalog.oid(id_): item.name.name if item.name.schema in path else str(item.name)
                for id_, item in context.catalog.items().items()
            }
        if kind == "regnamespace":
            return {oid: name for name, oid in context.catalog.schema_oids().items()}
        if kind == "regtype":
            simple = [ScalarType(k) for k in Kind if k is not Kind.ARRAY]
            return {type_.oid: str(type_) for type_ in simple}
        if kind == "regrole":
            return {OWNER_OID: context.user}
        return {}

    def _lookup(
        self, expressions: Expressions, key: Scalar, answers: dict[int, str], *, keep: bool = False
    ) -> Scalar:
        """The text that belongs to the OID `key`; with `keep`, the OID itself where there is none."""
        if self.planner.maintained:
            raise Unsupported("a view cannot depend on the names of other objects")
        oid: Scalar = key if key.type.kind is Kind.OID else Cast(key, OID)
        found: Scalar = Literal(None, TEXT)
        if answers:
            rows = sorted(answers.items())
            relation = build.constant(rows, [("oid", OID), ("name", TEXT)])
            found = self._join(expressions, oid, relation)
        return Coalesce((found, Cast(oid, TEXT)), TEXT) if keep else found

    def _join(
        self, expressions: Expressions, key: Scalar, relation: Relation, second: Scalar | None = None
    ) -> Scalar:
        """LEFT JOIN with `relation` (its column 0 is unique, or 0 and 1 with `second`); its last column."""
        if not expressions.allow_subqueries:
            raise Unsupported(f"catalog functions in {expressions.clause} are not supported")
        if expressions.aggregates is not None:
            key = expressions.ground(key, ast.Null(1))
        left = expressions.relation
        keys = (key,) if second is None else (key, second)
        joined = Join(left, relation, JoinKind.LEFT, keys, build.refs(relation, range(len(keys))))
        expressions.relation = joined
        return build.ref(joined, len(joined.schema) - 1)

    def _system(self, name: str) -> Relation | None:
        schema, _, relation = name.partition(".")
        item = self.planner.context.catalog.item(schema, relation)
        if item is None:
            return None
        self.planner.uses.add(item.id)
        return Get(item.id, SYSTEM_RELATIONS[name])

    def _user(self, expressions: Expressions, node: ast.Function) -> Typed:
        args = self._args(expressions, node, 1)
        names = {OWNER_OID: self.planner.context.user}
        return Typed(self._lookup(expressions, args[0], names))

    def _visible(self, expressions: Expressions, node: ast.Function) -> Typed:
        context = self.planner.context
        path = visible_path(context)
        seen: set[str] = set()
        oids: list[int] = []
        for schema in path:
            here = {i.name.name: id_ for id_, i in context.catalog.items().items() if i.name.schema == schema}
            oids += [context.catalog.oid(id_) for name, id_ in here.items() if name not in seen]
            seen.update(here)
        (arg,) = self._args(expressions, node, 1)
        oid = arg if arg.type.kind is Kind.OID else Cast(arg, OID)
        if not oids:
            return Typed(build.FALSE)
        items = tuple(Literal(oid, OID) for oid in sorted(oids))
        return Typed(build.call("in" if len(items) > 1 else "eq", oid, *items))

    def _true(self, expressions: Expressions, node: ast.Function) -> Typed:
        for arg in node.args:
            expressions._resolve(arg)
        return Typed(build.TRUE)

    def _false(self, expressions: Expressions, node: ast.Function) -> Typed:
        return Typed(build.negate(self._true(expressions, node).scalar))

    def _like_escape(self, expressions: Expressions, node: ast.Function) -> Typed:
        """`pattern ESCAPE 'c'` as a pattern whose escape is the backslash."""
        pattern, escape = (expressions.defaulted(expressions._resolve(arg)) for arg in node.args)
        if not (isinstance(pattern, Literal) and isinstance(escape, Literal)):
            raise Unsupported(
                "LIKE ... ESCAPE of a pattern that is not a literal is not supported", position=node.position
            )
        if pattern.value is None or escape.value is None:
            return Typed(Literal(None, TEXT))
        return Typed(Literal(escaped_pattern(pattern.value, escape.value, node.position), TEXT))

    def _to_regtype(self, expressions: Expressions, node: ast.Function) -> Typed:
        """The OID of the type of that name, or NULL."""
        (arg,) = [expressions._resolve(arg) for arg in node.args] or [Typed(Literal(None, TEXT))]
        text = arg.scalar.value if isinstance(arg.scalar, Literal) else None
        if not isinstance(arg.scalar, Literal):
            raise Unsupported("to_regtype of text that is not a literal is not supported", position=node.position)
        if not isinstance(text, str):
            return Typed(Literal(None, OID))
        try:
            return Typed(Literal(self._reg_oid("regtype", text, node.position), OID))
        except (UndefinedObject, Unsupported):
            return Typed(Literal(None, OID))

    def _size_pretty(self, expressions: Expressions, node: ast.Function) -> Typed:
        (arg,) = self._args(expressions, node, 1)
        if isinstance(arg, Literal) and arg.value == 0:
            return Typed(Literal("0 bytes", TEXT))
        raise Unsupported("pg_size_pretty is not supported yet", position=node.position)

    def _null_text(self, expressions: Expressions, node: ast.Function) -> Typed:
        for arg in node.args:
            expressions._resolve(arg)
        return Typed(Literal(None, TEXT))

    def _nothing(self, expressions: Expressions, node: ast.Function) -> Typed:
        """A function of type void: pools of connections send pg_advisory_unlock_all()."""
        return Typed(Literal("", TEXT))

    def _zero(self, expressions: Expressions, node: ast.Function) -> Typed:
        for arg in node.args:
            expressions._resolve(arg)
        return Typed(Literal(0, INT8))

    def _encoding(self, expressions: Expressions, node: ast.Function) -> Typed:
        for arg in node.args:
            expressions._resolve(arg)
        return Typed(Literal("UTF8", NAME))

    def _utf8(self, expressions: Expressions, node: ast.Function) -> Typed:
        self._true(expressions, node)
        return Typed(build.int4(UTF8))

    def _first(self, expressions: Expressions, node: ast.Function) -> Typed:
        """pg_get_expr: the stored expression is text already."""
        return Typed(self._args(expressions, node, 1)[0])

    def _definition(self, expressions: Expressions, node: ast.Function) -> Typed:
        """pg_get_viewdef, pg_get_indexdef, from mz_internal.mz_definitions."""
        args = self._args(expressions, node, 1)
        relation = self._system("mz_internal.mz_definitions")
        if relation is None:
            return Typed(Literal(None, TEXT))
        oid = args[0] if args[0].type.kind is Kind.OID else Cast(args[0], OID)
        number: Scalar = build.int4(0)
        if node.name[-1] == "pg_get_indexdef" and len(args) > 1:  # one column of the index
            number = args[1] if args[1].type == INT4 else Cast(args[1], INT4)
        return Typed(self._join(expressions, oid, relation, number))

    def _description(self, expressions: Expressions, node: ast.Function) -> Typed:
        """obj_description(oid, catalog) and col_description(oid, number)."""
        args = self._args(expressions, node, 1)
        relation = self._system("pg_catalog.pg_description")
        if relation is None:
            return Typed(Literal(None, TEXT))
        oid = args[0] if args[0].type.kind is Kind.OID else Cast(args[0], OID)
        subid = build.ref(relation, 2)
        if node.name[-1] == "col_description":
            number = args[1] if args[1].type == INT4 else Cast(args[1], INT4)
            left = expressions.relation
            keys = (build.ref(relation, 0), subid)
            joined = Join(left, relation, JoinKind.LEFT, (oid, number), keys)
            expressions.relation = joined
            return Typed(build.ref(joined, len(joined.schema) - 1))
        whole = build.where(relation, (build.equal(subid, build.int4(0)),))
        return Typed(self._join(expressions, oid, whole))

    def _args(self, expressions: Expressions, node: ast.Function, least: int) -> list[Scalar]:
        if len(node.args) < least:
            raise UndefinedFunction(f"function {node.name[-1]}() does not exist", position=node.position)
        with at(node.position):
            scalars: list[Scalar] = []
            for arg in node.args:
                typed = expressions._resolve(arg)
                scalar = (
                    expressions.coerce(typed, OID if not scalars else TEXT, "")
                    if typed.unknown
                    else typed.scalar
                )
                if expressions.aggregates is not None:
                    scalar = expressions.ground(scalar, arg)
                scalars.append(scalar)
        return scalars

    # --- arrays ---

    def array_of_expressions(
        self, expressions: Expressions, scalars: Sequence[Scalar], element: ScalarType, position: int
    ) -> Typed:
        if build.never_has_rows(expressions.relation):
            return Typed(Literal(None, array_of(element)))
        raise Unsupported(
            "ARRAY[...] of expressions that are not constant is not supported yet",
            hint="In x = ANY (ARRAY[...]) write x IN (...).",
            position=position,
        )

    def subscript(self, expressions: Expressions, array: Typed, index: Typed, position: int) -> Typed:
        element = array.scalar.type.element
        assert element is not None
        if isinstance(array.scalar, Literal) and isinstance(index.scalar, Literal):
            items, at_ = array.scalar.value, index.scalar.value
            inside = items is not None and at_ is not None and 1 <= at_ <= len(items)
            return Typed(Literal(items[at_ - 1] if inside else None, element))
        if build.never_has_rows(expressions.relation):
            return Typed(Literal(None, element))
        raise Unsupported("array subscripts are not supported yet", position=position)


_CatalogFunction = Callable[[SessionFunctions, Expressions, ast.Function], Typed]
_CATALOG_FUNCTIONS: dict[str, _CatalogFunction] = {
    "current_schemas": SessionFunctions._schemas,
    "current_setting": SessionFunctions._setting,
    "pg_get_userbyid": SessionFunctions._user,
    "pg_get_expr": SessionFunctions._first,
    "pg_get_viewdef": SessionFunctions._definition,
    "pg_get_indexdef": SessionFunctions._definition,
    "obj_description": SessionFunctions._description,
    "col_description": SessionFunctions._description,
    "pg_encoding_to_char": SessionFunctions._encoding,
    "pg_char_to_encoding": SessionFunctions._utf8,
    **dict.fromkeys(
        (
            "pg_relation_size",
            "pg_total_relation_size",
            "pg_table_size",
            "pg_indexes_size",
            "pg_database_size",
        ),
        SessionFunctions._zero,
    ),
    **dict.fromkeys(_NULL_TEXT, SessionFunctions._null_text),
    **dict.fromkeys(_PRIVILEGES, SessionFunctions._true),
    "pg_table_is_visible": SessionFunctions._visible,
    **dict.fromkeys(
        (
            "pg_type_is_visible",
            "pg_function_is_visible",
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
        SessionFunctions._true,
    ),
    "pg_is_other_temp_schema": SessionFunctions._false,
    "pg_size_pretty": SessionFunctions._size_pretty,
    "like_escape": SessionFunctions._like_escape,
    "to_regtype": SessionFunctions._to_regtype,
    "pg_advisory_unlock_all": SessionFunctions._nothing,
}
