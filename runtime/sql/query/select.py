"""SELECT: FROM, WHERE, grouping, DISTINCT, ORDER BY to one relation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ...errors import PtvcError, Unsupported
from ...expr.coercion.type_rules import base_name
from ...expr.functions.comparison.comparison_keys import has_keys, sort_key
from ...expr.tree.relation import OrderBy, Relation, TopK
from ...expr.tree.scalar import Scalar
from ...repr.schema import NO_ORIGIN, Origin
from ..calls.aggregate_call import aggregate_calls
from ..calls.table_functions import expand_sets
from ..calls.user_aggregates import written_out
from ..scalars import build, records
from ..scalars.expressions import Expressions
from ..scalars.output_names import output_name
from ..scalars.rebuild import written
from ..scalars.typed import Typed
from ..syntax import ast
from .from_clause import FromPlanner
from .grouping import GroupingPlanner, Item
from .planner import Output, QueryPlan
from .stars import grouped_by_all, star_items
from .windows import WindowPlanner, window_calls

MAX_COLUMNS = 1664
"""Of a select list; PostgreSQL's."""


class SelectPlanner(GroupingPlanner):
    def plan(self) -> QueryPlan:
        relation: Relation = self.domain or build.UNIT
        from_planner = FromPlanner(self.planner, self.scope, relation)
        for item in self.body.from_items:
            relation = from_planner.add(item, relation)
        expressions = Expressions(self.planner, self.scope, relation, "WHERE")
        if self.body.where is not None:
            self._where(expressions, self.body.where)
        self.body, order_by = written_out(expressions, self.body, self.query.order_by)
        self.query = replace(self.query, order_by=order_by)
        items = self._items(expressions)
        if self.body.group_all:
            keys = grouped_by_all(items, _is_of_groups, self.body.position)
            self.body = replace(self.body, group_by=keys)
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
            single, total = True, self.body.where is None
        planner = WindowPlanner(expressions, self.body.windows, self.width)
        expressions.windows = planner.plan(self._roots(items, order))
        if self.body.qualify is not None:
            expressions.aliases = {item.name: item.node for item in items if item.node is not None}
            predicate = expressions.predicate(self.body.qualify, "QUALIFY")
            expressions.relation = build.where(expressions.relation, (predicate,))
            expressions.aliases = {}
            total = False
        expressions.clause = "SELECT"
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

    def _items(self, expressions: Expressions) -> list[Item]:
        items: list[Item] = []
        for item in self.body.items:
            node = item.expression
            if isinstance(node, ast.Star):
                items += star_items(self.scope, node)
            elif isinstance(node, ast.AllFields):
                for name in records.field_names(expressions, node):
                    items.append(Item(name, ast.Field(node.arg, name, node.position)))
            else:
                items.append(Item(item.alias or output_name(node), node))
        if len(items) > MAX_COLUMNS:
            raise PtvcError(
                f"target lists can have at most {MAX_COLUMNS} entries",
                sqlstate="54011",
                position=self.body.position,
            )
        return items

    def _order_nodes(self, items: Sequence[Item]) -> list[tuple[ast.SortKey, int | None]]:
        """Sort keys, each with the item that it names, if it names one."""
        found: list[tuple[ast.SortKey, int | None]] = []
        for key in self.query.order_by:
            if isinstance(key.expression, ast.Star):  # ORDER BY ALL
                found += [(key, number) for number in range(len(items))]
            else:
                found.append((key, self._named_item(key.expression, items, "ORDER BY")))
        return found

    # --- the end of it ---

    def _finish(
        self,
        expressions: Expressions,
        items: Sequence[Item],
        order: Sequence[tuple[ast.SortKey, int | None]],
    ) -> QueryPlan:
        values = [self._value(expressions, item) for item in items]
        sort = self._sort_scalars(expressions, order, items, values)
        on = [sort_key(expressions.scalar(node)) for node in self._distinct_on(items)]
        return self._assemble(expressions.relation, items, values, sort, on)

    def _value(self, expressions: Expressions, item: Item) -> Typed:
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
        items: Sequence[Item],
        values: Sequence[Typed],
    ) -> list[tuple[Scalar, bool, bool]]:
        sort = []
        for key, number in order:
            if number is None and expressions.draws:  # what the select list draws is not drawn again
                text = written(key.expression)
                number = next((n for n, i in enumerate(items) if i.node and written(i.node) == text), None)
            scalar = values[number].scalar if number is not None else expressions.scalar(key.expression)
            if self.body.distinct and has_keys(scalar.type):
                raise Unsupported(
                    f"ORDER BY of {base_name(scalar.type)} in SELECT DISTINCT is not supported",
                    hint="Move DISTINCT to a derived table, and order that.",
                    position=key.expression.position,
                )
            sort.append((sort_key(scalar), key.descending, key.nulls_first))
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
            relation = build.distinct(relation)
        if on:
            relation = self._keep_first(relation, [self.width + everything.index(s) for s in on], order)
        outputs = tuple(
            Output(
                item.name,
                value.scalar.type,
                value.scalar.nullable,
                value.unknown,
                value.parameter,
                self.body.position if item.node is None else item.node.position,
                self._origin(item),
            )
            for item, value in zip(items, values, strict=True)
        )
        return QueryPlan(relation, self.width, outputs, order)

    def _origin(self, item: Item) -> Origin:
        if isinstance(item.node, ast.Name):
            return self.scope.origin(item.node.parts)
        if item.column is None:
            return NO_ORIGIN
        index = item.column.index
        return next((c.origin for c in self.scope.columns if c.index == index), NO_ORIGIN)

    def _keep_first(self, relation: Relation, on: Sequence[int], order: Sequence[OrderBy]) -> Relation:
        leading = {key.index for key in order[: len(set(on))]}
        if order and not leading <= set(on):
            raise PtvcError(
                "SELECT DISTINCT ON expressions must match initial ORDER BY expressions",
                sqlstate="42P10",
                position=self.body.distinct_on[0].position,
            )
        return TopK(relation, (*range(self.width), *on), tuple(order), 1)


def _is_of_groups(node: ast.Expression) -> bool:
    """Whether an aggregate, or a window function, is called in the expression."""
    return any(True for _ in aggregate_calls(node)) or any(True for _ in window_calls(node))


def _flatten(node: ast.Expression) -> Iterator[ast.Expression]:
    if isinstance(node, ast.Logical) and node.word == "and":
        for arg in node.args:
            yield from _flatten(arg)
    else:
        yield node
