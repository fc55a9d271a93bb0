"""Calls of functions that users have made.  Of one in SQL the body takes the place of the call (for Python see external_calls.py):

```
SELECT expression           the expression, with the arguments in the place of their names
SELECT ... FROM ...         a scalar subquery over one row of arguments, of which the first row counts
RETURN expression           as the first
```

So a view over a function is maintained as if it had been written without; what the function reads belongs to what the view
uses, as the function itself does.  A body sees its arguments and nothing else of the call: no column, no WITH, no parameter.
A name is that of a column of the body before it is that of an argument, as in PostgreSQL; `function.argument` and `$1` say
which.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ...errors import GroupingError, PtvcError, SqlSyntaxError, Unsupported
from ...expr.coercion.type_rules import CastContext, base_name, can_cast
from ...expr.registry import no_such_function
from ...expr.tree.relation import GlobalId, JoinKind
from ...expr.tree.scalar import Cast, ColumnRef, Literal, MzNow, Parameter, Scalar, transform, walk
from ...repr.types import ScalarType
from ..catalog.catalog_view import CatalogItem
from ..scalars import build
from ..scalars.expressions import Expressions
from ..scalars.scope import Scope, ScopeColumn
from ..scalars.typed import Typed, at
from ..scalars.zone import fold
from ..syntax import ast
from ..syntax.function_definition import FunctionArgument, FunctionDefinition, FunctionKind
from . import external_calls
from .function_body import body_query, default_expression, plain_expression, returned_expression
from .function_names import NO_DEFAULT, argument_names, choose, is_ours, visible

if TYPE_CHECKING:
    from ..query.planner import Planner

MAX_NESTING = 32
"""How deep functions may call functions."""

MAX_NODES = 20_000
"""How large an expression may become by calls: each use of an argument is the whole argument."""

TABLE_DEFINITIONS = ("DEFAULT expressions", "CHECK")
"""Clauses of definitions that have no list of what they use."""

_NUMBERED = "$"
"""The table whose columns are the arguments by their numbers."""

_PLACE = 1 << 24
"""Where arguments stand that are not columns yet, one range for each level of calls; beyond all columns there are."""

_MOST_ARGUMENTS = 1 << 10


class _ReadsRelations(Exception):
    """Internal: an expression was to be put in the place of a call, and needs rows of relations."""


@dataclass(frozen=True, slots=True)
class UserCall:
    """A call whose value is a column by now, so that the same call elsewhere in the SELECT is that column, too."""

    id: GlobalId
    arguments: tuple[Scalar, ...]
    value: Scalar

    def changed(self, change: Callable[[Scalar], Scalar]) -> UserCall:
        return replace(self, arguments=tuple(map(change, self.arguments)), value=change(self.value))


class UserFunctions:
    """Of one statement."""

    def __init__(self, planner: Planner) -> None:
        self.planner = planner
        self.created: CatalogItem | None = None  # the one that the statement creates
        self._inside: list[CatalogItem] = []  # whose bodies are being planned, outermost first
        self._queries: dict[tuple[GlobalId, tuple[bool, ...]], ast.Query] = {}

    def call(self, expressions: Expressions, node: ast.Function) -> Typed | None:
        """The value of the call; None where no function of that name was created, so that it is one of the system's."""
        context = self.planner.context
        if node.name[0] == external_calls.AGGREGATE:
            return Typed(external_calls.aggregate_call(expressions, node))
        if not (
            is_ours(node.name, context) or (len(node.name) == 1 and context.catalog.functions(node.name[0]))
        ):
            return None
        found = visible(node.name, context, node.position)
        if not found and len(node.name) == 1:
            return None
        values, names = argument_names(node)
        args = [expressions._resolve(value) for value in values]
        types = [None if arg.unknown else arg.scalar.type for arg in args]
        if not found:
            with at(node.position):
                raise no_such_function(".".join(node.name), None, types)
        chosen = choose(node, found, types, names)
        _check_call(expressions, node, chosen.definition)
        scalars = []
        for place, argument in zip(chosen.places, chosen.definition.arguments, strict=True):
            if place == NO_DEFAULT:
                scalars.append(self._defaulted(argument))
            else:
                with at(values[place].position):
                    scalars.append(expressions.coerce(args[place], argument.type, node.name[-1]))
        if any(isinstance(part, MzNow) for scalar in scalars for part in walk(scalar)):
            raise Unsupported(
                "mz_now() as an argument of a function is not supported",
                hint="Compare mz_now() with the function's value.",
                position=node.position,
            )
        self.planner.uses.add(chosen.item.id)
        return Typed(self.value(expressions, node, chosen.item, scalars))

    def argument(self, node: ast.Parameter) -> ast.Name | None:
        """What `$n` is in the body of a function; None outside of one."""
        if not self._inside:
            return None
        definition = self._inside[-1].function
        assert definition is not None
        if not 1 <= node.number <= len(definition.arguments):
            raise SqlSyntaxError(
                f"there is no parameter ${node.number}", sqlstate="42P02", position=node.position
            )
        return ast.Name((_NUMBERED, str(node.number)), node.position)

    def _defaulted(self, argument: FunctionArgument) -> Scalar:
        """What the argument is in a call that leaves it out."""
        assert argument.default is not None
        try:
            return self.default(argument.default, argument.type)
        except PtvcError as error:
            error.position = None  # it counts in the definition
            raise

    def default(self, text: str, type_: ScalarType) -> Scalar:
        """The value of a DEFAULT of an argument; positions of errors count in `text`."""
        expressions = Expressions(self.planner, Scope(None), build.UNIT, "DEFAULT expressions")
        expressions.allow_subqueries = False
        node = default_expression(text)
        with at(node.position):
            typed = expressions.resolve(node)
            if not typed.unknown and not can_cast(typed.scalar.type, type_, CastContext.ASSIGNMENT):
                raise PtvcError(
                    f"argument of DEFAULT must be type {base_name(type_)}, not type {base_name(typed.scalar.type)}",
                    sqlstate="42804",
                )
            return expressions.coerce(typed, type_, "DEFAULT")

    def value(
        self, expressions: Expressions, node: ast.Function, item: CatalogItem, scalars: Sequence[Scalar]
    ) -> Scalar:
        """The function's value for arguments of its types."""
        definition = item.function
        assert definition is not None
        if definition.external is not None:
            return external_calls.external_call(self.planner, item, scalars)
        arguments = tuple(scalars)
        for known in expressions.calls:
            same = known.id == item.id and known.arguments == arguments
            if same and (expressions.aggregates is None or known.value in expressions.keys):
                return known.value
        self._check_depth(item)
        drawn = self.planner.draws
        place = _PLACE + len(self._inside) * _MOST_ARGUMENTS
        with self._within(item):
            result = self._substituted(expressions, item, arguments, place)
        joined = result is None
        if joined:
            arguments = tuple(expressions.grounded(scalar, node) for scalar in arguments)
        with self._within(item):
            if result is None:
                result = self._joined(expressions, item, arguments)
            result = _returned(definition, result)
        if definition.strict:
            missing = [build.is_null(scalar) for scalar in arguments if scalar.nullable]
            if missing:
                nothing = Literal(None, definition.returns)
                result = build.when([(build.disjunction(missing), nothing)], result, definition.returns)
        if joined and self.planner.draws == drawn:
            expressions.calls.append(UserCall(item.id, tuple(scalars), result))
        return result

    def _check_depth(self, item: CatalogItem) -> None:
        if any(outer.id == item.id for outer in self._inside):
            raise Unsupported(
                f"function {item.name.name} calls itself, which is not supported",
                hint="WITH RECURSIVE and WITH MUTUALLY RECURSIVE are.",
            )
        if len(self._inside) >= MAX_NESTING:
            raise PtvcError(
                "stack depth limit exceeded",
                sqlstate="54001",
                hint=f"Functions call functions at most {MAX_NESTING} levels deep.",
            )

    @contextmanager
    def _within(self, item: CatalogItem) -> Iterator[None]:
        """While the body is planned.  Positions of errors count in its text, so they are left out of errors of the call."""
        environment, self.planner.environment = self.planner.environment, {}
        self._inside.append(item)
        try:
            yield
        except PtvcError as error:
            if item is not self.created:
                error.position = None
            raise
        finally:
            self._inside.pop()
            self.planner.environment = environment

    # --- an expression in the place of the call ---

    def _substituted(
        self, expressions: Expressions, item: CatalogItem, arguments: Sequence[Scalar], place: int
    ) -> Scalar | None:
        """None where the body is a query of relations."""
        definition = item.function
        assert definition is not None
        if definition.returned:
            node: ast.Expression | None = returned_expression(definition.body)
        else:
            node = plain_expression(self._query(item, ()))
        if node is None:
            return None
        columns = [
            _Argument(place + number, scalar.nullable, _constant(scalar))
            for number, scalar in enumerate(arguments)
        ]
        scope = _scope(item.name.name, definition, columns)
        body = Expressions(
            self.planner, scope, expressions.relation, f"the body of function {item.name.name}"
        )
        body.allow_subqueries = body.may_join = False
        body.in_body_of = expressions
        try:
            result = body.scalar(node)
        except _ReadsRelations:
            if definition.returned:
                raise Unsupported(
                    "RETURN of what reads relations is not supported", hint="Write AS $$ SELECT ... $$."
                ) from None
            return None
        expressions.relation = body.relation  # whose rows may be numbered now
        return _with_arguments(result, arguments, place)

    # --- a subquery ---

    def _joined(self, expressions: Expressions, item: CatalogItem, arguments: Sequence[Scalar]) -> Scalar:
        definition = item.function
        assert definition is not None
        if expressions.clause.startswith("the body of function "):
            raise _ReadsRelations
        if not (expressions.allow_subqueries and expressions.may_join):
            raise Unsupported(
                f"function {item.name.name} reads relations, which is not supported in {expressions.clause}",
                hint="Call it in WHERE or in a derived table.",
            )
        constants = [_constant(scalar) for scalar in arguments]
        computed = [scalar for scalar, value in zip(arguments, constants, strict=True) if value is None]
        names = [f"argument{number}" for number in range(1, len(computed) + 1)]
        relation, positions = build.append(expressions.relation, computed, names)
        places = iter(positions)
        columns = [
            _Argument(next(places) if value is None else 0, scalar.nullable, value)
            for scalar, value in zip(arguments, constants, strict=True)
        ]
        scope = _scope(item.name.name, definition, columns)
        row = Expressions(self.planner, scope, relation)
        query = self._query(item, tuple(value is not None for value in constants))
        plan, domain = self.planner.subqueries.planned(row, query)
        if len(plan.outputs) != 1:
            raise PtvcError(
                f"return type mismatch in function declared to return {base_name(definition.returns)}",
                sqlstate="42P13",
                detail="Final statement must return exactly one column.",
            )
        if not plan.single:
            plan = replace(plan, limit=1 if plan.limit is None else min(plan.limit, 1))
        kind = JoinKind.INNER if plan.total else JoinKind.LEFT
        (column,) = self.planner.subqueries.attach(row, plan.closed(), domain, kind)
        expressions.relation = row.relation
        return column

    def _query(self, item: CatalogItem, constants: tuple[bool, ...]) -> ast.Query:
        """The syntax tree of the body, one for each way in which its arguments are known."""
        key = (item.id, constants)
        found = self._queries.get(key)
        if found is None:
            assert item.function is not None
            found = self._queries[key] = body_query(item.function)
        return found


@dataclass(frozen=True, slots=True)
class _Argument:
    """Where it stands, or what it is."""

    index: int
    nullable: bool
    value: Literal | Parameter | None


def _scope(name: str, definition: FunctionDefinition, columns: Sequence[_Argument]) -> Scope:
    scope = Scope(None)
    for number, (argument, column) in enumerate(zip(definition.arguments, columns, strict=True), 1):
        known = ScopeColumn(
            _NUMBERED,
            str(number),
            argument.type,
            column.nullable,
            column.index,
            hidden=True,
            value=column.value,
        )
        scope.columns.append(known)
        if argument.name is not None:
            scope.columns.append(replace(known, table=name, name=argument.name, hidden=False))
    return scope


def _constant(scalar: Scalar) -> Literal | Parameter | None:
    folded = fold(scalar)
    return folded if isinstance(folded, Literal | Parameter) else None


def _with_arguments(body: Scalar, arguments: Sequence[Scalar], place: int) -> Scalar:
    """`body` with the arguments in their places."""
    used = [node.index - place for node in walk(body) if isinstance(node, ColumnRef) and node.index >= place]
    sizes = [sum(1 for _ in walk(argument)) for argument in arguments]
    if sum(1 for _ in walk(body)) + sum(sizes[number] for number in used) > MAX_NODES:
        raise PtvcError(
            "the expression becomes too large by calls of functions",
            sqlstate="54001",
            hint="A call is as large as the function's body with all of its arguments in it: nest fewer of them.",
        )

    def put(node: Scalar) -> Scalar:
        if isinstance(node, ColumnRef) and node.index >= place:
            return arguments[node.index - place]
        return node

    return transform(body, put)


def _returned(definition: FunctionDefinition, result: Scalar) -> Scalar:
    """The body's result as the function's; 42P13 if it is of another type."""
    target = definition.returns
    if result.type == target:
        return result
    if not can_cast(result.type, target, CastContext.ASSIGNMENT):
        raise PtvcError(
            f"return type mismatch in function declared to return {base_name(target)}",
            sqlstate="42P13",
            detail=f"Actual return type is {base_name(result.type)}.",
        )
    return Cast(result, target, explicit=False)


def _check_call(expressions: Expressions, node: ast.Function, definition: FunctionDefinition) -> None:
    name = node.name[-1]
    if definition.kind is FunctionKind.AGGREGATE:
        raise GroupingError(
            f"aggregate functions are not allowed in {expressions.clause}", position=node.position
        )
    decorations = {
        f"{name}(*)": node.star,
        "DISTINCT": node.distinct,
        "WITHIN GROUP": node.within,
        "ORDER BY": node.order_by,
        "FILTER": node.filter is not None,
    }
    if (written := next((word for word, there in decorations.items() if there), None)) is not None:
        raise PtvcError(
            f"{written} specified, but {name} is not an aggregate function",
            sqlstate="42809",
            position=node.position,
        )
    if expressions.clause in TABLE_DEFINITIONS:
        raise Unsupported(
            f"function {name} is not supported in {expressions.clause}",
            hint="Only functions of the system are: the definition of a table stands for itself.",
            position=node.position,
        )
