"""JOIN: two items of FROM to one relation.

The right side is planned by itself where it can be.  It cannot when it looks at the left side (LATERAL, table functions):
then it is planned over the distinct values that it needs of the left side's rows, and joined on these; nor when it
looks at an enclosing query's row: then both sides are planned over the domain of the query that they belong to.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..errors import PtvcError, UndefinedColumn, UndefinedTable, Unsupported
from ..expr.coercion import common_type
from ..expr.relation import Distinct, Join, JoinKind, Relation
from ..expr.scalar import Coalesce, ColumnRef, Scalar
from ..transform.rewrite import as_type, key_pair
from . import ast, build
from .expressions import ELSEWHERE, AnswerKey, Expressions, OtherSide, Typed, answer_key, at
from .scope import Correlated, OuterColumn, Scope, ScopeColumn

if TYPE_CHECKING:
    from .planner import Planner

_KINDS = {
    "inner": JoinKind.INNER,
    "cross": JoinKind.INNER,
    "left": JoinKind.LEFT,
    "right": JoinKind.RIGHT,
    "full": JoinKind.FULL,
}


@dataclass(frozen=True, slots=True)
class Side:
    """The right side of a join: its first columns are those of the left side at `positions`; `columns` are what it
    shows, `tables` their names."""

    relation: Relation
    positions: tuple[int, ...]
    columns: tuple[ScopeColumn, ...]
    tables: dict[str, int]


class JoinPlanner(ABC):
    """Adds items to `scope`; `domain` is the relation of the scope's prefix, UNIT when there is none."""

    def __init__(
        self,
        planner: Planner,
        scope: Scope,
        domain: Relation = build.UNIT,
    ) -> None:
        self.planner = planner
        self.scope = scope
        self.domain = domain

    @abstractmethod
    def add(self, item: ast.FromItem, base: Relation) -> Relation:
        """`base` with the item's columns behind its own."""

    @abstractmethod
    def function(self, item: ast.TableFunction, base: Relation, outer: bool = False) -> Relation:
        """`base` with the rows of table functions; with `outer`, once with NULLs where there are none."""

    def joined(self, item: ast.JoinedTable) -> Relation:
        kind = _KINDS[item.kind]
        relation = self.add(item.left, self.domain)
        start = len(self.scope.columns)
        if isinstance(item.right, ast.TableFunction) and item.using is None and not item.natural:
            always = item.on is None or (isinstance(item.on, ast.Boolean) and item.on.value)
            if kind is JoinKind.INNER or (kind is JoinKind.LEFT and always):
                relation = self.function(item.right, relation, outer=kind is JoinKind.LEFT)
                return relation if always else self._filtered(item.on, relation)
        return self._combined(item, relation, self._right(item, relation, kind), kind, start)

    def beside(self, item: ast.FromItem, base: Relation) -> Relation:
        """`base` with the rows that an item which looks at it has for each of its rows."""
        return self.placed(base, self.dependent(item, base), JoinKind.INNER, [])

    def _filtered(self, on: ast.Expression | None, relation: Relation) -> Relation:
        assert on is not None
        width = len(relation.schema)
        expressions = self._conditions(relation)
        predicate = expressions.predicate(on, "JOIN/ON")
        return build.project(build.where(expressions.relation, (predicate,)), range(width))

    def _conditions(self, relation: Relation) -> Expressions:
        return Expressions(self.planner, self.scope, relation, "JOIN conditions")

    # --- the right side ---

    def _right(self, item: ast.JoinedTable, left: Relation, kind: JoinKind) -> Side:
        if not looks_left(item.right):
            return self._apart(item.right, kind)
        if kind not in (JoinKind.RIGHT, JoinKind.FULL):
            return self.dependent(item.right, left)
        try:
            return self._apart(item.right, kind)
        except (UndefinedColumn, UndefinedTable) as error:
            self.dependent(item.right, left)  # fails as well, unless it is the left side that is looked at
            raise PtvcError(
                error.message,
                sqlstate="42P10",
                detail="The combining JOIN type must be INNER or LEFT for a LATERAL reference.",
                position=item.right.position,
            ) from None

    def _apart(self, item: ast.FromItem, kind: JoinKind) -> Side:
        """An item that does not look at the left side.

        Rows without a match on the left are there for each row of the domain, so the item must be as well.
        """
        if self.scope.prefix and kind in (JoinKind.RIGHT, JoinKind.FULL):
            return self._over_domain(item)
        scope = Scope(self.scope.parent, {}, tables=dict(self.scope.tables), lateral=self.scope.lateral)
        try:
            relation = type(self)(self.planner, scope).add(item, build.UNIT)
            return Side(relation, (), tuple(scope.columns), scope.tables)
        except Correlated as error:
            if error.scope.prefix is not scope.prefix:
                raise
        return self._over_domain(item)

    def _over_domain(self, item: ast.FromItem) -> Side:
        scope = replace(self.scope, columns=[], tables=dict(self.scope.tables))
        relation = type(self)(self.planner, scope, self.domain).add(item, self.domain)
        return Side(relation, tuple(range(len(scope.prefix))), tuple(scope.columns), scope.tables)

    def dependent(self, item: ast.FromItem, base: Relation) -> Side:
        """An item that may look at the columns of `base`: it is planned over those that it needs."""
        if isinstance(item, ast.DerivedTable):
            return self.derived_side(item, base)
        needed = self.planner.subqueries.known.setdefault(id(item), [])
        while True:
            prefix = {column: index for index, column in enumerate(needed)}
            positions = tuple(self.position_of(column) for column in needed)
            domain = build.domain_of(base, positions) if needed else build.UNIT
            scope = Scope(self.scope, prefix, lateral=True)
            try:
                relation = type(self)(self.planner, scope, domain).add(item, domain)
            except Correlated as error:
                if error.scope.prefix is not prefix:
                    raise
                needed.append(error.column)
            else:
                return Side(relation, positions, tuple(scope.columns), self._with_tables(scope.tables))

    def _with_tables(self, tables: dict[str, int]) -> dict[str, int]:
        merged = Scope(None, tables=dict(self.scope.tables))
        for name, position in tables.items():
            if name:
                merged.add_table(name, position)
            else:
                merged.tables.setdefault(name, position)
        return merged.tables

    @abstractmethod
    def derived_side(self, item: ast.DerivedTable, base: Relation) -> Side:
        """A derived table, LATERAL or not, over `base`."""

    def position_of(self, column: OuterColumn) -> int:
        """Where a column that an item needs stands: level 1 are the items to its left."""
        level, ordinal = column
        if level == 1:
            return self.scope.columns[ordinal].index
        return self.scope.outer((level - 1, ordinal))

    # --- putting both together ---

    def _combined(
        self, item: ast.JoinedTable, left: Relation, right: Side, kind: JoinKind, start: int
    ) -> Relation:
        if item.using is not None or item.natural:
            self._enter_side(left, right)
            return self._using(item, left, right, kind, start)
        if item.on is None:
            return self.placed(left, right, kind, [])
        nodes = list(subquery_nodes(item.on))
        if nodes and kind is not JoinKind.INNER:
            return self._with_subqueries(item.on, nodes, left, right, kind)
        self._enter_side(left, right)
        if nodes:
            joined = join(left, right.relation, kind, [], right.positions)
            width = 0 if left is build.UNIT else len(left.schema)
            return self._without_copies(self._filtered(item.on, joined), width, right.positions, kind)
        predicates = self._condition(item.on, left, right.relation, {})
        return self._finished(left, right, kind, predicates)

    def _condition(
        self, on: ast.Expression, left: Relation, right: Relation, answers: Mapping[AnswerKey, Typed]
    ) -> list[Scalar]:
        expressions = self._conditions(build.cross(left, right))
        expressions.answers.update(answers)
        expressions.allow_subqueries = bool(answers)
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
            answers[answer_key(node)] = replace(typed, scalar=ColumnRef(place, scalar.type, scalar.nullable))
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
        self._widen(joined)
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
            typed = self.planner.subqueries.value(expressions, node)
        except OtherSide:
            return None
        wide, (index,) = build.append(expressions.relation, (typed.scalar,), ("answer",))
        return wide, typed, index

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
        self._widen(joined)
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

    def _using(
        self, item: ast.JoinedTable, left: Relation, right: Side, kind: JoinKind, start: int
    ) -> Relation:
        columns = self.scope.columns
        before, after = columns[:start], columns[start:]
        names = item.using
        if names is None:
            shared = {c.name for c in after if not c.hidden}
            names = tuple(dict.fromkeys(c.name for c in before if c.name in shared and not c.hidden))
        pairs: list[tuple[ScopeColumn, ScopeColumn]] = []
        predicates: list[Scalar] = []
        for name in names:
            pair = (
                _only(name, before, "left", item.position),
                _only(name, after, "right", item.position),
            )
            pairs.append(pair)
            with at(item.position):
                type_ = common_type([column.type for column in pair], "JOIN/USING")
                first, second = (as_type(_reference(column), type_) for column in pair)
                predicates.append(build.equal(first, second))
        places = [[self.scope.columns.index(column) for column in pair] for pair in pairs]
        joined = self._finished(left, right, kind, predicates)
        merged = [(self.scope.columns[a], self.scope.columns[b]) for a, b in places]
        return self._merge(joined, merged, kind)

    def _merge(
        self, joined: Relation, pairs: Sequence[tuple[ScopeColumn, ScopeColumn]], kind: JoinKind
    ) -> Relation:
        """One visible column per pair, in front of all others."""
        merged: list[ScopeColumn] = []
        hidden: set[int] = set()
        for left, right in pairs:
            kept = right if kind is JoinKind.RIGHT else left
            if left.type == right.type and kind is not JoinKind.FULL:
                merged.append(kept)
                hidden.add(left.index if kept is right else right.index)
                continue
            type_ = common_type([left.type, right.type], "JOIN/USING")
            parts = tuple(as_type(_reference(column), type_) for column in (left, right))
            scalar: Scalar = parts[0] if kept is left else parts[1]
            if kind is JoinKind.FULL:
                scalar = Coalesce(parts, type_)
            joined, (index,) = build.append(joined, (scalar,), (left.name,))
            merged.append(ScopeColumn(None, left.name, type_, scalar.nullable, index))
            hidden.update((left.index, right.index))
        front = {column.index for column in merged}
        rest = [
            replace(column, hidden=column.hidden or column.index in hidden)
            for column in self.scope.columns
            if column.index not in front
        ]
        self.scope.columns = merged + rest
        return joined

    def _widen(self, relation: Relation) -> None:
        """Outer joins make columns nullable."""
        schema = relation.schema
        self.scope.columns = [
            column if column.nullable == schema[column.index].nullable
            else replace(column, nullable=schema[column.index].nullable)
            for column in self.scope.columns
        ]  # fmt: skip


SubqueryNode = ast.Subquery | ast.InQuery | ast.Quantified


def subquery_nodes(node: object) -> Iterator[SubqueryNode]:
    """The outermost subqueries of an expression."""
    if isinstance(node, ast.Subquery | ast.InQuery) or (
        isinstance(node, ast.Quantified) and isinstance(node.right, ast.Query)
    ):
        yield node
    elif isinstance(node, tuple):
        for part in node:
            yield from subquery_nodes(part)
    elif node is not None and not isinstance(node, str | int):
        for slot in getattr(type(node), "__slots__", ()):
            yield from subquery_nodes(getattr(node, slot))


def looks_left(item: ast.FromItem) -> bool:
    """Whether the item may look at columns of the items to its left."""
    if isinstance(item, ast.JoinedTable):
        return looks_left(item.left) or looks_left(item.right)
    return isinstance(item, ast.TableFunction) or (isinstance(item, ast.DerivedTable) and item.lateral)


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
    null_safe = bool(positions)
    left_keys: list[Scalar] = list(build.refs(left, positions))
    right_keys: list[Scalar] = list(build.refs(right, range(len(positions))))
    residual: list[Scalar] = []
    for predicate in predicates:
        if predicate == build.TRUE:
            continue
        pair = key_pair(predicate, width)
        if pair is None:
            residual.append(predicate)
        else:
            left_keys.append(pair[0])
            right_keys.append(pair[1])
            if null_safe and pair[0].nullable and pair[1].nullable:
                residual.append(predicate)  # NULL equals no NULL here
    return Join(left, right, kind, tuple(left_keys), tuple(right_keys), tuple(residual), null_safe)


def _reference(column: ScopeColumn) -> ColumnRef:
    return ColumnRef(column.index, column.type, column.nullable)


def _only(name: str, columns: Sequence[ScopeColumn], side: str, position: int) -> ScopeColumn:
    found = [column for column in columns if column.name == name and not column.hidden]
    if not found:
        raise UndefinedColumn(
            f'column "{name}" specified in USING clause does not exist in {side} table', position=position
        )
    if len(found) > 1:
        raise PtvcError(
            f'common column name "{name}" appears more than once in {side} table',
            sqlstate="42702",
            position=position,
        )
    return found[0]
