"""GROUP BY, HAVING and aggregates: the expressions of a grouped SELECT, over its groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...errors import GroupingError, PtvcError
from ...expr.functions.aggregates import empty_value
from ...expr.tree.relation import Aggregate, Join, JoinKind, Reduce, Relation, TableCall
from ...expr.tree.scalar import Coalesce, ColumnRef, Literal, Scalar, transform
from ..calls.aggregate_call import aggregate_calls, finished, plan_aggregate
from ..calls.split_aggregates import aggregate_parts, whole
from ..calls.table_functions import expand_sets
from ..scalars import build
from ..scalars.equal_keys import keyed
from ..scalars.expressions import RAW, Expressions
from ..scalars.rebuild import parts_of, written
from ..scalars.scope import Scope
from ..syntax import ast
from .grouping_sets import KeySet, grouping_calls, grouping_sets, grouping_value, reduce_by_sets
from .planner import Planner, Prefix, order_position, refuse_constant


@dataclass(frozen=True, slots=True)
class Item:
    """A column of the select list: its expression, or a column that `*` stands for."""

    name: str
    node: ast.Expression | None
    column: ColumnRef | None = None


class GroupingPlanner:
    """The state of one SELECT's planning; the base of SelectPlanner."""

    def __init__(
        self,
        planner: Planner,
        body: ast.SelectBody,
        query: ast.Query,
        parent: Scope | None,
        prefix: Prefix,
        domain: Relation | None,
    ) -> None:
        self.planner = planner
        self.body = body
        self.query = query
        self.parent = parent
        self.prefix = prefix
        self.domain = domain
        self.width = len(prefix)
        self.scope = Scope(parent, prefix)

    def _named_item(self, node: ast.Expression, items: Sequence[Item], clause: str) -> int | None:
        refuse_constant(node, clause)
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

    def _roots(self, items: Sequence[Item], order: Sequence[tuple[ast.SortKey, int | None]]) -> list[object]:
        """Where calls of aggregates and window functions may be, HAVING apart."""
        nodes: list[object] = [item.node for item in items]
        nodes += [key.expression for key, _ in order]
        return [*nodes, self.body.qualify, *self.body.distinct_on]

    def _grouping(
        self,
        expressions: Expressions,
        items: Sequence[Item],
        order: Sequence[tuple[ast.SortKey, int | None]],
    ) -> Expressions | None:
        """Expressions over the groups, or None for a query without grouping."""
        roots = [*self._roots(items, order), self.body.having, self.body.windows]
        calls = [call for root in roots for call in aggregate_calls(root)]
        if not calls and not self.body.group_by and self.body.having is None:
            return None
        keys, sets = self._keys(expressions, items)
        aggregates: list[Aggregate] = []
        places: dict[ast.Function, tuple[Aggregate, list[int]]] = {}
        for call in calls:
            aggregate = plan_aggregate(expressions, call, self.width)
            parts = aggregate_parts(aggregate)
            aggregates += [part for part in parts if part not in aggregates]
            places[call] = aggregate, [aggregates.index(part) for part in parts]
        markers = {
            call: [expressions.scalar(arg) for arg in call.args]
            for root in roots
            for call in grouping_calls(root)
        }
        relation, number = self._reduced(expressions.relation, keys, sets, aggregates)
        grouped = Expressions(self.planner, self.scope, relation, "SELECT")
        base = len(relation.schema) - len(aggregates)
        grouped.aggregates = {
            call: finished(call, whole(aggregate, build.refs(relation, [base + place for place in found])))
            for call, (aggregate, found) in places.items()
        }
        for call, arguments in markers.items():
            grouped.aggregates[call] = grouping_value(call, arguments, keys, sets, number)
        grouped.key_base = self.width
        grouped.keys = tuple(transform(key, self._raw) for key in keys)
        grouped.answers = {
            node: replace(typed, scalar=transform(typed.scalar, self._raw))
            for node, typed in expressions.answers.items()
        }
        grouped.calls = [
            call.changed(lambda scalar: transform(scalar, self._raw)) for call in expressions.calls
        ]
        grouped.drawn_keys = {
            text: transform(key, self._raw) for text, key in self._drawn_keys(expressions, items)
        }
        grouped.made = [self._raw_set(call, value) for call, value in expressions.made]
        return grouped

    def _drawn_keys(self, expressions: Expressions, items: Sequence[Item]) -> list[tuple[object, Scalar]]:
        """Keys that draw are what the select list repeats, or has at their positions: nothing is drawn again."""
        if not expressions.draws:
            return []
        nodes = dict.fromkeys(node for group in grouping_sets(self.body.group_by) for node in group)
        found = []
        for node in nodes:
            key_node, before = self._key_node(node, items), self.planner.draws
            if key_node is not None and any(id(part) in expressions.draws for part in parts_of(key_node)):
                found.append((written(key_node), self._key(expressions, node, items)))
            assert self.planner.draws == before, "a node draws once"
        return found

    def _raw_set(self, call: TableCall, value: Scalar) -> tuple[TableCall, Scalar]:
        args = tuple(transform(arg, self._raw) for arg in call.args)
        return replace(call, args=args), transform(value, self._raw)

    def _raw(self, scalar: Scalar) -> Scalar:
        if isinstance(scalar, ColumnRef) and scalar.index >= self.width:
            return ColumnRef(RAW + scalar.index, scalar.type, scalar.nullable)
        return scalar

    def _keys(self, expressions: Expressions, items: Sequence[Item]) -> tuple[list[Scalar], list[KeySet]]:
        """The keys of all grouping sets, each once, and which of them each set has."""
        keys: list[Scalar] = []
        expressions.clause = "GROUP BY"
        written = grouping_sets(self.body.group_by)
        nodes = dict.fromkeys(node for group in written for node in group)
        expand_sets(expressions, [self._key_node(node, items) for node in nodes])
        places: dict[ast.Expression, int] = {}
        for node in nodes:
            scalar = self._key(expressions, node, items)
            if scalar not in keys:
                keys.append(scalar)
            places[node] = keys.index(scalar)
        sets = [frozenset(places[node] for node in group) for group in written]
        return keys, list(dict.fromkeys(sets)) if self.body.group_distinct else sets

    def _reduced(
        self,
        relation: Relation,
        keys: Sequence[Scalar],
        sets: Sequence[KeySet],
        aggregates: Sequence[Aggregate],
    ) -> tuple[Relation, Scalar | None]:
        """The groups, and the column of their grouping set's number when there are several sets."""
        names = [
            relation.schema[key.index].name if isinstance(key, ColumnRef) else f"key{number + 1}"
            for number, key in enumerate(keys)
        ]
        if len(sets) == 1:
            return self._printed(relation, keys, names, aggregates), None

        def reduce(below: Relation, by: Sequence[Scalar], called: Sequence[str]) -> Relation:
            return self._printed(below, by, called, aggregates)

        reduced = reduce_by_sets(relation, self.width, keys, names, sets, reduce)
        return reduced, build.ref(reduced, self.width + len(keys))

    def _printed(
        self,
        relation: Relation,
        keys: Sequence[Scalar],
        names: Sequence[str],
        aggregates: Sequence[Aggregate],
    ) -> Relation:
        """One row per group: of keys that are equal and print differently the least that is there."""
        by, least = keyed(keys, names)
        reduced = self._reduce(relation, by, names, [*aggregates, *least.values()])
        if not least:
            return reduced
        base = self.width + len(keys)
        places = list(range(base + len(aggregates)))
        for number, place in enumerate(least):
            places[self.width + place] = base + len(aggregates) + number
        return build.project(reduced, places)

    def _key_node(self, node: ast.Expression, items: Sequence[Item]) -> ast.Expression | None:
        """The expression that is grouped by: what a position or an alias stands for."""
        number: int | None = None
        refuse_constant(node, "GROUP BY")
        if isinstance(node, ast.Integer):
            number = order_position(node, len(items), "GROUP BY")
        elif (
            isinstance(node, ast.Name)
            and len(node.parts) == 1
            and self.scope.lookup(None, node.parts[0], node.position) is None
        ):
            number = self._named_item(node, items, "GROUP BY")
        return node if number is None else items[number].node

    def _key(self, expressions: Expressions, node: ast.Expression, items: Sequence[Item]) -> Scalar:
        number: int | None = None
        refuse_constant(node, "GROUP BY")
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

    def _reduce(
        self,
        relation: Relation,
        keys: Sequence[Scalar],
        names: Sequence[str],
        aggregates: Sequence[Aggregate],
    ) -> Relation:
        """By the columns of enclosing queries and the keys; without keys there is a row always."""
        if not self.width:
            return Reduce(relation, tuple(keys), tuple(names), tuple(aggregates), not keys)
        prefix = build.refs(relation, range(self.width))
        prefix_names = relation.schema.names[: self.width]
        reduced = Reduce(relation, (*prefix, *keys), (*prefix_names, *names), tuple(aggregates))
        if keys:
            return reduced
        # An aggregate over nothing is a row too: one for every row of the domain.
        assert self.domain is not None
        left = build.refs(self.domain, range(self.width))
        right = build.refs(reduced, range(self.width))
        joined = Join(self.domain, reduced, JoinKind.LEFT, left, right, null_safe=True)
        scalars: list[Scalar] = []
        for number, aggregate in enumerate(aggregates):
            column = build.ref(joined, 2 * self.width + number)
            empty = empty_value(aggregate.function)
            if empty is not None:
                scalars.append(Coalesce((column, Literal(empty, aggregate.type)), aggregate.type))
            else:
                scalars.append(column)
        result, positions = build.append(joined, scalars, [a.name for a in aggregates])
        return build.project(result, [*range(self.width), *positions])
