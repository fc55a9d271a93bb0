"""Functions of the catalog: look-ups by OID and name, and what clients ask of kinds that do not exist here.

A look-up is a join of the expression's relation with the constant, or the system relation, that holds the answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...errors import DataError, PtvcError, SqlSyntaxError, UndefinedFunction, UndefinedObject, Unsupported
from ...expr.coercion.literals import cast_to
from ...expr.coercion.type_rules import base_name
from ...expr.digits import whole
from ...expr.functions.system.relation_names import canonical
from ...expr.functions.system.relation_names import parts as parsed
from ...expr.functions.system.system import quote_ident
from ...expr.functions.system.type_names import SPELLINGS, spelled
from ...expr.tree.relation import Get, Join, JoinKind, Relation
from ...expr.tree.scalar import Cast, Coalesce, Literal, Scalar
from ...repr.type_functions import BY_NAME, TYPE_FUNCTIONS
from ...repr.types import INT4, INT8, NAME, OID, REGPROC, SIMPLE, TEXT, Kind, ScalarType, array_of
from ..catalog.named_types import type_names, type_oid
from ..catalog.names import effective_path, find, no_relation, visible_path
from ..catalog.system_relations import SYSTEM_RELATIONS
from ..parser.lexer import TokenKind, tokenize
from ..parser.routine import RoutineParser
from ..scalars import build
from ..scalars.expressions import Expressions
from ..scalars.typed import Typed, at
from ..scalars.zone import fold
from ..syntax import ast
from .function_names import referred

if TYPE_CHECKING:
    from ..query.planner import Planner

UTF8 = 6
"""The number of that encoding in pg_database."""

CONSTRAINT_POSITION, PRETTY_CONSTRAINT_POSITION = -1, -2
"""Where mz_internal.mz_definitions has a constraint's definition: a key's oid has that of its index, too."""

FUNCTION_DEFINITION, FUNCTION_ARGUMENTS, FUNCTION_IDENTITY, FUNCTION_RESULT, FUNCTION_BODY = range(-3, -8, -1)
"""Where it has the texts of a function."""

_POSITIONS = {
    "pg_get_functiondef": FUNCTION_DEFINITION,
    "pg_get_function_arguments": FUNCTION_ARGUMENTS,
    "pg_get_function_identity_arguments": FUNCTION_IDENTITY,
    "pg_get_function_result": FUNCTION_RESULT,
    "pg_get_function_sqlbody": FUNCTION_BODY,
}


class CatalogFunctions:
    """The base of SessionFunctions, which says by which names these are called."""

    def __init__(self, planner: Planner) -> None:
        self.planner = planner

    def reg_cast(self, expressions: Expressions, node: ast.Cast) -> Typed:
        """`'name'::regclass` is an OID; `oid::regclass` is shown by name, so it is text."""
        kind = node.type.name
        if isinstance(node.arg, ast.String):
            type_ = REGPROC if kind == "regproc" else OID
            return Typed(Literal(self.reg_oid(kind, node.arg.value, node.position), type_))
        if (known := expressions.answer(node)) is not None:
            return known
        inner = expressions._resolve(node.arg)
        if inner.unknown or inner.scalar.type.is_string_category:
            name = expressions.coerce(inner, TEXT, "")
            if kind == "regclass":
                return Typed(self.relation_oid(expressions, name))
            if kind == "regtype":
                return Typed(self._type_oid(expressions, name))
            raise Unsupported(
                f"{kind} of text that is not a literal is not supported", position=node.position
            )
        if kind == "regproc" and inner.scalar.type.is_function:
            return inner
        names = {0: "-"} | self._reg_names(kind)
        return Typed(self._lookup(expressions, inner.scalar, names, keep=True))

    def reg_text(self, expressions: Expressions, node: ast.Expression, kind: str) -> Typed:
        """`('name'::regclass)::text`, `to_regclass('name')::text`: the name as the type shows it."""
        found = self.reg_cast(expressions, node) if isinstance(node, ast.Cast) else expressions._resolve(node)
        if found.scalar.type.kind is not Kind.OID or found.scalar.type.is_function:
            return Typed(cast_to(found.scalar, TEXT))
        names = self._reg_names(kind)
        if isinstance(found.scalar, Literal):
            oid = found.scalar.value
            shown = None if oid is None else names.get(oid, "-" if oid == 0 else str(oid))
            return Typed(Literal(shown, TEXT))
        return Typed(self._lookup(expressions, found.scalar, names, keep=True))

    def _type_oid(self, expressions: Expressions, name: Scalar) -> Scalar:
        """The OID of the type of that computed name."""
        if self.planner.maintained:
            raise Unsupported("a view cannot depend on the names of other objects")
        context = self.planner.context
        oids = {spelling: type_.oid for spelling, type_ in SPELLINGS.items()}
        for item in context.catalog.all_types():
            oid = context.catalog.oid(item.id)
            oids[canonical((item.name.schema, item.name.name))] = oid
            if item.name.schema in effective_path(context):
                oids.setdefault(quote_ident(item.name.name), oid)
        relation = build.constant(sorted(oids.items()), [("name", TEXT), ("oid", OID)])
        text = name if name.type == TEXT else Cast(name, TEXT)
        found = self.join(expressions, build.call("type name", text), relation)
        return Coalesce((found, build.call("type oid", text)), OID)

    def relation_oid(self, expressions: Expressions, name: Scalar, *, missing: bool = False) -> Scalar:
        """The OID of the relation of that computed name; where there is none an error, or NULL if it may be `missing`."""
        if self.planner.maintained:
            raise Unsupported("a view cannot depend on the names of other objects")
        context = self.planner.context
        oids: dict[str, int] = {}
        first = {schema: rank for rank, schema in enumerate(effective_path(context))}
        items = context.catalog.items().items()
        for id_, item in sorted(items, key=lambda entry: first.get(entry[1].name.schema, len(first))):
            oid, names = context.catalog.oid(id_), (item.name.schema, item.name.name)
            oids[canonical(names)] = oids[canonical((item.name.database, *names))] = oid
            keys = [(constraint.name, constraint.oid) for constraint in item.constraints if constraint.is_key]
            if item.name.schema in first:
                oids.setdefault(canonical(names[1:]), oid)
                for key, key_oid in keys:
                    oids.setdefault(canonical((key,)), key_oid)
            for key, key_oid in keys:
                oids.setdefault(canonical((names[0], key)), key_oid)
        text = name if name.type == TEXT else Cast(name, TEXT)
        relation = build.constant(sorted(oids.items()), [("name", TEXT), ("oid", OID)])
        found = self.join(expressions, build.call("relation name", text), relation)
        return found if missing else Coalesce((found, build.call("relation oid", text)), OID)

    def _to_regclass(self, expressions: Expressions, node: ast.Function) -> Typed:
        """The OID of the relation of that name, or NULL."""
        if len(node.args) != 1:
            raise UndefinedFunction("function to_regclass() does not exist", position=node.position)
        name = expressions.coerce(expressions._resolve(node.args[0]), TEXT, "")
        return Typed(self.relation_oid(expressions, name, missing=True))

    def reg_oid(self, kind: str, value: str, position: int) -> int:
        if value.isdigit():
            number = whole(value)
            if number >= 1 << 32:
                raise DataError(f'value "{value}" is out of range for type oid', sqlstate="22003")
            return number
        context = self.planner.context
        parts = parsed(value)
        if parts is None:
            if kind == "regprocedure":
                parts = (value,)
            elif kind == "regtype":
                parts = (value.lower(),)
            else:
                raise PtvcError("invalid name syntax", sqlstate="42602", position=position)
        if kind == "regclass":
            name = ast.Name(parts, position)
            if (item := find(name, context)) is not None:
                return context.catalog.oid(item.id)
            if (oid := self._key_oid(parts)) is not None:
                return oid
            raise no_relation(name, context)
        if kind == "regnamespace":
            oids = context.catalog.schema_oids()
            if parts[-1] not in oids:
                raise UndefinedObject(f'schema "{value}" does not exist', sqlstate="3F000", position=position)
            return oids[parts[-1]]
        if kind == "regtype":
            if (type_ := spelled(value)) is not None:
                return type_.oid
            dimensions = value.count("[]")
            word = parts[-1].replace("[]", "").strip()
            schema = () if parts[-2:-1] in (("pg_catalog",), ("mz_catalog",)) else parts[:-1]
            return type_oid(ast.TypeName(word, (), dimensions, position, schema=schema), context)
        if kind in ("regproc", "regprocedure"):
            return self._function_oid(kind, value, position)
        if kind == "regrole":
            oids = context.catalog.role_oids()
            if parts[-1] not in oids:
                raise UndefinedObject(f'role "{parts[-1]}" does not exist', position=position)
            return oids[parts[-1]]
        raise UndefinedFunction(f'function "{value}" does not exist', position=position)

    def _key_oid(self, parts: Sequence[str]) -> int | None:
        """That of a table's key, which is an index to PostgreSQL's clients."""
        context = self.planner.context
        items = context.catalog.items().values()
        for schema in parts[-2:-1] or effective_path(context):
            for item in items:
                for constraint in item.constraints if item.name.schema == schema else ():
                    if constraint.is_key and constraint.name == parts[-1]:
                        return constraint.oid
        return None

    def _function_oid(self, kind: str, value: str, position: int) -> int:
        """Of a function that was created: as regproc by its name, as regprocedure with the types of its arguments."""
        parser = RoutineParser(value, tokenize(value))
        try:
            reference = parser.function_reference()
        except SqlSyntaxError as error:
            error.position = position
            raise
        if parser.token.kind is not TokenKind.END or (reference.types is None) is not (kind == "regproc"):
            raise PtvcError("invalid name syntax", sqlstate="42602", position=position)
        context = self.planner.context
        item = referred(reference, context)
        if item is None and kind == "regproc" and reference.name.parts[:-1] in ((), ("pg_catalog",)):
            found = BY_NAME.get(reference.name.parts[-1])
            if found is not None:
                return found
        if item is None:
            raise UndefinedFunction(f'function "{value}" does not exist', position=position)
        return context.catalog.oid(item.id)

    def _functions_shown(self, kind: str) -> dict[int, str]:
        context = self.planner.context
        path = set(visible_path(context))
        shown = {} if kind == "regprocedure" else {function.oid: function.name for function in TYPE_FUNCTIONS}
        for item in context.catalog.all_functions():
            assert item.function is not None
            name = quote_ident(item.name.name)
            if item.name.schema not in path:
                name = f"{quote_ident(item.name.schema)}.{name}"
            if kind == "regprocedure":
                name = f"{name}({','.join(map(base_name, item.function.types))})"
            shown[context.catalog.oid(item.id)] = name
        return shown

    def _function_visible(self, expressions: Expressions, node: ast.Function) -> Typed:
        """Whether a call by the name alone, with exactly such arguments, finds the function."""
        context = self.planner.context
        ranks = {schema: rank for rank, schema in enumerate(effective_path(context))}
        first: dict[tuple[object, ...], tuple[int, int]] = {}
        for item in context.catalog.all_functions():
            assert item.function is not None
            if (rank := ranks.get(item.name.schema)) is not None:
                key = (item.name.name, item.function.types)
                found = (rank, context.catalog.oid(item.id))
                first[key] = min(first.get(key, found), found)
        (arg,) = self._args(expressions, node, 1)
        oid = arg if arg.type.kind is Kind.OID else Cast(arg, OID)
        oids = sorted(oid for _, oid in first.values())
        if not oids:
            return Typed(build.FALSE)
        return Typed(build.call("in" if len(oids) > 1 else "eq", oid, *(Literal(o, OID) for o in oids)))

    def _format_type(self, expressions: Expressions, node: ast.Function) -> Typed | None:
        """What only the catalog knows: names of types that were created."""
        names = type_names(self.planner.context)
        if not names or len(node.args) != 2 or self.planner.maintained or not expressions.allow_subqueries:
            return None
        oid, modifier = self._args(expressions, node, 2)
        oid = oid if oid.type.kind is Kind.OID else Cast(oid, OID)
        modifier = modifier if modifier.type == INT4 else Cast(modifier, INT4)
        found = self._lookup(expressions, oid, names)
        return Typed(Coalesce((found, build.call("format_type", oid, modifier)), TEXT))

    def _reg_names(self, kind: str) -> dict[int, str]:
        context = self.planner.context
        if kind in ("regproc", "regprocedure"):
            return self._functions_shown(kind)
        if kind == "regclass":
            return self._relations_shown()
        if kind == "regnamespace":
            return {oid: name for name, oid in context.catalog.schema_oids().items()}
        if kind == "regtype":
            simple = [ScalarType(k) for k in SIMPLE]
            shown = {type_.oid: base_name(type_) for type_ in simple}
            arrays = {array_of(type_).oid: base_name(array_of(type_)) for type_ in simple}
            return shown | arrays | {REGPROC.oid: str(REGPROC)} | type_names(context)
        if kind == "regrole":
            return {oid: quote_ident(name) for name, oid in context.catalog.role_oids().items()}
        return {}

    def _relations_shown(self) -> dict[int, str]:
        """With those of the indexes that keys of tables are to PostgreSQL's clients."""
        catalog = self.planner.context.catalog
        path = set(visible_path(self.planner.context))
        shown: dict[int, str] = {}
        for id_, item in catalog.items().items():
            schema = item.name.schema
            prefix = "" if schema in path else f"{quote_ident(schema)}."
            shown[catalog.oid(id_)] = prefix + quote_ident(item.name.name)
            for constraint in item.constraints:
                if constraint.is_key:
                    shown[constraint.oid] = prefix + quote_ident(constraint.name)
        return shown

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
            found = self.join(expressions, oid, relation)
        return Coalesce((found, Cast(oid, TEXT)), TEXT) if keep else found

    def join(
        self, expressions: Expressions, key: Scalar, relation: Relation, second: Scalar | None = None
    ) -> Scalar:
        """LEFT JOIN with `relation` (its column 0 is unique, or 0 and 1 with `second`); its last column."""
        if not expressions.allow_subqueries:
            raise Unsupported(f"catalog functions in {expressions.clause} are not supported")
        if expressions.aggregates is not None:
            key = expressions.ground(key, ast.Null(1))
        left = expressions.relation
        if key.type == REGPROC:
            key = fold(Cast(key, OID))
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
        names = {oid: name for name, oid in self.planner.context.catalog.role_oids().items()}
        found = self._lookup(expressions, args[0], names)
        oid = args[0] if args[0].type == TEXT else Cast(args[0], TEXT)
        unknown = build.call("concat", Literal("unknown (OID=", TEXT), oid, Literal(")", TEXT))
        return Typed(Coalesce((found, unknown), TEXT))

    def _visible(self, expressions: Expressions, node: ast.Function) -> Typed:
        context = self.planner.context
        path = visible_path(context)
        seen: set[str] = set()
        oids: list[int] = []
        for schema in path:
            here: dict[str, int] = {}
            for id_, item in context.catalog.items().items():
                if item.name.schema == schema:
                    here[item.name.name] = context.catalog.oid(id_)
                    here.update((key.name, key.oid) for key in item.constraints if key.is_key)
            oids += [oid for name, oid in here.items() if name not in seen]
            seen.update(here)
        (arg,) = self._args(expressions, node, 1)
        oid = arg if arg.type.kind is Kind.OID else Cast(arg, OID)
        if not oids:
            return Typed(build.FALSE)
        items = tuple(Literal(oid, OID) for oid in sorted(oids))
        return Typed(build.call("in" if len(items) > 1 else "eq", oid, *items))

    def true(self, expressions: Expressions, node: ast.Function) -> Typed:
        for arg in node.args:
            expressions._resolve(arg)
        return Typed(build.TRUE)

    def _false(self, expressions: Expressions, node: ast.Function) -> Typed:
        return Typed(build.negate(self.true(expressions, node).scalar))

    def _like_escape(self, expressions: Expressions, node: ast.Function) -> Typed:
        """`pattern ESCAPE 'c'` as a pattern whose escape is the backslash."""
        pattern, escape = (expressions.defaulted(expressions._resolve(arg)) for arg in node.args)
        with at(node.position):
            return Typed(fold(build.call("like escape", pattern, escape)))

    def _to_regtype(self, expressions: Expressions, node: ast.Function) -> Typed:
        """The OID of the type of that name, or NULL."""
        (arg,) = [expressions._resolve(arg) for arg in node.args] or [Typed(Literal(None, TEXT))]
        text = arg.scalar.value if isinstance(arg.scalar, Literal) else None
        if not isinstance(arg.scalar, Literal):
            raise Unsupported(
                "to_regtype of text that is not a literal is not supported", position=node.position
            )
        if not isinstance(text, str):
            return Typed(Literal(None, OID))
        try:
            return Typed(Literal(self.reg_oid("regtype", text, node.position), OID))
        except (UndefinedObject, Unsupported):
            if self.planner.generic:
                raise
            return Typed(Literal(None, OID))

    def _null_text(self, expressions: Expressions, node: ast.Function) -> Typed:
        for arg in node.args:
            expressions._resolve(arg)
        return Typed(Literal(None, TEXT))

    def _zero(self, expressions: Expressions, node: ast.Function) -> Typed:
        for arg in node.args:
            expressions._resolve(arg)
        return Typed(Literal(0, INT8))

    def _encoding(self, expressions: Expressions, node: ast.Function) -> Typed:
        for arg in node.args:
            expressions._resolve(arg)
        return Typed(Literal("UTF8", NAME))

    def _utf8(self, expressions: Expressions, node: ast.Function) -> Typed:
        self.true(expressions, node)
        return Typed(build.int4(UTF8))

    def _first(self, expressions: Expressions, node: ast.Function) -> Typed:
        """pg_get_expr: the stored expression is text already."""
        return Typed(self._args(expressions, node, 1)[0])

    def _definition(self, expressions: Expressions, node: ast.Function) -> Typed:
        """pg_get_viewdef, pg_get_indexdef, pg_get_constraintdef, from mz_internal.mz_definitions."""
        relation = self._system("mz_internal.mz_definitions")
        by_name = self._view_by_name(expressions, node)
        args = [by_name] if by_name is not None else self._args(expressions, node, 1)
        if relation is None:
            return Typed(Literal(None, TEXT))
        oid = args[0] if args[0].type.kind is Kind.OID else Cast(args[0], OID)
        number: Scalar = build.int4(_POSITIONS.get(node.name[-1], 0))
        if node.name[-1] == "pg_get_indexdef" and len(args) > 1:  # one column of the index
            number = args[1] if args[1].type == INT4 else Cast(args[1], INT4)
        if node.name[-1] == "pg_get_constraintdef":
            pretty = len(node.args) > 1 and isinstance(node.args[1], ast.Boolean) and node.args[1].value
            number = build.int4(PRETTY_CONSTRAINT_POSITION if pretty else CONSTRAINT_POSITION)
        return Typed(self.join(expressions, oid, relation, number))

    def _view_by_name(self, expressions: Expressions, node: ast.Function) -> Scalar | None:
        """The OID of the view that pg_get_viewdef names by a text; None where it is called with an OID."""
        if node.name[-1] != "pg_get_viewdef" or not node.args:
            return None
        name = expressions._resolve(node.args[0])
        if not (name.unknown or name.scalar.type.is_string_category) or name.parameter is not None:
            return None
        scalar = expressions.coerce(name, TEXT, "")
        if expressions.aggregates is not None:
            scalar = expressions.ground(scalar, node.args[0])
        return self.relation_oid(expressions, scalar)

    def _description(self, expressions: Expressions, node: ast.Function) -> Typed:
        """obj_description(oid, catalog) and col_description(oid, number)."""
        args = self._args(expressions, node, 1)
        relation = self._system("pg_catalog.pg_description")
        if relation is None:
            return Typed(Literal(None, TEXT))
        oid = args[0] if args[0].type.kind is Kind.OID else Cast(args[0], OID)
        subid = build.ref(relation, 2)
        if node.name[-1] == "col_description":
            if len(args) != 2:
                raise UndefinedFunction(
                    "function col_description(oid) does not exist", position=node.position
                )
            number = args[1] if args[1].type == INT4 else Cast(args[1], INT4)
            by_column = build.project(relation, (0, 2, 3))
            return Typed(self.join(expressions, oid, by_column, number))
        whole = build.where(relation, (build.equal(subid, build.int4(0)),))
        return Typed(self.join(expressions, oid, whole))

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
