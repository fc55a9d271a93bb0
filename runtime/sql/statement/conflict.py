"""ON CONFLICT, resolved: which constraints decide, and what the row that exists becomes."""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import PtvcError, SqlSyntaxError, UndefinedObject
from ...expr.tree.relation import Constant, TopK, Window, WindowCall
from ...expr.tree.scalar import Literal, Scalar
from ...repr.schema import Column, Schema
from ...repr.types import INT8
from ..catalog.catalog_view import CatalogItem
from ..plans.data_plans import OnConflict
from ..query.planner import Output, Planner, QueryPlan
from ..scalars import build
from ..scalars.assignments import assigned_columns, column_index
from ..scalars.expressions import Expressions
from ..scalars.scope import Scope, ScopeColumn
from ..syntax.data_statements import ConflictClause, Target


def plan_conflict(
    planner: Planner,
    node: ConflictClause,
    item: CatalogItem,
    target: Target,
    defaults: Sequence[Scalar],
) -> OnConflict:
    arbiters = _arbiters(node, item)
    if not node.assignments:
        return OnConflict(arbiters)
    if node.columns is None and node.constraint is None:
        raise SqlSyntaxError(
            "ON CONFLICT DO UPDATE requires inference specification or constraint name",
            hint="For example, ON CONFLICT (column_name).",
            position=node.position,
        )
    width = len(item.schema)
    alias = target.alias or item.name.name
    if alias == "excluded":
        raise PtvcError(
            'table name "excluded" specified more than once', sqlstate="42712", position=target.name.position
        )
    scope = Scope(None, tables={alias: target.name.position, "excluded": node.position})
    schema = item.name.schema if target.alias is None else None
    for index, column in enumerate(item.schema):
        scope.columns.append(
            ScopeColumn(alias, column.name, column.type, column.nullable, index, schema=schema)
        )
    for index, column in enumerate(item.schema):
        scope.columns.append(ScopeColumn("excluded", column.name, column.type, True, width + index))
    both = Schema(item.schema.columns + item.schema.columns)
    expressions = Expressions(planner, scope, Constant((), both), "UPDATE")
    expressions.allow_subqueries = False
    new = assigned_columns(expressions, item, node.assignments, defaults)
    relation = expressions.relation
    assignments = tuple(new.get(index, build.ref(relation, index)) for index in range(width))
    where = None if node.where is None else expressions.predicate(node.where, "WHERE")
    return OnConflict(arbiters, assignments, where)


def _arbiters(node: ConflictClause, item: CatalogItem) -> tuple[str, ...]:
    if node.constraint is not None:
        name = node.constraint.parts[-1]
        for constraint in item.constraints:
            if constraint.name == name:
                if not constraint.is_key:
                    raise PtvcError(
                        "constraint in ON CONFLICT clause has no associated index",
                        sqlstate="42809",
                        position=node.constraint.position,
                    )
                return (name,)
        raise UndefinedObject(
            f'constraint "{name}" for table "{item.name.name}" does not exist',
            position=node.constraint.position,
        )
    keys = [constraint for constraint in item.constraints if constraint.is_key]
    if node.columns is not None:
        wanted = {column_index(item, name) for name in node.columns}
        keys = [constraint for constraint in keys if set(constraint.columns) == wanted]
        if not keys:
            raise PtvcError(
                "there is no unique or exclusion constraint matching the ON CONFLICT specification",
                sqlstate="42P10",
                position=node.position,
            )
    return tuple(constraint.name for constraint in keys)


def numbered(plan: QueryPlan) -> QueryPlan:
    """The rows with a last column that gives them their order, of VALUES or of ORDER BY; else it is the same in all."""
    relation = plan.closed()
    if plan.order:
        chosen = plan.relation
        if plan.limit is not None or plan.offset:
            chosen = TopK(chosen, (), plan.order, plan.limit, plan.offset)
        call = WindowCall("row_number", (), INT8, "number", nullable=False)
        relation = build.project(
            Window(chosen, (), plan.order, (call,)), [*range(len(plan.outputs)), len(chosen.schema)]
        )
    elif isinstance(relation, Constant):
        rows = tuple((*row, number) for number, row in enumerate(relation.rows))
        relation = Constant(rows, Schema((*relation.schema.columns, Column("number", INT8, False))))
    else:
        relation, _ = build.append(relation, [Literal(0, INT8)], ["number"])
    return QueryPlan(relation, 0, (*plan.outputs, Output("number", INT8, False)))
