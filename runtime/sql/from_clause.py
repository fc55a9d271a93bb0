"""FROM: tables, derived tables and joins to one relation, and their columns to a scope."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..errors import PtvcError, UndefinedColumn, Unsupported
from ..expr.coercion import common_type
from ..expr.relation import Get, Join, JoinKind, Relation
from ..expr.scalar import Coalesce, ColumnRef, Scalar
from ..repr.types import OID
from ..transform.rewrite import as_type, key_pair
from . import ast, build
from .expressions import Expressions, at
from .names import find_relation
from .plans import CatalogItem, ItemKind
from .scope import Correlated, OuterColumn, Scope, ScopeColumn
from .system_relations import ALWAYS_EMPTY, NEVER_FILLED
from .table_functions import table_function

if TYPE_CHECKING:
    from .planner import CommonTableBinding, Planner, QueryPlan, RankBound

_KINDS = {
    "inner": JoinKind.INNER,
    "cross": JoinKind.INNER,
    "left": JoinKind.LEFT,
    "right": JoinKind.RIGHT,
    "full": JoinKind.FULL,
}


class FromPlanner:
    """Adds items to `scope`; every method takes the relation so far and returns the next."""

    def __init__(self, planner: Planner, scope: Scope, bounds: dict[str, RankBound] | None = None) -> None:
        self.planner = planner
        self.scope = scope
        self.bounds = bounds or {}

    def add(self, item: ast.FromItem, base: Relation) -> Relation:
        match item:
            case ast.TableRef():
                return self._table(item, base)
            case ast.DerivedTable():
                return self._derived(item, base)
            case ast.TableFunction():
                return self._function(item, base)
            case ast.JoinedTable():
                if base is build.UNIT:
                    return self._join(item, base)
                return self._standalone(item, base)

    def _standalone(self, item: ast.FromItem, base: Relation) -> Relation:
        """An item that does not look at what stands left of it, then the cross product."""
        apart = Scope(self.scope.parent, {}, tables=dict(self.scope.tables))
        known = len(apart.tables)
        try:
            relation = FromPlanner(self.planner, apart, self.bounds).add(item, build.UNIT)
        except Correlated as error:
            if error.scope.prefix is not apart.prefix or not isinstance(item, ast.JoinedTable):
                raise
            return self._join(item, base)
        shift = 0 if base is build.UNIT else len(base.schema)
        assert len(apart.tables) >= known
        self.scope.tables = apart.tables
        self.scope.columns.extend(replace(c, index=c.index + shift) for c in apart.columns)
        return build.cross(base, relation)

    # --- tables ---

    def _table(self, item: ast.TableRef, base: Relation) -> Relation:
        binding = self.planner.environment.get(item.name[0]) if len(item.name) == 1 else None
        alias = item.alias or item.name[-1]
        if binding is not None:
            plan = self._common_table(binding, self.bounds.get(alias))
            columns = item.columns or binding.table.columns
            return self._place(
                plan.closed(), plan, alias, columns, base, item.position, self.bounds.get(alias)
            )
        found = find_relation(ast.Name(item.name, item.position), self.planner.context)
        self.planner.uses.add(found.id)
        self.scope.add_table(alias, item.position)
        relation = relation_of(found)
        names = _renamed(found.schema.names, item.columns, alias, item.position)
        shift = 0 if base is build.UNIT else len(base.schema)
        for index, (column, name) in enumerate(zip(found.schema, names, strict=True)):
            absent = found.kind is ItemKind.SYSTEM and column.name in NEVER_FILLED
            self.scope.columns.append(
                ScopeColumn(alias, name, column.type, column.nullable, shift + index, absent=absent)
            )
        if found.kind is ItemKind.SYSTEM:
            hidden = ScopeColumn(alias, "tableoid", OID, True, shift, hidden=True, absent=True)
            self.scope.columns.append(hidden)
        return build.cross(base, relation)

    def _function(self, item: ast.TableFunction, base: Relation) -> Relation:
        """A table function of constants; its one column is named after its alias."""
        name = item.function.name[-1]
        alias = item.alias or name
        expressions = Expressions(self.planner, self.scope, base, "FROM")
        expressions.allow_subqueries = False
        relation = table_function(expressions, item.function)
        (column,) = relation.schema
        (label,) = _renamed([alias], item.columns, alias, item.position)
        self.scope.add_table(alias, item.position)
        shift = 0 if base is build.UNIT else len(base.schema)
        self.scope.columns.append(ScopeColumn(alias, label, column.type, column.nullable, shift))
        return build.cross(base, relation)

    def _common_table(self, binding: CommonTableBinding, bound: RankBound | None) -> QueryPlan:
        if binding.plan is not None and bound is None:
            return binding.plan
        saved, self.planner.environment = self.planner.environment, binding.environment
        try:
            plan = self.planner.query(binding.table.query, binding.parent, None, None, bound)
        finally:
            self.planner.environment = saved
        if bound is None:
            binding.plan = plan
        return plan

    def _derived(self, item: ast.DerivedTable, base: Relation) -> Relation:
        scope = self.scope
        bound = self.bounds.get(item.alias or "")

        def of_siblings(column: OuterColumn) -> int:
            level, ordinal = column
            return scope.columns[ordinal].index if level == 1 else scope.outer((level - 1, ordinal))

        parent = scope if item.lateral else scope.parent
        position_of = of_siblings if item.lateral else scope.outer
        plan, positions = self.planner.subqueries.correlated(item.query, parent, base, position_of, bound)
        relation = plan.closed()
        if not positions:
            return self._place(relation, plan, item.alias, item.columns, base, item.position, bound)
        width = len(base.schema)
        joined = Join(
            base,
            relation,
            JoinKind.INNER,
            build.refs(base, positions),
            build.refs(relation, range(plan.width)),
            null_safe=True,
        )
        kept = [*range(width), *range(width + plan.width, width + len(relation.schema))]
        self._enter(plan, item.alias, item.columns, width, item.position, bound)
        return build.project(joined, kept)

    def _place(
        self,
        relation: Relation,
        plan: QueryPlan,
        alias: str | None,
        columns: Sequence[str],
        base: Relation,
        position: int,
        bound: RankBound | None,
    ) -> Relation:
        shift = 0 if base is build.UNIT else len(base.schema)
        self._enter(plan, alias, columns, shift, position, bound)
        return build.cross(base, relation)

    def _enter(
        self,
        plan: QueryPlan,
        alias: str | None,
        columns: Sequence[str],
        shift: int,
        position: int,
        bound: RankBound | None,
    ) -> None:
        if alias is not None:
            self.scope.add_table(alias, position)
        else:
            self.scope.tables.setdefault("", position)
        names = _renamed([output.name for output in plan.outputs], columns, alias or "subquery", position)
        for index, (output, name) in enumerate(zip(plan.outputs, names, strict=True)):
            rank = bound is not None and not bound.shown and bound.limit != 1 and output.name == bound.name
            self.scope.columns.append(
                ScopeColumn(alias, name, output.type, output.nullable, shift + index, rank=rank)
            )

    # --- joins ---

    def _join(self, item: ast.JoinedTable, base: Relation) -> Relation:
        kind = _KINDS[item.kind]
        if base is not build.UNIT and kind in (JoinKind.RIGHT, JoinKind.FULL):
            raise Unsupported(
                f"{item.kind.upper()} JOIN with a condition on an outer query is not supported",
                position=item.position,
            )
        relation = self.add(item.left, base)
        start, width = len(self.scope.columns), len(relation.schema)
        if isinstance(item.right, ast.DerivedTable) and item.right.lateral:
            return self._lateral(item, relation, kind)
        right_scope = Scope(self.scope.parent, {}, tables=dict(self.scope.tables))
        right = FromPlanner(self.planner, right_scope, self.bounds).add(item.right, build.UNIT)
        self.scope.tables = right_scope.tables
        self.scope.columns.extend(replace(c, index=c.index + width) for c in right_scope.columns)
        if item.using is not None or item.natural:
            return self._using(item, relation, right, kind, start)
        predicates: list[Scalar] = []
        if item.on is not None:
            predicates = self._condition(item.on, relation, right, kind)
        joined = join(relation, right, kind, predicates)
        self._widen(joined)
        return joined

    def _condition(self, on: ast.Expression, left: Relation, right: Relation, kind: JoinKind) -> list[Scalar]:
        expressions = Expressions(self.planner, self.scope, build.cross(left, right), "JOIN conditions")
        expressions.allow_subqueries = False
        return build.conjuncts(expressions.predicate(on, "JOIN/ON"))

    def _lateral(self, item: ast.JoinedTable, base: Relation, kind: JoinKind) -> Relation:
        assert isinstance(item.right, ast.DerivedTable)
        if kind is not JoinKind.INNER or item.using is not None or item.natural:
            raise Unsupported("outer joins of LATERAL are not supported yet", position=item.position)
        relation = self._derived(item.right, base)
        if item.on is None:
            return relation
        expressions = Expressions(self.planner, self.scope, relation, "JOIN conditions")
        expressions.allow_subqueries = False
        return build.where(relation, (expressions.predicate(item.on, "JOIN/ON"),))

    def _using(
        self, item: ast.JoinedTable, left: Relation, right: Relation, kind: JoinKind, start: int
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
        joined = join(left, right, kind, predicates)
        self._widen(joined)
        return self._merge(joined, [(self._now(a), self._now(b)) for a, b in pairs], kind)

    def _now(self, column: ScopeColumn) -> ScopeColumn:
        return next(c for c in self.scope.columns if c.index == column.index)

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


def relation_of(item: CatalogItem) -> Relation:
    """What reading the object means: a view's definition, or its contents."""
    if item.definition is not None:
        return item.definition
    if f"{item.name.schema}.{item.name.name}" in ALWAYS_EMPTY:
        return build.constant((), [(c.name, c.type) for c in item.schema])
    return Get(item.id, item.schema)


def join(left: Relation, right: Relation, kind: JoinKind, predicates: Sequence[Scalar]) -> Relation:
    """A join on predicates over both sides; equalities of the two sides become its keys."""
    if left is build.UNIT and kind is JoinKind.INNER:
        return build.where(right, predicates)
    width = len(left.schema)
    left_keys: list[Scalar] = []
    right_keys: list[Scalar] = []
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
    return Join(left, right, kind, tuple(left_keys), tuple(right_keys), tuple(residual))


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


def _renamed(names: Sequence[str], columns: Sequence[str], alias: str, position: int) -> list[str]:
    if len(columns) > len(names):
        raise PtvcError(
            f'table "{alias}" has {len(names)} columns available but {len(columns)} columns specified',
            sqlstate="42P10",
            position=position,
        )
    return [*columns, *names[len(columns) :]]
