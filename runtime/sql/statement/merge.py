"""MERGE: one join of target and source, and for each of its rows what the first WHEN that holds makes of it."""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import SqlSyntaxError, Unsupported
from ...expr.tree.relation import Filter, Relation
from ...expr.tree.scalar import ColumnRef, Literal, Scalar
from ...repr.types import INT4
from ..catalog.catalog_view import CatalogItem
from ..plans.data_plans import MERGE_DELETE, MERGE_INSERT, MERGE_UPDATE, Merge
from ..query.from_clause import FromPlanner
from ..query.planner import Planner
from ..scalars import build
from ..scalars.assignments import assigned, assigned_columns, column_defaults, listed_columns
from ..scalars.expressions import Expressions
from ..scalars.scope import Scope
from ..scalars.volatile import default_value
from ..syntax import ast
from ..syntax.data_statements import MergeAction, MergeClause, MergeStatement

_THERE = "?there"
"""The column that says whether a side of the join has a row; no other can have its name."""

_KINDS = {(False, False): "inner", (True, False): "left", (False, True): "right", (True, True): "full"}
_CODES = {
    MergeAction.INSERT: MERGE_INSERT,
    MergeAction.UPDATE: MERGE_UPDATE,
    MergeAction.DELETE: MERGE_DELETE,
}


def merge(planner: Planner, node: MergeStatement, item: CatalogItem) -> Merge:
    planner.uses.add(item.id)
    _check_reachable(node.clauses)
    alias = node.target.alias or item.name.name
    target = ast.TableRef(node.target.name.parts, alias, (), node.target.name.position)
    source = _marked(node.source, _alias(node.source))
    left = any(clause.target and not clause.source for clause in node.clauses)
    right = any(clause.source and not clause.target for clause in node.clauses)
    kind = _KINDS[left, right]
    joined = ast.JoinedTable(kind, _marked(target, alias), source, node.on, None, False, node.position)
    scope = Scope(None)
    relation = FromPlanner(planner, scope).add(joined, build.UNIT)
    relation = _actions(planner, node, item, scope, alias, relation)
    actions = frozenset(_CODES[clause.action] for clause in node.clauses if clause.action in _CODES)
    return Merge(item.id, relation, actions, frozenset(planner.uses))


def _actions(
    planner: Planner,
    node: MergeStatement,
    item: CatalogItem,
    scope: Scope,
    alias: str,
    relation: Relation,
) -> Relation:
    """Rows (action, old row, new row) of the join's rows that a WHEN changes."""
    there = {
        column.table == alias: build.is_not_null(ColumnRef(column.index, column.type, True))
        for column in scope.columns
        if column.name == _THERE
    }
    sides = {
        True: _only(scope, [c for c in scope.tables if c == alias]),
        False: _only(scope, [c for c in scope.tables if c != alias]),
    }
    branches: list[tuple[Scalar, Scalar]] = []
    new: list[dict[int, Scalar]] = []
    for number, clause in enumerate(node.clauses):
        seen = scope if clause.target and clause.source else sides[clause.target]
        expressions = Expressions(planner, seen, relation, "MERGE WHEN")
        expressions.allow_subqueries = False
        parts = [there[True] if clause.target else build.negate(there[True])]
        parts.append(there[False] if clause.source else build.negate(there[False]))
        if clause.condition is not None:
            parts.append(expressions.predicate(clause.condition, "WHEN"))
        branches.append((build.conjunction(parts), build.int4(number)))
        new.append(_new_values(expressions, item, clause))
    which = build.when(branches, Literal(None, INT4), INT4)
    width = len(item.schema)
    old = [c for c in scope.columns if c.table == alias and c.name != _THERE]
    relation, (position,) = build.append(relation, [which], ["which"])
    number_of = ColumnRef(position, INT4, True)
    codes = [
        (build.equal(number_of, build.int4(i)), build.int4(_CODES[clause.action]))
        for i, clause in enumerate(node.clauses)
        if clause.action in _CODES
    ]
    if not codes:
        codes = [(build.FALSE, build.int4(0))]
    action = build.when(codes, Literal(None, INT4), INT4)
    relation = Filter(relation, (build.is_not_null(action),))
    scalars: list[Scalar] = [action]
    for index, column in enumerate(item.schema):
        results = [
            (build.equal(number_of, build.int4(i)), values[index])
            for i, values in enumerate(new)
            if index in values
        ]
        kept = ColumnRef(old[index].index, column.type, True)
        scalars.append(build.when(results, kept, column.type) if results else kept)
    names = ["action", *item.schema.names]
    relation, positions = build.append(relation, scalars, names)
    order = [positions[0], *(column.index for column in old), *positions[1 : width + 1]]
    return build.project(relation, order, [names[0], *item.schema.names, *item.schema.names])


def _new_values(expressions: Expressions, item: CatalogItem, clause: MergeClause) -> dict[int, Scalar]:
    """What differs from the target's row, by position; an INSERT gives every column."""
    defaults = column_defaults(item)
    if clause.action is MergeAction.UPDATE:
        return assigned_columns(expressions, item, clause.assignments, defaults)
    if clause.action is not MergeAction.INSERT:
        return {}
    columns = range(len(item.schema))
    if clause.columns is not None:
        columns = listed_columns(item, clause.columns)  # type: ignore[assignment]
    given = clause.values or ()
    if len(given) > len(columns):
        raise SqlSyntaxError("INSERT has more expressions than target columns", position=given[0].position)
    values = {
        index: assigned(expressions, value, item, index, defaults)
        for index, value in zip(columns, given, strict=False)
    }
    for index, default in enumerate(defaults):
        if index not in values:
            values[index] = default_value(expressions, default, item.schema[index].name, clause.position)
    return values


def _marked(item: ast.FromItem, alias: str) -> ast.DerivedTable:
    """The item with a column that is TRUE in each of its rows."""
    position = item.position
    items = (
        ast.SelectItem(ast.Star((), position), None),
        ast.SelectItem(ast.Boolean(True, position), _THERE),
    )
    body = ast.SelectBody(items, False, (), (item,), None, (), None, None, position)
    return ast.DerivedTable(ast.Query(body, (), (), None, None, 0, 0), alias, (), False, position)


def _alias(source: ast.FromItem) -> str:
    match source:
        case ast.TableRef(alias=alias, name=name):
            return alias or name[-1]
        case ast.DerivedTable(alias=str(alias)):
            return alias
        case ast.TableFunction(alias=alias, functions=functions):
            return alias or functions[0].name[-1]
        case _:
            raise Unsupported(
                "this source of MERGE is not supported",
                hint="Write it as a subquery with a name: USING (SELECT ...) AS s.",
                position=source.position,
            )


def _only(scope: Scope, tables: Sequence[str]) -> Scope:
    """What a WHEN sees that has a row on one side only."""
    columns = [column for column in scope.columns if column.table in tables]
    return Scope(None, columns=columns, tables={name: scope.tables[name] for name in tables})


def _check_reachable(clauses: Sequence[MergeClause]) -> None:
    final: set[tuple[bool, bool]] = set()
    for clause in clauses:
        if (clause.target, clause.source) in final:
            raise SqlSyntaxError(
                "unreachable WHEN clause specified after unconditional WHEN clause", position=clause.position
            )
        if clause.condition is None:
            final.add((clause.target, clause.source))
