"""Subqueries in expressions: joins with the distinct outer values that they depend on.

`correlated` plans a query over its domain.  Which outer columns that takes is found out by planning it: each one
missing raises `Correlated`, is added, and the query is planned again; what was learnt is kept, so nested subqueries
are not searched anew.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ...errors import DatatypeMismatch, GroupingError, SqlSyntaxError, Unsupported
from ...expr.coercion.literals import cast_to
from ...expr.coercion.type_rules import compared_type
from ...expr.functions.comparison.comparison_keys import has_keys, sort_key
from ...expr.functions.containers.records import row
from ...expr.tree.relation import (
    Aggregate,
    AssertSingle,
    Distinct,
    Join,
    JoinKind,
    Map,
    Reduce,
    Relation,
    ScalarOrder,
    TopK,
)
from ...expr.tree.scalar import Call, Cast, Coalesce, ColumnRef, Literal, Scalar
from ...repr.types import BOOL, INT8, NESTED, TEXT, Kind, ScalarType, array_of, list_of
from ..scalars import build
from ..scalars.equal_keys import holds_intervals
from ..scalars.expressions import ELSEWHERE, RAW, Expressions, OtherSide
from ..scalars.scope import Correlated, OuterColumn, Scope
from ..scalars.typed import Typed, at
from ..syntax import ast
from ..syntax.types import refuse_element
from .domains import Domains
from .quantified import no_such_operator, quantified, row_membership, too_many_or_few

if TYPE_CHECKING:
    from .planner import Planner, Prefix, QueryPlan


class Subqueries:
    def __init__(self, planner: Planner) -> None:
        self.planner = planner
        self.known: dict[int, list[OuterColumn]] = {}
        self.domains = Domains()

    def correlated(
        self,
        query: ast.Query,
        parent: Scope | None,
        relation: Callable[[], Relation],
        position_of: Callable[[OuterColumn], int],
        plan: Callable[[Prefix, Relation | None], QueryPlan] | None = None,
    ) -> tuple[QueryPlan, list[int]]:
        """The query's plan over its domain, and where the domain's columns stand in `relation()`, which finding them may
        have extended.  `plan` plans it, where it is no query like any other."""
        needed = self.known.setdefault(id(query), [])
        while True:
            positions = [position_of(column) for column in needed]
            prefix = {column: index for index, column in enumerate(needed)}
            domain = self.domains.of(relation(), positions) if needed else None
            try:
                if plan is not None:
                    return plan(prefix, domain), positions
                return self.planner.query(query, parent, prefix, domain), positions
            except Correlated as error:
                if error.scope.prefix is not prefix:
                    raise
                needed.append(error.column)

    def planned(self, expressions: Expressions, query: ast.Query) -> tuple[QueryPlan, list[int]]:
        """The query, which may look at the row of `expressions`: as `correlated`."""
        exact: dict[OuterColumn, int] = {}

        def position_of(column: OuterColumn) -> int:
            found = exact.get(column)
            if found is None:
                found = own_position(column)
                if column[0] == 1 and holds_intervals(expressions.scope.columns[column[1]].type):
                    text = Cast(build.ref(expressions.relation, found), TEXT)
                    expressions.relation, (found,) = build.append(expressions.relation, (text,), ("exact",))
                    exact[column] = found
            return found

        def own_position(column: OuterColumn) -> int:
            level, ordinal = column
            if level > 1:
                return expressions.scope.outer((level - 1, ordinal))
            own = expressions.scope.columns[ordinal]
            if own.index == ELSEWHERE:
                raise OtherSide
            if expressions.aggregates is None:
                return own.index
            raw = ColumnRef(RAW + own.index, own.type, own.nullable)
            for number, key in enumerate(expressions.keys):
                if key == raw:
                    return expressions.key_base + number
            name = own.name if own.table is None else f"{own.table}.{own.name}"
            raise GroupingError(f'subquery uses ungrouped column "{name}" from outer query')

        return self.correlated(query, expressions.scope, lambda: expressions.relation, position_of)

    # --- values ---

    def value(self, expressions: Expressions, node: ast.Subquery | ast.InQuery | ast.Quantified) -> Typed:
        try:
            return self._value(expressions, node)
        except Unsupported:
            never = isinstance(node, ast.Subquery) and build.never_has_rows(expressions.relation)
            if not never or self.planner.generic:
                raise
            # Nothing of its kind exists here, so it is never computed: psql's queries over pg_publication.
            return Typed(Literal(None, TEXT), unknown=True)

    def _value(self, expressions: Expressions, node: ast.Subquery | ast.InQuery | ast.Quantified) -> Typed:
        if isinstance(node, ast.Quantified):
            return Typed(quantified(self, expressions, node))
        with at(node.position):
            if isinstance(node, ast.InQuery):
                result = self._membership(expressions, node)
                return Typed(build.negate(result) if node.negated else result)
            if node.kind == "exists":
                return Typed(self._exists(expressions, node.query))
            if node.kind in ("array", "list", "map"):
                return self._array(expressions, node)
            return self._scalar(expressions, node)

    def _scalar(self, expressions: Expressions, node: ast.Subquery) -> Typed:
        plan, positions = self.planned(expressions, node.query)
        if len(plan.outputs) != 1:
            raise SqlSyntaxError("subquery must return only one column", position=node.position)
        relation = plan.closed()
        if not plan.single:
            relation = AssertSingle(relation, tuple(range(plan.width)))
        kind = JoinKind.INNER if plan.total else JoinKind.LEFT
        (column,) = self.attach(expressions, relation, positions, kind)
        return Typed(column)

    def attach(
        self, expressions: Expressions, relation: Relation, positions: list[int], kind: JoinKind
    ) -> list[ColumnRef]:
        """Joins `relation` (its first columns are the outer values at `positions`), of which an inner join finds a row for each; its
        other columns."""
        left = expressions.relation
        width, count = len(left.schema), len(positions)
        keys = range(count)
        joined = Join(
            left,
            relation,
            kind,
            build.refs(left, positions),
            build.refs(relation, keys),
            null_safe=bool(positions),
        )
        total = len(relation.schema)
        result: Relation = joined
        if left is build.UNIT and not positions and kind is JoinKind.INNER:
            result = relation
        elif count:
            result = build.project(joined, [*range(width), *range(width + count, width + total)])
        if result is not relation:
            self.domains.attached(result, left)
        expressions.relation = result
        return [build.ref(result, width + i) for i in range(total - count)]

    def marked(self, expressions: Expressions, relation: Relation, positions: list[int]) -> Scalar:
        """Whether the distinct `relation` has a row for the outer values."""
        marked = Map(relation, (build.TRUE,), ("marker",))
        (marker,) = self.attach(expressions, marked, positions, JoinKind.LEFT)
        return build.is_not_null(marker)

    def _exists(self, expressions: Expressions, query: ast.Query) -> Scalar:
        plan, positions = self.planned(expressions, query)
        relation = plan.closed()
        if positions:
            return self.marked(expressions, Distinct(build.project(relation, range(plan.width))), positions)
        counted = Reduce(relation, (), (), (_COUNT,), scalar=True)
        (count,) = self.attach(expressions, counted, [], JoinKind.INNER)
        return build.call("gt", count, build.int8(0))

    def _membership(self, expressions: Expressions, node: ast.InQuery) -> Scalar:
        """`x IN (query)`: TRUE on a match; FALSE without rows; NULL when x or, without a match, a row is NULL."""
        if isinstance(node.arg, ast.Row):
            return row_membership(self, expressions, node)
        plan, positions, arg, relation = self._in_operands(expressions, node)
        width = plan.width
        element = build.ref(relation, width)
        if not isinstance(arg, ColumnRef):
            expressions.relation, (index,) = build.append(expressions.relation, (arg,), ("needle",))
            arg = build.ref(expressions.relation, index)
        present = build.where(relation, (build.is_not_null(element),)) if element.nullable else relation
        matched = self.marked(expressions, Distinct(present), [*positions, arg.index])
        if not (element.nullable or arg.nullable):
            return matched
        counts = (_COUNT, Aggregate("count", element, INT8, "present", nullable=False))
        keys = build.refs(relation, range(width))
        names = relation.schema.names[:width]
        if positions:
            counted: Relation = Reduce(relation, keys, names, counts)
        else:
            counted = Reduce(relation, (), (), counts, scalar=True)
        kind = JoinKind.LEFT if positions else JoinKind.INNER
        rows, present_rows = self.attach(expressions, counted, positions, kind)
        nothing = Literal(None, BOOL)
        empty = build.is_null(rows) if positions else build.call("eq", rows, build.int8(0))
        return build.when(
            [
                (matched, build.TRUE),
                (empty, build.FALSE),
                (build.is_null(arg), nothing),
                (build.call("lt", present_rows, rows), nothing),
            ],
            build.FALSE,
            BOOL,
        )

    def operands(
        self,
        expressions: Expressions,
        nodes: Sequence[ast.Expression],
        query: ast.Query,
        position: int,
        symbol: str,
    ) -> tuple[QueryPlan, list[int], list[Scalar], Relation, int]:
        """Both sides of a comparison with a query's rows, cast to common types: the plan, where its domain's columns
        stand, the left sides, and the query's rows: so many columns of the domain, then one per left side."""
        args = [expressions.resolve(node) for node in nodes]
        plan, positions = self.planned(expressions, query)
        if len(plan.outputs) != len(args):
            raise too_many_or_few(len(plan.outputs), len(args), position)
        types: list[ScalarType] = []
        lefts: list[Scalar] = []
        for index, (arg, output) in enumerate(zip(args, plan.outputs, strict=True)):
            column = Typed(ColumnRef(plan.width + index, output.type, output.nullable))
            (scalar, _), type_ = _unify(expressions, arg, column, position, symbol)
            lefts.append(scalar)
            types.append(type_)
        names = [f"element{i}" for i in range(len(types))]
        relation = self.planner.converted(plan, types, names)
        if symbol in _COMPARISONS and any(has_keys(type_) for type_ in types):
            # Documents compare by their order keys, whatever joins and least values are made of the comparison.
            lefts = [sort_key(left) for left in lefts]
            rights = [
                sort_key(ref) for ref in build.refs(relation, range(plan.width, plan.width + len(types)))
            ]
            relation, places = build.append(relation, rights, names)
            relation = build.project(relation, [*range(plan.width), *places])
        return plan, positions, lefts, relation, plan.width

    def _in_operands(
        self, expressions: Expressions, node: ast.InQuery
    ) -> tuple[QueryPlan, list[int], Scalar, Relation]:
        plan, positions, (left,), relation, _ = self.operands(
            expressions, (node.arg,), node.query, node.position, "="
        )
        return plan, positions, left, relation

    def _array(self, expressions: Expressions, node: ast.Subquery) -> Typed:
        """All rows of a query of one column as an array or a list, in its ORDER BY, or of keys and values as a map; without
        rows the empty one."""
        plan, positions = self.planned(expressions, node.query)
        if node.kind == "map":
            _check_entries(plan, node.position)
        elif len(plan.outputs) != 1:
            raise SqlSyntaxError("subquery must return only one column", position=node.position)
        type_ = self._collected(plan.outputs[-1].type, node)
        if build.never_has_rows(plan.closed()):
            return Typed(Literal([], type_))
        if build.never_has_rows(expressions.relation):
            return Typed(Literal(None, type_))
        relation = plan.relation
        if plan.limit is not None or plan.offset:
            relation = TopK(relation, tuple(range(plan.width)), plan.order, plan.limit, plan.offset)
        order = tuple(
            ScalarOrder(build.ref(relation, key.index), key.descending, key.nulls_first) for key in plan.order
        )
        member: Scalar = build.ref(relation, plan.width)
        held = type_
        if node.kind == "map":
            member = row((("key", cast_to(member, TEXT)), ("value", build.ref(relation, plan.width + 1))))
            held = list_of(member.type)
        collected = Aggregate("array_agg", member, held, node.kind, order=order)
        if positions:
            keys = build.refs(relation, range(plan.width))
            reduced = Reduce(relation, keys, relation.schema.names[: plan.width], (collected,))
        else:
            reduced = Reduce(relation, (), (), (collected,), scalar=True)
        kind = JoinKind.LEFT if positions else JoinKind.INNER
        (column,) = self.attach(expressions, reduced, positions, kind)
        answer: Scalar = column
        if node.kind == "map":
            answer = Call("map of entries", (column,), type_, True)
        return Typed(Coalesce((answer, Literal([], type_)), type_))

    @staticmethod
    def _collected(element: ScalarType, node: ast.Subquery) -> ScalarType:
        if node.kind in ("list", "map"):
            refuse_element(element, node.position, node.kind)
            return ScalarType(Kind(node.kind), element=element)
        if element.kind is Kind.ARRAY:
            raise Unsupported("arrays of several dimensions are not supported", position=node.position)
        if element.kind in NESTED and element.kind is not Kind.RECORD:
            raise Unsupported(
                f"arrays of {element} are not supported",
                hint="Write LIST(SELECT ...).",
                position=node.position,
            )
        return array_of(element)

    # --- conditions of WHERE ---

    def condition(self, expressions: Expressions, node: ast.Expression) -> bool:
        """Applies a conjunct of WHERE as a semi or anti join where it is one; False when it is not."""
        negated = False
        while isinstance(node, ast.Not):
            negated, node = not negated, node.arg
        if isinstance(node, ast.Subquery) and node.kind == "exists":
            plan, positions = self.planned(expressions, node.query)
            relation = build.project(plan.closed(), range(plan.width))
            self._semi(expressions, relation, positions, range(plan.width), negated)
            return True
        if not isinstance(node, ast.InQuery):
            return False
        negated = negated != node.negated
        with at(node.position):
            if isinstance(node.arg, ast.Row):
                return self._row_in(expressions, node, negated)
            if negated:
                return False
            plan, positions, arg, relation = self._in_operands(expressions, node)
            element = build.ref(relation, plan.width)
            if positions and element.nullable:
                relation = build.where(relation, (build.is_not_null(element),))
            left = (*build.refs(expressions.relation, positions), arg)
            right = build.refs(relation, range(plan.width + 1))
            expressions.relation = Join(
                expressions.relation, relation, JoinKind.SEMI, left, right, null_safe=bool(positions)
            )
            return True

    def _row_in(self, expressions: Expressions, node: ast.InQuery, negated: bool) -> bool:
        assert isinstance(node.arg, ast.Row)
        if negated:
            return False
        plan, positions, left, relation, _ = self.operands(
            expressions, node.arg.items, node.query, node.position, "="
        )
        present = [
            build.is_not_null(column)
            for column in build.refs(relation, range(plan.width, len(relation.schema)))
            if column.nullable
        ]
        relation = build.where(relation, present)
        keys = (*build.refs(expressions.relation, positions), *left)
        right = build.refs(relation, range(len(relation.schema)))
        expressions.relation = Join(
            expressions.relation, relation, JoinKind.SEMI, keys, right, null_safe=bool(positions)
        )
        return True

    def _semi(
        self, expressions: Expressions, relation: Relation, positions: list[int], keys: range, negated: bool
    ) -> None:
        expressions.relation = Join(
            expressions.relation,
            relation,
            JoinKind.ANTI if negated else JoinKind.SEMI,
            build.refs(expressions.relation, positions),
            build.refs(relation, keys),
            null_safe=bool(positions),
        )


def _unify(
    expressions: Expressions, arg: Typed, element: Typed, position: int, symbol: str
) -> tuple[list[Scalar], ScalarType]:
    """Both sides of `arg symbol (query)` as one type; as in PostgreSQL, without one there is no such operator."""
    if not arg.unknown and (type_ := compared_type(arg.scalar.type, element.scalar.type)) is not None:
        return [cast_to(side.scalar, type_) for side in (arg, element)], type_
    try:
        return expressions.unify((arg, element), "IN", position)
    except DatatypeMismatch:
        raise no_such_operator(symbol, arg, element, position) from None


_COMPARISONS = frozenset(("=", "<>", "<", "<=", ">", ">="))
_COUNT = Aggregate("count", None, INT8, "count", nullable=False)


def _check_entries(plan: QueryPlan, position: int) -> None:
    """The query of a map gives texts and values."""
    if len(plan.outputs) != 2:
        raise SqlSyntaxError("subquery of a map must return two columns", position=position)
    if not plan.outputs[0].type.is_string_category:
        raise DatatypeMismatch(
            f"the first column of the subquery of a map must be of type text, not {plan.outputs[0].type}",
            position=position,
        )
