"""The planner of one statement: what its queries share, and queries themselves.

A query is planned over a domain when it is correlated: its relation then begins with the domain's columns (the
prefix), and its rows are those that the query has for each of the domain's rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ...errors import DatatypeMismatch, PtvcError, SqlSyntaxError, UndefinedColumn, Unsupported
from ...expr.coercion.type_rules import base_name, common_type
from ...expr.functions.comparison.comparison_keys import equality_key, has_keys
from ...expr.tree.relation import (
    Constant,
    GlobalId,
    Join,
    JoinKind,
    Negate,
    OrderBy,
    Relation,
    Threshold,
    TopK,
    Union,
)
from ...expr.tree.scalar import Cast, Literal, Parameter, Scalar, walk
from ...repr.schema import NO_ORIGIN, Column, Origin, Schema
from ...repr.types import INT8, TEXT, ScalarType
from ..calls.function_calls import UserFunctions
from ..calls.session_functions import SessionFunctions
from ..catalog.catalog_view import PlanContext
from ..catalog.named_types import types_in
from ..parser.query import spelled_out
from ..scalars import build
from ..scalars.expressions import Expressions
from ..scalars.literal_columns import is_untyped, natural_type, values
from ..scalars.scope import Correlated, OuterColumn, Scope
from ..scalars.typed import Typed, at, unified
from ..scalars.zone import fold, fold_rows
from ..syntax import ast
from ..syntax.literal_rows import LiteralRows
from ..syntax.types import resolve_type
from .recursion import bind_mutual, bind_recursive, check_unique, let_rec
from .subqueries import Subqueries

Prefix = dict[OuterColumn, int]


@dataclass(frozen=True, slots=True)
class Output:
    """A column that a query shows.  `unknown` and `parameter` as in Typed; `position`: where it is written, or 0; `origin`: of which column of
    a relation it is."""

    name: str
    type: ScalarType
    nullable: bool
    unknown: bool = False
    parameter: int | None = None
    position: int = 0
    origin: Origin = NO_ORIGIN

    @property
    def column(self) -> Column:
        """As the client sees it."""
        return Column(self.name, self.type, self.nullable, origin=self.origin)


@dataclass(frozen=True, slots=True)
class QueryPlan:
    """`relation`: `width` prefix columns, then the outputs, then columns that only `order` needs.

    `single`: at most one row per prefix; `total`: at least one as well.
    """

    relation: Relation
    width: int
    outputs: tuple[Output, ...]
    order: tuple[OrderBy, ...] = ()
    limit: int | None = None
    offset: int = 0
    single: bool = False
    total: bool = False

    def closed(self) -> Relation:
        """The prefix and the outputs, with LIMIT applied; ORDER BY alone means nothing here."""
        relation = self.relation
        if self.limit is not None or self.offset:
            group = tuple(range(self.width))
            relation = TopK(relation, group, self.order, self.limit, self.offset)
        count = self.width + len(self.outputs)
        return build.project(relation, range(count)) if len(relation.schema) > count else relation


_MANY = 1 << 61
"""More rows than there are: larger limits and offsets are of so many, so that their sum is an int64."""


@dataclass(slots=True)
class CommonTableBinding:
    """A WITH item, planned at its first use and shared from then on.  The first columns of `plan` are those of `needed`."""

    table: ast.CommonTable
    environment: dict[str, CommonTableBinding]
    parent: Scope | None
    plan: QueryPlan | None = None
    recursive: bool = False
    needed: tuple[OuterColumn, ...] = ()


@dataclass(slots=True)
class Planner:
    """State of one statement's planning.

    `describing`: parameters may have no type yet; it is inferred.  `generic`: there are some, of the types `declared`,
    and the plan is to hold for all values; what needs to know one raises some error, which must not be caught.
    """

    context: PlanContext
    parameters: Sequence[Literal] = ()
    declared: Sequence[ScalarType | None] = ()
    describing: bool = False
    generic: bool = False
    maintained: bool = False  # the query defines a view: nothing of the session may go into it
    defining: str = "a materialized view"  # what `maintained` is about, for messages
    open: bool = False  # a plain view or a DEFAULT, which leaves to each execution what differs between them
    draws: int = 0  # calls of functions that draw
    parameter_types: dict[int, ScalarType] = field(default_factory=dict)
    parameter_count: int = 0
    uses: set[GlobalId] = field(default_factory=set)
    views: list[Relation] = field(default_factory=list)  # definitions that are read, each in UTC
    columns: set[tuple[GlobalId, int]] = field(default_factory=set)  # of tables, where they are stored
    environment: dict[str, CommonTableBinding] = field(default_factory=dict)
    session: SessionFunctions = field(init=False)
    functions: UserFunctions = field(init=False)
    subqueries: Subqueries = field(init=False)
    _locals: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self.session = SessionFunctions(self)
        self.functions = UserFunctions(self)
        self.subqueries = Subqueries(self)

    def parameter(self, number: int, position: int) -> Typed:
        if not 1 <= number <= 65535:
            raise SqlSyntaxError(f"there is no parameter ${number}", sqlstate="42P02", position=position)
        self.parameter_count = max(self.parameter_count, number)
        if self.generic and number <= len(self.declared) and (type_ := self.declared[number - 1]) is not None:
            return Typed(Parameter(number, type_))
        if not self.describing:
            if number > len(self.parameters):
                raise SqlSyntaxError(f"there is no parameter ${number}", sqlstate="42P02", position=position)
            return Typed(self.parameters[number - 1])
        if number <= len(self.declared) and (known := self.declared[number - 1]) is not None:
            return Typed(Literal(None, known))
        if number in self.parameter_types:
            return Typed(Literal(None, self.parameter_types[number]))
        return Typed(Literal(None, TEXT), unknown=True, parameter=number)

    def type(self, name: ast.TypeName) -> ScalarType:
        """What the name says; the statement uses the types that were created among it."""
        return resolve_type(name, types_in(self.context, self.uses))

    # --- queries ---

    def query(
        self,
        query: ast.Query,
        parent: Scope | None = None,
        prefix: Prefix | None = None,
        domain: Relation | None = None,
    ) -> QueryPlan:
        prefix = {} if prefix is None else prefix
        saved = self.environment
        try:
            plan = self._with(query, parent, prefix, domain)
            limit, offset = self._limits(query, plan)
            if limit is None and not offset:
                return plan
            if plan.limit is not None or plan.offset:
                plan = replace(plan, relation=plan.closed(), limit=None, offset=0)
            single = plan.single or limit in (0, 1)
            return replace(plan, limit=limit, offset=offset, single=single, total=False)
        finally:
            self.environment = saved

    def _with(
        self, query: ast.Query, parent: Scope | None, prefix: Prefix, domain: Relation | None
    ) -> QueryPlan:
        """The query's body, with the names of its WITH known."""
        if query.recursion is not None:
            bindings = bind_mutual(self, query.recursion, parent)
            plan = self._body(query, parent, prefix, domain)
            return replace(plan, relation=let_rec(query.recursion, bindings, plan.relation))
        if query.recursive:
            bind_recursive(self, query.with_tables, parent)
        else:
            check_unique(query.with_tables)
            for table in query.with_tables:
                binding = CommonTableBinding(table, self.environment, parent)
                self.environment = {**self.environment, table.name: binding}
        return self._body(query, parent, prefix, domain)

    def local_id(self, name: str) -> str:
        """An id for a recursive binding, of its own in this statement."""
        self._locals += 1
        return f"{name}.{self._locals}"

    def _body(
        self,
        query: ast.Query,
        parent: Scope | None,
        prefix: Prefix,
        domain: Relation | None,
    ) -> QueryPlan:
        body = query.body
        if isinstance(body, ast.SelectBody):
            from .select import SelectPlanner

            return SelectPlanner(self, body, query, parent, prefix, domain).plan()
        if isinstance(body, ast.ValuesBody):
            plan = self._values(body, parent, prefix, domain)
        elif isinstance(body, ast.SetBody):
            plan = self._set_operation(body, parent, prefix, domain)
        else:
            plan = self.query(body, parent, prefix, domain)
            if plan.limit is not None or plan.offset:
                plan = QueryPlan(plan.closed(), plan.width, plan.outputs, single=plan.single)
        if query.order_by:
            plan = replace(plan, order=self._output_order(query.order_by, plan))
        return plan

    def _output_order(self, keys: Sequence[ast.SortKey], plan: QueryPlan) -> tuple[OrderBy, ...]:
        """ORDER BY of a set operation or VALUES: names and positions of its columns only."""
        order = []
        if any(isinstance(key.expression, ast.Star) for key in keys):  # ORDER BY ALL
            (key,) = keys
            position = key.expression.position
            keys = [
                replace(key, expression=ast.Integer(n, position)) for n in range(1, len(plan.outputs) + 1)
            ]
        for key in keys:
            node = key.expression
            names = [output.name for output in plan.outputs]
            refuse_constant(node, "ORDER BY")
            if isinstance(node, ast.Integer):
                index = order_position(node, len(names), "ORDER BY")
            elif isinstance(node, ast.Name) and len(node.parts) == 1:
                if node.parts[0] not in names:
                    raise UndefinedColumn(f'column "{node.parts[0]}" does not exist', position=node.position)
                index = names.index(node.parts[0])
            else:
                raise Unsupported(
                    "invalid UNION/INTERSECT/EXCEPT ORDER BY clause",
                    detail="Only result column names can be used, not expressions or functions.",
                    hint="Add the expression/function to every SELECT, or move the UNION into a FROM clause.",
                    position=node.position,
                )
            if has_keys(plan.outputs[index].type):
                raise Unsupported(
                    f"ORDER BY of {base_name(plan.outputs[index].type)} over a set operation is not supported",
                    hint="Make it a derived table, and order that.",
                    position=node.position,
                )
            order.append(OrderBy(plan.width + index, key.descending, key.nulls_first))
        return tuple(order)

    def _limits(self, query: ast.Query, plan: QueryPlan) -> tuple[int | None, int]:
        for clause, node in (("LIMIT", query.limit), ("OFFSET", query.offset)):
            if isinstance(node, ast.Name) and any(o.name == node.parts[-1] for o in plan.outputs):
                raise PtvcError(
                    f"argument of {clause} must not contain variables",
                    sqlstate="42P10",
                    position=node.position,
                )
        limit = self._count(query.limit, "LIMIT", "2201W")
        return limit, self._count(query.offset, "OFFSET", "2201X") or 0

    def _count(self, node: ast.Expression | None, clause: str, sqlstate: str) -> int | None:
        if node is None:
            return None
        expressions = Expressions(self, Scope(None), build.UNIT, clause)
        expressions.allow_subqueries = False
        with at(node.position):
            typed = expressions.resolve(node)
            if not typed.unknown and not typed.scalar.type.is_numeric_category:
                raise DatatypeMismatch(
                    f"argument of {clause} must be type bigint, not type {base_name(typed.scalar.type)}"
                )
            value = fold(expressions.coerce(typed, INT8, clause))
            if not isinstance(value, Literal):
                raise Unsupported(f"argument of {clause} must be a constant")
            if value.value is None:
                return None
            if value.value < 0:
                raise PtvcError(f"{clause} must not be negative", sqlstate=sqlstate)
        return min(int(value.value), _MANY)

    # --- VALUES ---

    def _values(
        self, body: ast.ValuesBody, parent: Scope | None, prefix: Prefix, domain: Relation | None
    ) -> QueryPlan:
        if body.literals is not None and domain is None:
            types = [natural_type(cells) for cells in body.literals.columns]
            if (plan := literal_plan(body.literals, types)) is not None:
                return plan
        body = spelled_out(body)
        scope = Scope(parent, prefix)
        expressions = Expressions(self, scope, domain or build.UNIT, "VALUES")
        rows = [[expressions.resolve(cell) for cell in row] for row in body.rows]
        return self.values_plan(expressions, rows, len(prefix), body.position)

    def values_plan(
        self,
        expressions: Expressions,
        rows: Sequence[Sequence[Typed]],
        width: int,
        position: int,
        targets: Sequence[ScalarType] | None = None,
    ) -> QueryPlan:
        """Rows of expressions; `targets` are the types that unknown literals take."""
        columns: list[list[Scalar]] = []
        outputs: list[Output] = []
        for index in range(len(rows[0])):
            cells = [row[index] for row in rows]
            unknown = all(cell.unknown for cell in cells)
            with at(position):
                if targets is not None and unknown:
                    type_ = targets[index]
                else:
                    type_ = common_type([None if c.unknown else c.scalar.type for c in cells], "VALUES")
                numbers = {cell.parameter for cell in cells}
                number = numbers.pop() if len(cells) == 1 and unknown and targets is None else None
                scalars = fold_rows(
                    [
                        cell.scalar if number is not None else expressions.coerce(cell, type_, "VALUES")
                        for cell in cells
                    ]
                )
            columns.append(scalars)
            nullable = any(scalar.nullable for scalar in scalars)
            outputs.append(
                Output(f"column{index + 1}", type_, nullable, unknown and targets is None, number, position)
            )
        schema = Schema(tuple(Column(o.name, o.type, o.nullable) for o in outputs))
        base = expressions.relation
        if all(isinstance(scalar, Literal) for column in columns for scalar in column):
            values = tuple(
                tuple(scalar.value for scalar in row if isinstance(scalar, Literal))
                for row in zip(*columns, strict=True)
            )
            relation: Relation = build.cross(base, Constant(values, schema))
        else:
            if self.generic and len(rows) > 1:
                _refuse_parameters(columns)
            names = schema.names
            arms = []
            for row in zip(*columns, strict=True):
                arm, positions = build.append(base, row, names)
                arms.append(build.project(arm, [*range(width), *positions]))
            relation = union_all(arms, Schema(base.schema.columns[:width] + schema.columns))
        single = len(rows) == 1
        return QueryPlan(relation, width, tuple(outputs), single=single, total=single)

    # --- UNION, INTERSECT, EXCEPT ---

    def _set_operation(
        self, body: ast.SetBody, parent: Scope | None, prefix: Prefix, domain: Relation | None
    ) -> QueryPlan:
        arms = [self.query(part, parent, prefix, domain) for part in (body.left, body.right)]
        if len(arms[0].outputs) != len(arms[1].outputs):
            raise SqlSyntaxError(
                f"each {body.word.upper()} query must have the same number of columns",
                position=(arms[1].outputs[0].position if arms[1].outputs else 0) or body.position,
            )
        types = []
        with at(body.position):
            for pair in zip(arms[0].outputs, arms[1].outputs, strict=True):
                types.append(unified([None if o.unknown else o.type for o in pair], body.word.upper(), pair))
        names = [output.name for output in arms[0].outputs]
        left, right = (self.converted(arm, types, names) for arm in arms)
        nullable = [a.nullable or b.nullable for a, b in zip(left.schema, right.schema, strict=True)]
        schema = Schema(tuple(replace(c, nullable=n) for c, n in zip(left.schema, nullable, strict=True)))
        relation = _combine(body.word, body.all, left, right, schema)
        width = len(prefix)
        outputs = tuple(
            Output(c.name, c.type, c.nullable, position=output.position)
            for c, output in zip(relation.schema.columns[width:], arms[0].outputs, strict=True)
        )
        return QueryPlan(relation, width, outputs)

    def converted(
        self, plan: QueryPlan, types: Sequence[ScalarType], names: Sequence[str], explicit: bool = True
    ) -> Relation:
        """The plan's rows with its outputs cast to `types`."""
        relation = plan.closed()
        scalars: list[Scalar] = []
        for index, (output, type_) in enumerate(zip(plan.outputs, types, strict=True)):
            if output.parameter is not None:
                self.parameter_types[output.parameter] = type_
            column = build.ref(relation, plan.width + index)
            scalars.append(
                column if column.type == type_ else Cast(column, type_, explicit or output.unknown)
            )
        relation, positions = build.append(relation, scalars, names)
        prefix_names = relation.schema.names[: plan.width]
        return build.project(relation, [*range(plan.width), *positions], [*prefix_names, *names])

    # --- roots ---

    def root(self, query: ast.Query) -> QueryPlan:
        """A whole query, its unknown columns turned to text."""
        try:
            plan = self.query(query)
        except Correlated as error:
            raise Unsupported(
                "this use of an outer column is not supported", hint="Rewrite it as a join."
            ) from error
        if any(output.unknown for output in plan.outputs):
            for output in plan.outputs:
                if output.parameter is not None:
                    self.parameter_types.setdefault(output.parameter, TEXT)
            plan = replace(
                plan, outputs=tuple(replace(o, unknown=False, parameter=None) for o in plan.outputs)
            )
        return plan


def _refuse_parameters(columns: Sequence[Sequence[Scalar]]) -> None:
    """Rows of values are one constant, and rows of parameters as many subplans: they are planned with their values."""
    if any(isinstance(node, Parameter) for column in columns for cell in column for node in walk(cell)):
        raise Unsupported("several rows of parameters are planned with their values")


def literal_plan(
    literals: LiteralRows, types: Sequence[ScalarType | None], *, typed: bool = False
) -> QueryPlan | None:
    """Literal rows as columns of `types`; None where they take the ordinary way.  With `typed`, none is unknown."""
    columns: list[list[object]] = []
    outputs: list[Output] = []
    for number, (cells, type_) in enumerate(zip(literals.columns, types, strict=True), 1):
        found = None if type_ is None else values(cells, type_)
        if found is None or type_ is None:
            return None
        columns.append(found)
        outputs.append(Output(f"column{number}", type_, None in found, not typed and is_untyped(cells)))
    schema = Schema(tuple(Column(o.name, o.type, o.nullable) for o in outputs))
    return QueryPlan(Constant(tuple(zip(*columns, strict=True)), schema), 0, tuple(outputs))


def union_all(arms: Sequence[Relation], schema: Schema) -> Relation:
    if len(arms) == 1:
        return arms[0]
    nullable = [any(arm.schema[i].nullable for arm in arms) for i in range(len(schema))]
    return Union(
        tuple(arms), Schema(tuple(replace(c, nullable=n) for c, n in zip(schema, nullable, strict=True)))
    )


def _combine(word: str, every: bool, left: Relation, right: Relation, schema: Schema) -> Relation:
    everything = range(len(schema))
    if word != "union" or not every:
        for ref in build.refs(left, everything):
            equality_key(ref)  # rows are distinguished, so there must be one
    if word == "union":
        relation: Relation = Union((left, right), schema)
        return relation if every else build.distinct(relation)
    if every:
        surplus = Threshold(Union((left, Negate(right)), schema))
        return surplus if word == "except" else Union((left, Negate(surplus)), schema)
    kind = JoinKind.SEMI if word == "intersect" else JoinKind.ANTI
    left = build.distinct(left)
    own, others = (tuple(equality_key(ref) for ref in build.refs(side, everything)) for side in (left, right))
    return Join(left, right, kind, own, others, null_safe=True)


def refuse_constant(node: ast.Expression, clause: str) -> None:
    """42601 for a constant that is no position: it would order or group by nothing."""
    if isinstance(node, ast.String | ast.Decimal | ast.Null | ast.Boolean):
        raise SqlSyntaxError(f"non-integer constant in {clause}", position=node.position)


def order_position(node: ast.Integer, count: int, clause: str) -> int:
    if not 1 <= node.value <= count:
        raise PtvcError(
            f"{clause} position {node.value} is not in select list", sqlstate="42P10", position=node.position
        )
    return node.value - 1
