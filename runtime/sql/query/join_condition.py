"""Conditions of joins: two relations and the predicates that say which rows belong together, subqueries among them.

A subquery in the condition of an outer join is computed as one more column of the side that it looks at, and is gone
again behind the join.  If it looks at both, the condition is tried on all pairs with the distinct rows of the side that
is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ...errors import Unsupported
from ...expr.tree.relation import Distinct, Join, JoinKind, Relation
from ...expr.tree.scalar import And, Call, Cast, Coalesce, ColumnRef, Or, Scalar
from ...transform.rewrite import key_pair
from ..scalars import build
from ..scalars.answer_key import AnswerKey, answer_key
from ..scalars.expressions import ELSEWHERE, Expressions, OtherSide, is_reg_cast
from ..scalars.scope import Scope, ScopeColumn
from ..scalars.typed import Typed
from ..syntax import ast

if TYPE_CHECKING:
    from .planner import Planner


@dataclass(frozen=True, slots=True)
class Side:
    """The right side of a join: its first columns are those of the left side at `positions`; `columns` are what it
    shows, `tables` their names."""

    relation: Relation
    positions: tuple[int, ...]
    columns: tuple[ScopeColumn, ...]
    tables: dict[str, int]


class JoinConditions:
    """Puts the sides of a join together and their columns into `scope`; `domain` is the relation of the scope's
    prefix, UNIT when there is none."""

    def __init__(
        self,
        planner: Planner,
        scope: Scope,
        domain: Relation = build.UNIT,
    ) -> None:
        self.planner = planner
        self.scope = scope
        self.domain = domain

    def placed(self, left: Relation, right: Side, kind: JoinKind, predicates: Sequence[Scalar]) -> Relation:
        self._enter_side(left, right)
        return self._finished(left, right, kind, predicates)

    def _enter_side(self, left: Relation, right: Side) -> None:
        width = 0 if left is build.UNIT else len(left.schema)
        self.scope.tables = right.tables
        self.scope.columns.extend(replace(c, index=c.index + width) for c in right.columns)

    def _finished(
        self, left: Relation, right: Side, kind: JoinKind, predicates: Sequence[Scalar]
    ) -> Relation:
        joined = join(left, right.relation, kind, predicates, right.positions)
        self._widen(len(left.schema), kind)
        return self._without_copies(joined, len(left.schema), right.positions, kind)

    def _without_copies(
        self, joined: Relation, width: int, positions: Sequence[int], kind: JoinKind
    ) -> Relation:
        """The join without the right side's copies of the left side's columns."""
        count = len(positions)
        if not count:
            return joined
        total = len(joined.schema)
        places = list(range(width))
        if kind in (JoinKind.RIGHT, JoinKind.FULL):
            # A row without a match on the left belongs to the outer row that its own copy names.
            scalars = [
                Coalesce((build.ref(joined, left), build.ref(joined, width + i)), joined.schema[left].type)
                for i, left in enumerate(positions)
            ]
            joined, found = build.append(joined, scalars, [joined.schema[i].name for i in positions])
            for left, place in zip(positions, found, strict=True):
                places[left] = place
        self.scope.columns = [
            replace(c, index=c.index - count) if c.index >= width + count else c for c in self.scope.columns
        ]
        return build.project(joined, [*places, *range(width + count, total)])

    def _widen(self, width: int, kind: JoinKind) -> None:
        """Outer joins make columns nullable: the first `width` are those of the left side."""
        left, right = kind in (JoinKind.RIGHT, JoinKind.FULL), kind in (JoinKind.LEFT, JoinKind.FULL)
        self.scope.columns = [
            column.null_extended() if (left if column.index < width else right) else column
            for column in self.scope.columns
        ]

    def _filtered(self, on: ast.Expression | None, relation: Relation) -> Relation:
        assert on is not None
        width = len(relation.schema)
        expressions = self._conditions(relation)
        predicate = expressions.predicate(on, "JOIN/ON")
        return build.project(build.where(expressions.relation, (predicate,)), range(width))

    def _conditions(self, relation: Relation) -> Expressions:
        return Expressions(self.planner, self.scope, relation, "JOIN conditions")

    def _condition(
        self, on: ast.Expression, left: Relation, right: Relation, answers: Mapping[AnswerKey, Typed]
    ) -> list[Scalar]:
        expressions = self._conditions(build.cross(left, right))
        expressions.answers.update(answers)
        expressions.allow_subqueries = bool(answers)
        expressions.may_join = False
        return build.conjuncts(expressions.predicate(on, "JOIN/ON"))

    # --- subqueries in the condition of an outer join ---

    def _with_subqueries(
        self,
        on: ast.Expression,
        nodes: Sequence[SubqueryNode],
        left: Relation,
        right: Side,
        kind: JoinKind,
    ) -> Relation:
        """Each subquery is a column of the side that it looks at, for as long as the condition is tried."""
        width, count = len(left.schema), len(right.relation.schema)
        wide_left, wide_right = left, right.relation
        found: list[tuple[SubqueryNode, bool, Typed, int]] = []
        for node in nodes:
            beside = self._beside_side(node, wide_left, right, on_left=True)
            on_left = beside is not None
            if beside is None:
                beside = self._beside_side(node, wide_right, right, on_left=False)
            if beside is None:
                return self._by_pairs(on, node.position, left, right, kind)
            relation, typed, index = beside
            if on_left:
                wide_left = relation
            else:
                wide_right = relation
            found.append((node, on_left, typed, index))
        total = len(wide_left.schema)
        answers: dict[AnswerKey, Typed] = {}
        for node, on_left, typed, index in found:
            scalar = typed.scalar
            place = index if on_left else total + index
            answers[key_of(node)] = replace(typed, scalar=ColumnRef(place, scalar.type, scalar.nullable))
        side = replace(right, relation=wide_right)
        self._enter_side(wide_left, side)
        predicates = self._condition(on, wide_left, wide_right, answers)
        joined = self._finished(wide_left, side, kind, predicates)
        shown = count - len(right.positions)
        self.scope.columns = [
            replace(c, index=c.index - total + width) if c.index >= total else c for c in self.scope.columns
        ]
        return build.project(joined, [*range(width), *range(total, total + shown)])

    def _by_pairs(
        self, on: ast.Expression, position: int, left: Relation, right: Side, kind: JoinKind
    ) -> Relation:
        """A condition with subqueries that look at both sides: it is tried on all pairs with the distinct rows of the
        side that is kept, which then takes its matches from these."""
        if kind is JoinKind.FULL:
            raise Unsupported(
                "a subquery in the condition of a full join that looks at both sides is not supported",
                hint="Compute it in a derived table.",
                position=position,
            )
        self._enter_side(left, right)
        width, count = len(left.schema), len(right.relation.schema)
        pairs = join(
            Distinct(left) if kind is JoinKind.LEFT else left,
            right.relation if kind is JoinKind.LEFT else Distinct(right.relation),
            JoinKind.INNER,
            [],
            right.positions,
        )
        matched = self._filtered(on, pairs)
        if kind is JoinKind.LEFT:
            keys = build.refs(left, range(width)), build.refs(matched, range(width))
            joined: Relation = Join(left, matched, kind, *keys, null_safe=True)
            joined = build.project(joined, [*range(width), *range(2 * width, 2 * width + count)])
        else:
            behind = range(width, width + count)
            keys = build.refs(matched, behind), build.refs(right.relation, range(count))
            joined = Join(matched, right.relation, kind, *keys, null_safe=True)
            joined = build.project(joined, [*range(width), *range(width + count, width + 2 * count)])
        self._widen(width, kind)
        return self._without_copies(joined, width, right.positions, kind)

    def _beside_side(
        self, node: SubqueryNode, relation: Relation, right: Side, *, on_left: bool
    ) -> tuple[Relation, Typed, int] | None:
        """The subquery's value as one more column of one side; None when it looks at the other."""
        if not on_left and self.scope.prefix:
            return None  # what it needs of an enclosing query stands on the left
        own, other = self.scope.columns, list(right.columns)
        if not on_left:
            own, other = other, own
        away = [replace(column, index=ELSEWHERE) for column in other]
        columns = [*own, *away] if on_left else [*away, *own]
        scope = replace(self.scope, columns=columns, tables=right.tables)
        expressions = Expressions(self.planner, scope, relation, "JOIN conditions")
        try:
            if isinstance(node, ast.Cast | ast.Function):
                typed = expressions.resolve(node)
            else:
                typed = self.planner.subqueries.value(expressions, node)
        except OtherSide:
            return None
        wide, (index,) = build.append(expressions.relation, (typed.scalar,), ("answer",))
        return wide, typed, index


SubqueryNode = ast.Subquery | ast.InQuery | ast.Quantified | ast.Cast | ast.Function
"""What a condition needs another relation for; casts and functions are look-ups in catalogs."""


def key_of(node: SubqueryNode) -> AnswerKey:
    return (id(node), 0, False) if isinstance(node, ast.Cast | ast.Function) else answer_key(node)


def subquery_nodes(node: object) -> Iterator[SubqueryNode]:
    """The outermost subqueries, and look-ups in catalogs, of an expression."""
    if (
        isinstance(node, ast.Subquery | ast.InQuery)
        or (isinstance(node, ast.Quantified) and isinstance(node.right, ast.Query))
        or (isinstance(node, ast.Cast) and is_reg_cast(node) and not isinstance(node.arg, ast.String))
    ):
        yield node
    elif isinstance(node, tuple):
        for part in node:
            yield from subquery_nodes(part)
    elif node is not None and not isinstance(node, str | int):
        for slot in getattr(type(node), "__slots__", ()):
            yield from subquery_nodes(getattr(node, slot))


def join(
    left: Relation,
    right: Relation,
    kind: JoinKind,
    predicates: Sequence[Scalar],
    positions: Sequence[int] = (),
) -> Relation:
    """A join on predicates over both sides; equalities of the two sides become its keys.

    The first columns of `right` are copies of those of `left` at `positions`, and agree with them.
    """
    if left is build.UNIT and kind is JoinKind.INNER:
        return build.where(right, predicates)
    width = len(left.schema)
    wanted = [predicate for predicate in predicates if predicate != build.TRUE]
    pairs = [key_pair(predicate, width) for predicate in wanted]
    takes_null = bool(positions) or not any(pair is not None and _both_nullable(pair) for pair in pairs)
    null_pairs = [_null_safe_pair(predicate, width) if takes_null else None for predicate in wanted]
    null_safe = bool(positions) or any(pair is not None for pair in null_pairs)
    left_keys: list[Scalar] = list(build.refs(left, positions))
    right_keys: list[Scalar] = list(build.refs(right, range(len(positions))))
    residual: list[Scalar] = []
    for predicate, plain, with_null in zip(wanted, pairs, null_pairs, strict=True):
        pair = plain if with_null is None else with_null
        if pair is not None:
            left_keys.append(pair[0])
            right_keys.append(pair[1])
        if pair is None or (null_safe and pair is plain and _both_nullable(pair)):
            residual.append(predicate)  # NULL equals no NULL there
    return Join(left, right, kind, tuple(left_keys), tuple(right_keys), tuple(residual), null_safe)


def _both_nullable(pair: tuple[Scalar, Scalar]) -> bool:
    return pair[0].nullable and pair[1].nullable


def _null_safe_pair(predicate: Scalar, width: int) -> tuple[Scalar, Scalar] | None:
    """As `key_pair`, of two that are equal or both NULL: `a IS NOT DISTINCT FROM b`, `a = b OR a IS NULL AND b IS NULL`."""
    match predicate:
        case Call(function="is_not_distinct_from", args=(left, right)):
            return key_pair(build.call("eq", left, right), width)
        case (
            Or(args=(Call(function="eq") as equal, And(args=(Call() as one, Call() as other))))
            | Or(args=(And(args=(Call() as one, Call() as other)), Call(function="eq") as equal))
        ) if one.function == other.function == "is_null":
            tested = [_uncast(one.args[0]), _uncast(other.args[0])]
            compared = [_uncast(arg) for arg in equal.args]
            return key_pair(equal, width) if compared in (tested, tested[::-1]) else None
        case _:
            return None


def _uncast(scalar: Scalar) -> Scalar:
    """What is NULL where the scalar is."""
    while isinstance(scalar, Cast) and not scalar.can_make_null:
        scalar = scalar.arg
    return scalar
