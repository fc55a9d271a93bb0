"""SELECT: FROM, WHERE, grouping, DISTINCT, ORDER BY to one relation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ..errors import GroupingError, PtvcError, Unsupported
from ..expr.aggregates import AGGREGATES, resolve_aggregate
from ..expr.relation import (
    Aggregate,
    Distinct,
    Join,
    JoinKind,
    OrderBy,
    Reduce,
    Relation,
    TopK,
)
from ..expr.scalar import Cast, Coalesce, ColumnRef, Literal, Scalar, columns_of, transform
from ..repr.types import INT8
from . import ast, build
from .expressions import RAW, Expressions, Typed, at
from .from_clause import FromPlanner
from .output_names import output_name
from .planner import Output, Planner, Prefix, QueryPlan, RankBound, order_position, union_all
from .rank import MAX_SHOWN_RANK, is_row_number, rank_bounds, rank_limit
from .scope import RankUsed, Scope


@dataclass(frozen=True, slots=True)
class _Item:
    """A column of the select list: its expression, or a column that `*` stands for."""

    name: str
    node: ast.Expression | None
    column: ColumnRef | None = None


class SelectPlanner:
    def __init__(
        self,
        planner: Planner,
        body: ast.SelectBody,
        query: ast.Query,
        parent: Scope | None,
        prefix: Prefix,
        domain: Relation | None,
        bound: RankBound | None,
    ) -> None:
        self.planner = planner
        self.body = body
        self.query = query
        self.parent = parent
        self.prefix = prefix
        self.domain = domain
        self.width = len(prefix)
        self.bound = bound
        self.scope = Scope(parent, prefix)

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
        from_planner = FromPlanner(self.planner, self.scope, bounds)
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

    def _items(self) -> list[_Item]:
        items: list[_Item] = []
        for item in self.body.items:
            node = item.expression
            if isinstance(node, ast.Star):
                for column in self.scope.star(node.qualifier, node.position):
                    if column.rank:
                        raise RankUsed
                    reference = ColumnRef(column.index, column.type, column.nullable)
                    items.append(_Item(column.name, None, reference))
            else:
                items.append(_Item(item.alias or output_name(node), node))
        return items

    def _order_nodes(self, items: Sequence[_Item]) -> list[tuple[ast.SortKey, int | None]]:
        """Sort keys, each with the item that it names, if it names one."""
        return [(key, self._named_item(key.expression, items, "ORDER BY")) for key in self.query.order_by]

    def _named_item(self, node: ast.Expression, items: Sequence[_Item], clause: str) -> int | None:
        if isinstance(node, ast.Integer):
            return order_position(node, len(items), clause)
        if not isinstance(node, ast.Name) or len(node.parts) != 1:
            return None
        found = [number for number, item in enumerate(items) if item.name == node.parts[0]]
        if not found:
            return None
        distinct = {items[number].node or items[number].column for number in found}
        if len(distinct) > 1 and clause == "ORDER BY":
            nodes = [items[number].node for number in found]
            if not all(isinstance(n, ast.Name) and n.parts == nodes[0].parts for n in nodes):  # type: ignore[union-attr]
                raise PtvcError(
                    f'{clause} "{node.parts[0]}" is ambiguous', sqlstate="42702", position=node.position
                )
        return found[0]

    # --- grouping ---

    def _grouping(
        self,
        expressions: Expressions,
        items: Sequence[_Item],
        order: Sequence[tuple[ast.SortKey, int | None]],
    ) -> Expressions | None:
        """Expressions over the groups, or None for a query without grouping."""
        roots: list[object] = [item.node for item in items]
        roots += [key.expression for key, _ in order]
        roots += [self.body.having, self.body.qualify, *self.body.distinct_on]
        calls = [call for root in roots for call in aggregate_calls(root)]
        if not calls and not self.body.group_by and self.body.having is None:
            return None
        keys = self._keys(expressions, items)
        aggregates: list[Aggregate] = []
        places: dict[ast.Function, int] = {}
        for call in calls:
            aggregate = self._aggregate(expressions, call)
            if aggregate not in aggregates:
                aggregates.append(aggregate)
            places[call] = aggregates.index(aggregate)
        relation = self._reduce(expressions.relation, keys, aggregates)
        grouped = Expressions(self.planner, self.scope, relation, "SELECT")
        base = self.width + len(keys)
        grouped.aggregates = {call: build.ref(relation, base + place) for call, place in places.items()}
        grouped.key_base = self.width
        grouped.keys = tuple(transform(key, self._raw) for key in keys)
        return grouped

    def _raw(self, scalar: Scalar) -> Scalar:
        if isinstance(scalar, ColumnRef) and scalar.index >= self.width:
            return ColumnRef(RAW + scalar.index, scalar.type, scalar.nullable)
        return scalar

    def _keys(self, expressions: Expressions, items: Sequence[_Item]) -> list[Scalar]:
        keys: list[Scalar] = []
        expressions.clause = "GROUP BY"
        for node in self.body.group_by:
            for part in node.items if isinstance(node, ast.Row) else (node,):
                scalar = self._key(expressions, part, items)
                if scalar not in keys:
                    keys.append(scalar)
        return keys

    def _key(self, expressions: Expressions, node: ast.Expression, items: Sequence[_Item]) -> Scalar:
        number: int | None = None
        if isinstance(node, ast.Integer):
            number = order_position(node, len(items), "GROUP BY")
        elif (
            isinstance(node, ast.Name)
            and len(node.parts) == 1
            and self.scope.lookup(None, node.parts[0], node.position) is None
        ):
            number = self._named_item(node, items, "GROUP BY")
        if number is None:
            return expressions.scalar(node)
        item = items[number]
        if item.column is not None:
            return item.column
        assert item.node is not None
        for call in aggregate_calls(item.node):
            raise GroupingError("aggregate functions are not allowed in GROUP BY", position=call.position)
        return expressions.scalar(item.node)

    def _aggregate(self, expressions: Expressions, call: ast.Function) -> Aggregate:
        name = call.name[-1]
        if call.order_by:
            raise Unsupported("ORDER BY in an aggregate is not supported yet", position=call.position)
        for part in (*call.args, call.filter):
            for nested in aggregate_calls(part):
                raise GroupingError("aggregate function calls cannot be nested", position=nested.position)
        expressions.clause = "aggregate arguments"
        argument: Scalar | None = None
        with at(call.position):
            if call.star:
                if name != "count":
                    raise PtvcError(
                        f"{name}(*) specified, but {name} is not a function of no arguments", sqlstate="42809"
                    )
                _, result = resolve_aggregate(name, None)
            else:
                if len(call.args) != 1:
                    raise PtvcError(
                        f"function {name} takes one argument, not {len(call.args)}", sqlstate="42883"
                    )
                typed = expressions.resolve(call.args[0])
                argument = self._typed_argument(expressions, name, typed)
                self._own_level(argument, call)
                wanted, result = resolve_aggregate(name, argument.type)
                if wanted is not None and wanted != argument.type:
                    argument = Cast(argument, wanted)
        condition = expressions.predicate(call.filter, "FILTER") if call.filter is not None else None
        distinct = call.distinct and name not in ("min", "max", "bool_and", "bool_or", "every")
        return Aggregate(name, argument, result, name, distinct, condition, name != "count")

    def _typed_argument(self, expressions: Expressions, name: str, typed: Typed) -> Scalar:
        if typed.unknown and name in ("sum", "avg"):
            raise PtvcError(
                f"function {name}(unknown) is not unique",
                sqlstate="42725",
                hint="Could not choose a best candidate function. You might need to add explicit type casts.",
            )
        return expressions.defaulted(typed)

    def _own_level(self, argument: Scalar, call: ast.Function) -> None:
        columns = columns_of(argument)
        if columns and all(index < self.width for index in columns):
            raise Unsupported(
                "aggregates over columns of an outer query are not supported", position=call.position
            )

    def _reduce(
        self, relation: Relation, keys: Sequence[Scalar], aggregates: Sequence[Aggregate]
    ) -> Relation:
        names = [
            relation.schema[key.index].name if isinstance(key, ColumnRef) else f"key{number + 1}"
            for number, key in enumerate(keys)
        ]
        if not self.width:
            return Reduce(relation, tuple(keys), tuple(names), tuple(aggregates), not self.body.group_by)
        prefix = build.refs(relation, range(self.width))
        prefix_names = relation.schema.names[: self.width]
        reduced = Reduce(relation, (*prefix, *keys), (*prefix_names, *names), tuple(aggregates))
        if self.body.group_by:
            return reduced
        # An aggregate over nothing is a row too: one for every row of the domain.
        assert self.domain is not None
        left = build.refs(self.domain, range(self.width))
        right = build.refs(reduced, range(self.width))
        joined = Join(self.domain, reduced, JoinKind.LEFT, left, right, null_safe=True)
        scalars: list[Scalar] = []
        for number, aggregate in enumerate(aggregates):
            column = build.ref(joined, 2 * self.width + number)
            empty = AGGREGATES[aggregate.function].empty
            if empty is not None:
                scalars.append(Coalesce((column, Literal(empty, INT8)), INT8))
            else:
                scalars.append(column)
        result, positions = build.append(joined, scalars, [a.name for a in aggregates])
        return build.project(result, [*range(self.width), *positions])

    # --- the end of it ---

    def _finish(
        self,
        expressions: Expressions,
        items: Sequence[_Item],
        order: Sequence[tuple[ast.SortKey, int | None]],
    ) -> QueryPlan:
        ranked = [n for n, item in enumerate(items) if item.node is not None and is_row_number(item.node)]
        values = [self._value(expressions, item, number in ranked) for number, item in enumerate(items)]
        sort = self._sort_scalars(expressions, order, values)
        on = [expressions.scalar(node) for node in self._distinct_on(items)]
        if ranked:
            return self._ranked(expressions, items, values, sort, ranked[0])
        return self._assemble(expressions.relation, items, values, sort, on)

    def _value(self, expressions: Expressions, item: _Item, ranked: bool) -> Typed:
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

    def _distinct_on(self, items: Sequence[_Item]) -> list[ast.Expression]:
        nodes: list[ast.Expression] = []
        for node in self.body.distinct_on:
            number = self._named_item(node, items, "DISTINCT ON")
            item = items[number].node if number is not None else None
            nodes.append(item if item is not None else node)
        return nodes

    def _assemble(
        self,
        relation: Relation,
        items: Sequence[_Item],
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
        items: Sequence[_Item],
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


def aggregate_calls(node: object) -> Iterator[ast.Function]:
    """Aggregate calls within `node`, outermost only, subqueries left out."""
    if isinstance(node, ast.Query) or node is None or isinstance(node, str | int):
        return
    if isinstance(node, ast.Function) and node.over is None and node.name[-1] in AGGREGATES:
        yield node
        return
    if isinstance(node, tuple):
        for part in node:
            yield from aggregate_calls(part)
        return
    for slot in getattr(type(node), "__slots__", ()):
        yield from aggregate_calls(getattr(node, slot))
