"""SELECT: FROM, WHERE, grouping, DISTINCT, ORDER BY to one relation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..errors import PtvcError, Unsupported
from ..expr.relation import (
    Distinct,
    OrderBy,
    Relation,
    TopK,
)
from ..expr.scalar import ColumnRef, Literal, Scalar
from ..repr.types import INT8
from . import ast, build
from .expressions import Expressions, Typed
from .from_clause import FromPlanner
from .grouping import GroupingPlanner, Item
from .output_names import output_name
from .planner import Output, QueryPlan, RankBound, union_all
from .rank import MAX_SHOWN_RANK, is_row_number, rank_bounds, rank_limit
from .scope import RankUsed, Scope
from .table_functions import expand_sets


class SelectPlanner(GroupingPlanner):
    def plan(self) -> QueryPlan:
        bounds, rest = rank_bounds(self.body, self.planner.environment)
        if not bounds:
            return self._plan(bounds, self.body.where)
        try:
            return self._plan(bounds, rest)
        except RankUsed:
            too_many = [bound for bound in bounds.values() if bound.limit > MAX_SHOWN_RANK]
            if too_many:
                raise Unsupported(
                    f"the value of a row_number() up to {too_many[0].limit} is not supported yet",
                    hint=f"Select it only up to {MAX_SHOWN_RANK}, or leave it out of the select list.",
                ) from None
            self.scope = Scope(self.parent, self.prefix)
            return self._plan({name: replace(b, shown=True) for name, b in bounds.items()}, rest)

    def _plan(self, bounds: dict[str, RankBound], where: ast.Expression | None) -> QueryPlan:
        relation: Relation = self.domain or build.UNIT
        from_planner = FromPlanner(self.planner, self.scope, bounds, relation)
        for item in self.body.from_items:
            relation = from_planner.add(item, relation)
        expressions = Expressions(self.planner, self.scope, relation, "WHERE")
        if where is not None:
            self._where(expressions, where)
        items = self._items()
        order = self._order_nodes(items)
        grouped = self._grouping(expressions, items, order)
        single = total = False
        if grouped is not None:
            single = total = not self.body.group_by
            expressions = grouped
            if self.body.having is not None:
                expressions.clause = "HAVING"
                predicate = expressions.predicate(self.body.having, "HAVING")
                expressions.relation = build.where(expressions.relation, (predicate,))
                total = False
        elif not self.body.from_items:
            single, total = True, where is None
        expressions.clause = "SELECT"
        if self.body.qualify is not None:
            self._qualify(expressions, self.body.qualify)
            total = False
        roots = [item.node for item in items] + [key.expression for key, number in order if number is None]
        if expand_sets(expressions, [*roots, *self.body.distinct_on]):
            single = total = False
        return replace(self._finish(expressions, items, order), single=single, total=total)

    def _where(self, expressions: Expressions, node: ast.Expression) -> None:
        """Conjuncts in order; those that are semi joins become them."""
        plain: list[Scalar] = []
        nodes = node.args if isinstance(node, ast.Logical) and node.word == "and" else (node,)
        flat = [part for n in nodes for part in _flatten(n)]
        later = []
        for part in flat:
            if isinstance(part, ast.Not | ast.Subquery | ast.InQuery):
                later.append(part)
            else:
                plain.append(expressions.predicate(part, "WHERE"))
        expressions.relation = build.where(expressions.relation, plain)
        for part in later:
            if not self.planner.subqueries.condition(expressions, part):
                predicate = expressions.predicate(part, "WHERE")
                expressions.relation = build.where(expressions.relation, (predicate,))

    def _items(self) -> list[Item]:
        items: list[Item] = []
        for item in self.body.items:
            node = item.expression
            if isinstance(node, ast.Star):
                for column in self.scope.star(node.qualifier, node.position):
                    if column.rank:
                        raise RankUsed
                    reference = ColumnRef(column.index, column.type, column.nullable)
                    items.append(Item(column.name, None, reference))
            else:
                items.append(Item(item.alias or output_name(node), node))
        return items

    def _order_nodes(self, items: Sequence[Item]) -> list[tuple[ast.SortKey, int | None]]:
        """Sort keys, each with the item that it names, if it names one."""
        return [(key, self._named_item(key.expression, items, "ORDER BY")) for key in self.query.order_by]

    # --- the end of it ---

    def _finish(
        self,
        expressions: Expressions,
        items: Sequence[Item],
        order: Sequence[tuple[ast.SortKey, int | None]],
    ) -> QueryPlan:
        ranked = [n for n, item in enumerate(items) if item.node is not None and is_row_number(item.node)]
        values = [self._value(expressions, item, number in ranked) for number, item in enumerate(items)]
        sort = self._sort_scalars(expressions, order, values)
        on = [expressions.scalar(node) for node in self._distinct_on(items)]
        if ranked:
            return self._ranked(expressions, items, values, sort, ranked[0])
        return self._assemble(expressions.relation, items, values, sort, on)

    def _value(self, expressions: Expressions, item: Item, ranked: bool) -> Typed:
        if ranked:
            return Typed(Literal(1, INT8))
        if item.node is not None:
            return expressions.resolve(item.node)
        assert item.column is not None
        if expressions.aggregates is None:
            return Typed(item.column)
        name = next(c for c in self.scope.columns if c.index == item.column.index)
        node = ast.Name((name.table, name.name) if name.table else (name.name,), self.body.position)
        return Typed(expressions.ground(self._raw(item.column), node))

    def _sort_scalars(
        self,
        expressions: Expressions,
        order: Sequence[tuple[ast.SortKey, int | None]],
        values: Sequence[Typed],
    ) -> list[tuple[Scalar, bool, bool]]:
        sort = []
        for key, number in order:
            scalar = values[number].scalar if number is not None else expressions.scalar(key.expression)
            sort.append((scalar, key.descending, key.nulls_first))
        return sort

    def _distinct_on(self, items: Sequence[Item]) -> list[ast.Expression]:
        nodes: list[ast.Expression] = []
        for node in self.body.distinct_on:
            number = self._named_item(node, items, "DISTINCT ON")
            item = items[number].node if number is not None else None
            nodes.append(item if item is not None else node)
        return nodes

    def _assemble(
        self,
        relation: Relation,
        items: Sequence[Item],
        values: Sequence[Typed],
        sort: Sequence[tuple[Scalar, bool, bool]],
        on: Sequence[Scalar],
    ) -> QueryPlan:
        scalars = [value.scalar for value in values]
        names = [item.name for item in items]
        if self.body.distinct and any(key[0] not in scalars for key in sort):
            raise PtvcError(
                "for SELECT DISTINCT, ORDER BY expressions must appear in select list",
                sqlstate="42P10",
                position=self.query.order_by[0].expression.position,
            )
        hidden = [key[0] for key in sort if key[0] not in scalars]
        hidden += [scalar for scalar in on if scalar not in scalars and scalar not in hidden]
        everything = [*scalars, *hidden]
        relation, positions = build.append(
            relation, everything, [*names, *(f"sort{i}" for i in range(len(hidden)))]
        )
        prefix_names = relation.schema.names[: self.width]
        all_names = [*prefix_names, *names, *(relation.schema.names[p] for p in positions[len(names) :])]
        relation = build.project(relation, [*range(self.width), *positions], all_names)
        order = tuple(
            OrderBy(self.width + everything.index(scalar), descending, nulls_first)
            for scalar, descending, nulls_first in sort
        )
        if self.body.distinct:
            relation = Distinct(relation)
        if on:
            relation = self._keep_first(relation, [self.width + everything.index(s) for s in on], order)
        outputs = tuple(
            Output(item.name, value.scalar.type, value.scalar.nullable, value.unknown, value.parameter)
            for item, value in zip(items, values, strict=True)
        )
        return QueryPlan(relation, self.width, outputs, order)

    def _keep_first(self, relation: Relation, on: Sequence[int], order: Sequence[OrderBy]) -> Relation:
        leading = {key.index for key in order[: len(set(on))]}
        if order and not leading <= set(on):
            raise PtvcError(
                "SELECT DISTINCT ON expressions must match initial ORDER BY expressions",
                sqlstate="42P10",
                position=self.body.distinct_on[0].position,
            )
        return TopK(relation, (*range(self.width), *on), tuple(order), 1)

    # --- row_number() <= k ---

    def _ranked(
        self,
        expressions: Expressions,
        items: Sequence[Item],
        values: list[Typed],
        sort: Sequence[tuple[Scalar, bool, bool]],
        number: int,
    ) -> QueryPlan:
        node = items[number].node
        assert isinstance(node, ast.Function)
        if self.bound is None or self.bound.name != items[number].name or self.body.distinct:
            raise Unsupported(
                "window functions are not supported yet",
                hint="row_number() OVER (...) <= k in an outer WHERE, or in QUALIFY, is: top k per group.",
                position=node.position,
            )
        relation, group, order = self._partition(expressions, node)
        limit = self.bound.limit
        if not self.bound.shown or limit == 1:
            return self._assemble(TopK(relation, group, order, limit), items, values, sort, ())
        arms = []
        for offset in range(limit):
            ranked = [*values]
            ranked[number] = Typed(Literal(offset + 1, INT8))
            plan = self._assemble(TopK(relation, group, order, 1, offset), items, ranked, (), ())
            arms.append(plan.relation)
        return replace(plan, relation=union_all(arms, arms[0].schema))

    def _partition(
        self, expressions: Expressions, node: ast.Function
    ) -> tuple[Relation, tuple[int, ...], tuple[OrderBy, ...]]:
        assert node.over is not None
        partition = [expressions.scalar(part) for part in node.over.partition_by]
        keys = [expressions.scalar(key.expression) for key in node.over.order_by]
        scalars = [*partition, *keys]
        relation, positions = build.append(
            expressions.relation, scalars, [f"rank{i}" for i in range(len(scalars))]
        )
        group = (*range(self.width), *positions[: len(partition)])
        order = tuple(
            OrderBy(position, key.descending, key.nulls_first)
            for position, key in zip(positions[len(partition) :], node.over.order_by, strict=True)
        )
        return relation, group, order

    def _qualify(self, expressions: Expressions, node: ast.Expression) -> None:
        found = rank_limit(node)
        if found is None or not is_row_number(found[0]):
            raise Unsupported(
                "this QUALIFY is not supported yet",
                hint="QUALIFY row_number() OVER (PARTITION BY ... ORDER BY ...) <= k is.",
                position=node.position,
            )
        call, limit = found
        assert isinstance(call, ast.Function)
        relation, group, order = self._partition(expressions, call)
        expressions.relation = TopK(relation, group, order, limit)


def _flatten(node: ast.Expression) -> Iterator[ast.Expression]:
    if isinstance(node, ast.Logical) and node.word == "and":
        for arg in node.args:
            yield from _flatten(arg)
    else:
        yield node
