"""JOIN: two items of FROM to one relation.

The right side is planned by itself where it can be.  It cannot when it looks at the left side (LATERAL, table functions):
then it is planned over the distinct values that it needs of the left side's rows, and joined on these; nor when it
looks at an enclosing query's row: then both sides are planned over the domain of the query that they belong to.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace

from ...errors import PtvcError, UndefinedColumn, UndefinedTable, Unsupported
from ...expr.coercion.type_rules import common_type
from ...expr.tree.relation import JoinKind, Relation
from ...expr.tree.scalar import Coalesce, ColumnRef, Scalar
from ...transform.rewrite import as_type
from ..scalars import build
from ..scalars.equal_keys import holds_intervals
from ..scalars.scope import Correlated, OuterColumn, Scope, ScopeColumn
from ..scalars.typed import at
from ..syntax import ast
from .join_condition import JoinConditions, Side, join, subquery_nodes

_KINDS = {
    "inner": JoinKind.INNER,
    "cross": JoinKind.INNER,
    "left": JoinKind.LEFT,
    "right": JoinKind.RIGHT,
    "full": JoinKind.FULL,
}


class JoinPlanner(JoinConditions, ABC):
    """Plans both sides of joins."""

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
            domain = self.planner.subqueries.domains.of(base, positions) if needed else build.UNIT
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
            own = self.scope.columns[ordinal]
            if holds_intervals(own.type):
                raise Unsupported(
                    f'column "{own.name}" of type {own.type} cannot be used in a LATERAL item',
                    hint="Compute what depends on it in a derived table to its left, or use its text.",
                )
            return own.index
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
            for column in pair:
                column.use()
            with at(item.position):
                predicates.append(build.equal(_reference(pair[0]), _reference(pair[1])))
        places = [[self.scope.columns.index(column) for column in pair] for pair in pairs]
        joined = self._finished(left, right, kind, predicates)
        merged = [(self.scope.columns[a], self.scope.columns[b]) for a, b in places]
        joined = self._merge(joined, merged, kind)
        if item.using_alias is not None:
            self.scope.add_table(item.using_alias, item.position)
            self.scope.columns += [
                replace(column, table=item.using_alias, schema=None, hidden=True)
                for column in self.scope.columns[: len(pairs)]
            ]
        return joined

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
        rest = [
            replace(column, hidden=column.hidden or column.index in hidden)
            for column in self.scope.columns
            if column not in merged
        ]
        self.scope.columns = merged + rest
        return joined


def looks_left(item: ast.FromItem) -> bool:
    """Whether the item may look at columns of the items to its left."""
    if isinstance(item, ast.JoinedTable):
        return looks_left(item.left) or looks_left(item.right)
    return isinstance(item, ast.TableFunction) or (isinstance(item, ast.DerivedTable) and item.lateral)


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
