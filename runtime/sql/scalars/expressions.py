"""Expressions: syntax to typed scalars, over the relation of one SELECT.

Resolution may extend that relation: a subquery becomes a join, and its value a column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeGuard, assert_never

from ...errors import (
    DataError,
    DatatypeMismatch,
    GroupingError,
    PtvcError,
    SqlSyntaxError,
    UndefinedColumn,
    UndefinedFunction,
    Unsupported,
)
from ...expr.coercion.literals import cast_to, coerce_unknown
from ...expr.coercion.type_rules import CastContext, base_name, can_cast
from ...expr.functions.comparison.comparison_keys import compared
from ...expr.functions.containers.maps import OPERATORS as MAP_OPERATORS
from ...expr.functions.system.attempted_casts import NAME as ATTEMPTED_CAST
from ...expr.registry import function_exists, resolve_call
from ...expr.tree.constant_list import as_array
from ...expr.tree.relation import Relation, TableCall
from ...expr.tree.scalar import And, Call, Cast, ColumnRef, Literal, MzNow, Or, Scalar
from ...interrupt import check_interrupt
from ...repr.types import BOOL, INT4, INT8, PAIR, PAIR_FIELDS, TEXT, Kind, ScalarType
from ..syntax import ast
from ..syntax.types import REG_TYPES
from . import build, containers, records
from .literal import decimal_literal
from .long_in_list import among_literals, items_of
from .now import NOW_OPERATORS, compare_with_now
from .rebuild import position_of, rebuild, written
from .scope import Scope

if TYPE_CHECKING:
    from ..calls.function_calls import UserCall
    from ..query.planner import Planner

from .answer_key import AnswerKey, answer_key
from .typed import Typed, at, position_of_text, refuse_operator, unified

ELSEWHERE = -1
"""Where a column stands that is in scope, but not in the relation."""

RAW = 1 << 20
"""In a grouped query, input columns stand at RAW + index until they are matched with the grouping keys."""

_READ_BY_CASTS = frozenset((Kind.VARCHAR, Kind.BPCHAR, Kind.NAME, Kind.CHAR))
"""Kinds whose untyped literals are texts first, which an explicit cast cuts."""


class OtherSide(Exception):
    """Internal: a subquery that was to be computed beside one side of a join looks at the other."""


class Expressions:
    """Resolves expressions over `relation`, which subqueries extend.  `clause` is for error messages."""

    def __init__(self, planner: Planner, scope: Scope, relation: Relation, clause: str = "SELECT") -> None:
        self.planner = planner
        self.scope = scope
        self.relation = relation
        self.clause = clause
        self.aggregates: dict[ast.Function, Scalar] | None = None  # in a grouped query: where each is
        self.windows: dict[ast.Function, Scalar] | None = None  # where each call of a window function is
        self.aliases: dict[str, ast.Expression] = {}  # of the select list, behind the columns' names
        self.allow_subqueries = True
        self.domain: Relation | None = None  # what outer values to take from when the query has no FROM row
        self.keys: tuple[Scalar, ...] = ()
        self.key_base = 0
        self.sets: dict[
            ast.Function, Scalar
        ] = {}  # table functions that are columns by now, or pairs of them
        self.answers: dict[AnswerKey, Typed] = {}  # subqueries that are columns by now
        self.made: list[tuple[TableCall, Scalar]] = []  # those of GROUP BY, over the grouping's input
        self.calls: list[UserCall] = []  # of functions in SQL, whose values are columns by now
        self.may_join = True  # whether what is joined to the relation is kept
        self.draws: dict[int, Scalar] = {}  # values of calls that draw, by the identity of their nodes
        self.drawn_keys: dict[object, Scalar] = {}  # keys of the grouping that draw, by what is written
        self.numbering: tuple[Relation, int] | None = None  # the relation with its rows numbered, and where
        self.in_body_of: Expressions | None = None  # what the function is called from whose body this is

    @property
    def may_number(self) -> bool:
        """Whether the relation may get another column."""
        if self.in_body_of is not None:
            return self.in_body_of.may_number
        return self.allow_subqueries and self.may_join

    # --- entry points ---

    def resolve(self, node: ast.Expression) -> Typed:
        """The expression, typed; in a grouped query, over the groups."""
        typed = self._resolve(node)
        if self.aggregates is None:
            return typed
        return replace(typed, scalar=self.ground(typed.scalar, node))

    def resolve_raw(self, node: ast.Expression) -> Typed:
        """As `resolve`, but in a grouped query still over the grouping's input."""
        return self._resolve(node)

    def scalar(self, node: ast.Expression) -> Scalar:
        return self.defaulted(self.resolve(node))

    def defaulted(self, typed: Typed) -> Scalar:
        """An unknown literal that nothing gave a type is text."""
        return self.coerce(typed, TEXT, "") if typed.unknown else typed.scalar

    def predicate(self, node: ast.Expression, clause: str) -> Scalar:
        saved, self.clause = self.clause, clause
        try:
            return self._boolean(self.resolve(node), clause, node)
        finally:
            self.clause = saved

    def _boolean(self, typed: Typed, clause: str, node: ast.Expression) -> Scalar:
        if typed.unknown:
            with at(node.position):
                return self.coerce(typed, BOOL, clause)
        if typed.scalar.type.kind is not Kind.BOOL:
            raise DatatypeMismatch(
                f"argument of {clause} must be type boolean, not type {base_name(typed.scalar.type)}",
                position=node.position,
            )
        return typed.scalar

    def coerce(self, typed: Typed, type_: ScalarType, context: str) -> Scalar:
        """To `type_`: an unknown literal is parsed, anything else is cast when it is not of that type."""
        if typed.unknown:
            if typed.parameter is not None:
                self.planner.parameter_types[typed.parameter] = type_
                return Literal(None, type_)
            if isinstance(typed.scalar, Literal):
                with at(typed.position):
                    return coerce_unknown(typed.scalar, type_)
        if typed.scalar.type == type_:
            return typed.scalar
        return Cast(typed.scalar, type_)

    def unify(
        self, items: Sequence[Typed], context: str, position: int, nodes: Sequence[ast.Expression] = ()
    ) -> tuple[list[Scalar], ScalarType]:
        """All of them as one type; `nodes`: the first that does not fit is pointed at, rather than `position`."""
        with at(position):
            type_ = unified([None if t.unknown else t.scalar.type for t in items], context, nodes)
            return [self.coerce(item, type_, context) for item in items], type_

    # --- grouping ---

    def ground(self, scalar: Scalar, node: ast.Expression) -> Scalar:
        """`scalar` over the groups: parts that equal a grouping key become that column."""
        for number, key in enumerate(self.keys):
            if scalar == key:
                # A key that a grouping set leaves out is NULL there.
                return build.ref(self.relation, self.key_base + number)
        if isinstance(scalar, ColumnRef):
            if scalar.index >= RAW:
                self._ungrouped(scalar.index - RAW, node)
            return scalar
        return rebuild(scalar, lambda child: self.ground(child, node))

    def grounded(self, scalar: Scalar, node: ast.Expression) -> Scalar:
        return scalar if self.aggregates is None else self.ground(scalar, node)

    def _ungrouped(self, index: int, node: ast.Expression) -> None:
        column = next((c for c in self.scope.columns if c.index == index), None)
        if column is None:  # a table function's
            raise GroupingError(
                "set-returning functions of a grouped query must appear in the GROUP BY clause as they are written",
                position=node.position,
            )
        name = column.name if column.table is None else f"{column.table}.{column.name}"
        raise GroupingError(
            f'column "{name}" must appear in the GROUP BY clause or be used in an aggregate function',
            position=position_of(node, column) or node.position,
        )

    # --- nodes ---

    def _resolve(self, node: ast.Expression) -> Typed:
        check_interrupt()
        if self.drawn_keys and (key := self.drawn_keys.get(written(node))) is not None:
            return Typed(key)
        match node:
            case ast.Name():
                return self._name(node)
            case ast.Integer(value=value):
                if -(2**31) <= value < 2**31:
                    return Typed(Literal(value, INT4))
                if -(2**63) <= value < 2**63:
                    return Typed(Literal(value, INT8))
                return Typed(decimal_literal(str(value)))
            case ast.Decimal(text=text):
                return Typed(decimal_literal(text))
            case ast.String(value=value):
                return Typed(Literal(value, TEXT), unknown=True, position=node.position)
            case ast.Null():
                return Typed(Literal(None, TEXT), unknown=True)
            case ast.Boolean(value=flag):
                return Typed(Literal(flag, BOOL))
            case ast.Parameter():
                return self._parameter(node)
            case ast.Cast():
                return self._cast(node)
            case ast.Operator():
                return self._operator(node)
            case ast.Function():
                return self._function(node)
            case ast.Logical(word=word, args=args):
                parts = tuple(self._boolean(self._resolve(a), word.upper(), a) for a in args)
                return Typed(And(parts) if word == "and" else Or(parts))
            case ast.Not(arg=arg):
                return Typed(build.negate(self._boolean(self._resolve(arg), "NOT", arg)))
            case ast.Is():
                return self._is(node)
            case ast.DistinctFrom():
                return self._distinct_from(node)
            case ast.InList():
                return self._in_list(node)
            case ast.Quantified():
                return self._quantified(node)
            case ast.Case():
                return self._case(node)
            case ast.Array():
                return containers.array(self, node)
            case ast.Map():
                return containers.map_(self, node)
            case ast.Subquery() | ast.InQuery():
                return self._subquery(node)
            case ast.Subscript():
                return containers.subscript(self, node)
            case ast.Field():
                return self._field(node)
            case ast.Row():
                return records.made(self, node)
            case ast.Star():
                if node.qualifier:
                    if node.argument and len(node.qualifier) == 1 and node.qualifier[0] in self.scope.tables:
                        return records.row_of_table(self, ast.Name(node.qualifier, node.position))
                    raise Unsupported(
                        "all columns of a table as a value are not supported here", position=node.position
                    )
                raise SqlSyntaxError('syntax error at or near "*"', position=node.position)
            case ast.AllFields():
                raise Unsupported(
                    "all fields of a record are supported in select lists only",
                    hint="Name the fields.",
                    position=node.position,
                )
            case ast.NamedArgument():
                raise Unsupported("named arguments are not supported here", position=node.position)
            case ast.Default():
                raise SqlSyntaxError("DEFAULT is not allowed in this context", position=node.position)
            case _:
                assert_never(node)

    def _name(self, node: ast.Name) -> Typed:
        if (whole := records.whole_row(self, node)) is not None:
            return whole
        alias = self.aliases.get(node.parts[0]) if len(node.parts) == 1 else None
        if alias is not None and self.scope.lookup(None, node.parts[0], node.position) is None:
            aliases, self.aliases = self.aliases, {}
            typed = self._resolve(alias)
            self.aliases = aliases
            return typed
        reference, own = self.scope.resolve(node.parts, node.position)
        if own is not None and own.index == ELSEWHERE:
            raise OtherSide
        if own is not None and self.aggregates is not None and isinstance(reference, ColumnRef):
            return Typed(ColumnRef(RAW + reference.index, reference.type, reference.nullable))
        return Typed(reference)

    def _parameter(self, node: ast.Parameter) -> Typed:
        if (argument := self.planner.functions.argument(node)) is not None:
            return self._name(argument)
        return self.planner.parameter(node.number, node.position)

    def _cast(self, node: ast.Cast) -> Typed:
        if is_reg_cast(node):
            if node.attempt:
                raise Unsupported(f"TRY_CAST to {node.type.name} is not supported", position=node.position)
            return self.planner.session.reg_cast(self, node)
        target = self.planner.type(node.type)
        if target.is_string_category and (kind := reg_kind(node.arg)) is not None and not node.attempt:
            named = self.planner.session.reg_text(self, node.arg, kind)
            return named if target == TEXT else Typed(cast_to(named.scalar, target))
        if (
            isinstance(node.arg, ast.Decimal) and target.is_float and not node.attempt
        ):  # beyond what numeric holds
            return Typed(coerce_unknown(Literal(node.arg.text, TEXT), target))
        match node.arg:
            case ast.Array():
                inner = containers.array(self, node.arg, target)
            case ast.Map():
                inner = containers.map_(self, node.arg, target)
            case _:
                inner = self._resolve(node.arg)
        with at(node.position):
            if node.attempt:
                return self._attempted(inner, target)
            if inner.unknown:
                if inner.parameter is None and isinstance(inner.scalar, Literal):
                    if target.kind in _READ_BY_CASTS and inner.scalar.value is not None:
                        return Typed(Cast(inner.scalar, target))
                    with at(inner.position):
                        return Typed(coerce_unknown(inner.scalar, target))
                return Typed(self.coerce(inner, target, "CAST"))
            if inner.scalar.type == target:
                return inner
            if target.kind is Kind.CHAR and inner.scalar.type.kind is Kind.INT4:
                raise Unsupported(
                    'a cast of integer to "char" is not supported', hint="Write chr(n) for a character."
                )
            _check_castable(inner.scalar, target)
            return Typed(Cast(inner.scalar, target))

    def _attempted(self, inner: Typed, target: ScalarType) -> Typed:
        """TRY_CAST."""
        scalar = self.defaulted(inner)
        if scalar.type == target:
            return Typed(scalar)
        _check_castable(scalar, target)
        return Typed(Call(ATTEMPTED_CAST, (scalar, Literal(None, target)), target))

    def apply(self, name: str, args: Sequence[Typed], position: int) -> Typed:
        """The registry's function `name` on `args`."""
        with at(position):
            try:
                found = resolve_call(name, [a.scalar for a in args], [a.unknown for a in args])
            except DataError as error:
                error.position = position_of_text(args, error.message)
                raise
        for index, arg in enumerate(args):
            if arg.parameter is not None and arg.unknown:
                type_ = compared(found.args[index]).type.unrestricted if index < len(found.args) else TEXT
                self.planner.parameter_types[arg.parameter] = type_
        return Typed(found)

    def _operator(self, node: ast.Operator) -> Typed:
        if len(node.args) == 2 and isinstance(node.args[0], ast.Row) and isinstance(node.args[1], ast.Row):
            return self._row_comparison(node)
        if any(isinstance(arg, ast.Row) for arg in node.args) and any(
            isinstance(arg, ast.Subquery) and arg.kind == "scalar" for arg in node.args
        ):
            raise Unsupported("a row compared with a subquery is not supported", position=node.position)
        args = [self._resolve(arg) for arg in node.args]
        number = node.args[0]
        beyond = isinstance(number, ast.Decimal) and isinstance(args[0].scalar, Cast)
        if (
            beyond and node.symbol == "-" and len(args) == 1
        ):  # the sign belongs to a number that no numeric holds
            assert isinstance(number, ast.Decimal)
            return Typed(decimal_literal(f"-{number.text}"))
        if (
            any(isinstance(arg.scalar, MzNow) for arg in args)
            and node.symbol in NOW_OPERATORS
            and len(args) == 2
        ):
            return compare_with_now(self, node.symbol, args[0], args[1], node.position)
        if node.symbol in MAP_OPERATORS and len(args) == 2 and args[0].scalar.type.kind is Kind.MAP:
            return self.apply(f"map {node.symbol}", args, node.position)
        refuse_operator(node, args)
        name = build.operator_name(node.symbol, len(args))
        if name is None:
            types = [base_name(None if a.unknown else a.scalar.type) for a in args]
            shown = f"{types[0]} {node.symbol} {types[1]}" if len(types) == 2 else f"{node.symbol} {types[0]}"
            raise UndefinedFunction(
                f"operator does not exist: {shown}",
                hint="No operator matches the given name and argument types. You might need to add explicit type casts.",
                position=node.position,
            )
        return self.apply(name, args, node.position)

    def _row_comparison(self, node: ast.Operator) -> Typed:
        left, right = node.args
        assert isinstance(left, ast.Row)
        assert isinstance(right, ast.Row)
        left, right = records.expanded(self, left), records.expanded(self, right)
        if len(left.items) != len(right.items):
            raise SqlSyntaxError("unequal number of entries in row expressions", position=node.position)
        return self._resolve(records.compared(node.symbol, left.items, right.items, node.position))

    def _is(self, node: ast.Is) -> Typed:
        arg = self._resolve(node.arg)
        if node.what == "null" and not arg.unknown and arg.scalar.type.kind is Kind.RECORD:
            return Typed(records.null_test(arg.scalar, node.negated))
        if node.what == "null":
            subject = self.defaulted(arg)
            return Typed(build.is_not_null(subject) if node.negated else build.is_null(subject))
        value = self._boolean(arg, f"IS {'NOT ' if node.negated else ''}{node.what.upper()}", node.arg)
        name = f"is_{'not_' if node.negated else ''}{node.what}"
        return Typed(build.call(name, value))

    def _distinct_from(self, node: ast.DistinctFrom) -> Typed:
        if isinstance(node.left, ast.Row) and isinstance(node.right, ast.Row):
            return self._resolve(records.distinct(self, node))
        left, right = self._resolve(node.left), self._resolve(node.right)
        name = "is_not_distinct_from" if node.negated else "is_distinct_from"
        return self.apply(name, (left, right), node.position)

    def _in_list(self, node: ast.InList) -> Typed:
        if isinstance(node.arg, ast.Row):
            rows = tuple(ast.Operator("=", (node.arg, item), node.position) for item in items_of(node))
            found = self._resolve(ast.Logical("or", rows, node.position) if len(rows) > 1 else rows[0])
            return Typed(build.negate(found.scalar)) if node.negated else found
        arg = self._resolve(node.arg)
        result = None if node.literals is None else among_literals(self, arg, node)
        if result is None:
            items = [self._resolve(item) for item in items_of(node)]
            if any(not i.unknown and _as_texts(arg.scalar.type, i.scalar.type) for i in (arg, *items)):
                arg, *items = (i if i.unknown else Typed(cast_to(i.scalar, TEXT)) for i in (arg, *items))
            # A plain equality is what rules and indexes look for.
            name = "eq" if len(items) == 1 else "in"
            result = Typed(as_array(self.apply(name, (arg, *items), node.position).scalar))
        return Typed(build.negate(result.scalar)) if node.negated else result

    def _quantified(self, node: ast.Quantified) -> Typed:
        if isinstance(node.right, ast.Query):
            if not isinstance(node.left, ast.Row):
                if node.symbol == "=" and not node.all:
                    return self._resolve(ast.InQuery(node.left, node.right, False, node.position))
                if node.symbol == "<>" and node.all:
                    return self._resolve(ast.InQuery(node.left, node.right, True, node.position))
            return self._subquery(node)
        name = build.operator_name(node.symbol, 2)
        prefix = "all" if node.all else "any"
        if name not in ("eq", "ne", "lt", "le", "gt", "ge"):
            if isinstance(node.right, ast.Array):  # x ~~ ANY (ARRAY[a, b])
                parts = tuple(
                    ast.Operator(node.symbol, (node.left, item), node.position) for item in node.right.items
                )
                word = "and" if node.all else "or"
                return self._resolve(parts[0] if len(parts) == 1 else ast.Logical(word, parts, node.position))
            if name is None or not function_exists(f"{prefix}_{name}"):
                raise Unsupported(
                    f"{node.symbol} {prefix.upper()} is not supported yet", position=node.position
                )
        left, right = self._resolve(node.left), self._resolve(node.right)
        element = right.scalar.type.element
        if element is not None and not left.unknown and _as_texts(left.scalar.type, element):
            left = Typed(cast_to(left.scalar, TEXT))  # relkind = ANY (ARRAY['r', 'v'])
            right = Typed(cast_to(right.scalar, ScalarType(right.scalar.type.kind, element=TEXT)))
        return self.apply(f"{prefix}_{name}", (left, right), node.position)

    def _case(self, node: ast.Case) -> Typed:
        conditions: list[Scalar] = []
        operand = node.operand
        if isinstance(operand, ast.String):  # of type text, whatever it is compared with
            operand = ast.Cast(operand, ast.TypeName("text", (), 0, operand.position), operand.position)
        for condition, _ in node.branches:
            if operand is not None:
                test = ast.Operator("=", (operand, condition), condition.position)
                conditions.append(self._resolve(test).scalar)
            else:
                conditions.append(self._boolean(self._resolve(condition), "CASE/WHEN", condition))
        results = [self._resolve(result) for _, result in node.branches]
        otherwise = self._resolve(node.otherwise or ast.Null(node.position))
        # PostgreSQL looks at ELSE first when it chooses the common type.
        nodes = (node.otherwise or node, *(result for _, result in node.branches))
        scalars, type_ = self.unify((otherwise, *results), "CASE", node.position, nodes)
        return Typed(build.when(list(zip(conditions, scalars[1:], strict=True)), scalars[0], type_))

    def _field(self, node: ast.Field) -> Typed:
        """A field of a record, or of what _pg_expandarray gives."""
        pair = self._resolve(node.arg)
        if pair.scalar.type != PAIR:
            return records.field(pair, node)
        if node.name not in PAIR_FIELDS:
            raise UndefinedColumn(
                f'column "{node.name}" not found in data type record', position=node.position
            )
        index = Typed(Literal(1 + PAIR_FIELDS.index(node.name), INT4))
        return self.apply("array_subscript", (pair, index), node.position)

    def answer(self, node: ast.Expression) -> Typed | None:
        """What is known of a look-up in a catalog, where it is made beside the condition that it stands in."""
        return self.answers.get((id(node), 0, False)) if self.answers else None

    def _subquery(self, node: ast.Subquery | ast.InQuery | ast.Quantified) -> Typed:
        key = answer_key(node)
        if (known := self.answers.get(key)) is not None:
            return known
        if not self.allow_subqueries:
            raise Unsupported(
                f"subqueries in {self.clause} are not supported",
                hint="Move the subquery to WHERE or to a derived table.",
                position=node.position,
            )
        answer = self.planner.subqueries.value(self, node)
        if self.aggregates is None:
            self.answers[key] = answer
        return answer

    def _function(self, node: ast.Function) -> Typed:
        return self.planner.session.function(self, node)


def _as_texts(left: ScalarType, right: ScalarType) -> bool:
    """Whether the two compare as texts: "char" and name have no operators with other types of strings."""
    kinds = {left.kind, right.kind}
    strings = left.is_string_category and right.is_string_category
    return strings and len(kinds) > 1 and not kinds.isdisjoint((Kind.CHAR, Kind.NAME))


def _check_castable(scalar: Scalar, target: ScalarType) -> None:
    if not can_cast(scalar.type, target, CastContext.EXPLICIT):
        raise PtvcError(f"cannot cast type {base_name(scalar.type)} to {base_name(target)}", sqlstate="42846")


def is_reg_cast(node: ast.Expression) -> TypeGuard[ast.Cast]:
    """Whether it is a cast to regclass or another of the types that name objects."""
    if not isinstance(node, ast.Cast):
        return False
    return node.type.name in REG_TYPES and not (node.type.dimensions or node.type.schema)


def reg_kind(node: ast.Expression) -> str | None:
    """Of a cast to such a type, or a function that has one as its result: which."""
    if is_reg_cast(node):
        return node.type.name
    if isinstance(node, ast.Function) and node.name[-1] in ("to_regclass", "to_regtype"):
        return node.name[-1].removeprefix("to_")
    return None
