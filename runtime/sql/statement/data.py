"""INSERT, UPDATE, DELETE, TRUNCATE, COPY: relations of whole rows of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pyarrow as pa

from ...errors import PtvcError, SqlSyntaxError, Unsupported
from ...expr.coercion.literals import python_value
from ...expr.coercion.session_zone import read_text
from ...expr.tree.relation import Distinct, Finishing, Get, Join, JoinKind, Relation, TopK
from ...expr.tree.scalar import ColumnRef, Literal, Scalar
from ...repr.schema import NO_ORIGIN, Column, Origin, Schema
from ...repr.types import INT8, PAIR, Kind, ScalarType
from ..catalog.catalog_view import CatalogItem, ItemKind
from ..catalog.names import find, no_relation
from ..parser.query import spelled_out
from ..plans.data_plans import CopyFrom, CopyTo, Delete, Insert, Returning, Truncate, Update
from ..plans.query_plans import Select
from ..query.as_of import plan_as_of
from ..query.from_clause import FromPlanner, relation_of
from ..query.planner import Planner, QueryPlan, literal_plan
from ..scalars import build
from ..scalars.assignments import (
    assigned_columns,
    assignment_cast,
    check_assignable,
    column_defaults,
    listed_columns,
    untyped_literal,
)
from ..scalars.expressions import Expressions
from ..scalars.output_names import output_name
from ..scalars.per_execution import bound, draws
from ..scalars.scope import Scope, ScopeColumn
from ..scalars.typed import Typed, at
from ..scalars.volatile import with_numbers
from ..syntax import ast
from ..syntax.data_statements import (
    CopyStatement,
    DeleteStatement,
    InsertStatement,
    Target,
    TruncateStatement,
    UpdateStatement,
)
from ..syntax.query_statements import SubscribeStatement
from ..syntax.vocabulary import CopyFormat
from .conflict import numbered, plan_conflict
from .connector.copy_destination import copy_destination
from .named_columns import inserting_reads, names_columns
from .subscribe import plan_subscribe


def writable(name: ast.Name, planner: Planner) -> CatalogItem:
    """The table of that name; 42809 for what cannot be written."""
    item = find(name, planner.context)
    if item is None:
        raise no_relation(name, planner.context)
    if item.kind is ItemKind.SYSTEM:
        raise PtvcError(
            f"permission denied for table {item.name.name}", sqlstate="42501", position=name.position
        )
    if item.kind is ItemKind.VIEW:
        raise Unsupported(
            f'cannot change view "{item.name.name}"',
            hint="Only tables can be written.",
            position=name.position,
        )
    if item.kind is not ItemKind.TABLE:
        raise PtvcError(
            f'cannot change {item.kind.value.replace("-", " ")} "{item.name.name}"',
            sqlstate="42809",
            hint="Only tables can be written.",
            position=name.position,
        )
    if item.source is not None:
        raise PtvcError(
            f'cannot change table "{item.name.name}" of a source',
            sqlstate="42809",
            hint="Only its source writes it.",
            position=name.position,
        )
    return item


def finished(planner: Planner, query: ast.Query, as_of: ast.AsOf | None = None) -> Select:
    """A one-off query: its top ORDER BY and LIMIT go to the finishing."""
    plan = planner.root(query)
    count = len(plan.outputs)
    if not count:
        raise Unsupported("a query without columns is not supported", hint="Select a constant.")
    relation = plan.relation
    finishing = Finishing(plan.order, plan.limit, plan.offset, tuple(range(count)))
    if any(output.type == PAIR for output in plan.outputs):
        raise Unsupported("composite values are not supported in results", hint="Select their fields.")
    schema = Schema(tuple(output.column for output in plan.outputs))
    when = plan_as_of(planner, as_of)
    return Select(relation, finishing, schema, when, frozenset(planner.uses))


def insert(planner: Planner, node: InsertStatement) -> Insert:
    item = writable(node.target.name, planner)
    columns = _columns(item, node.columns)
    defaults = column_defaults(item)
    returning = _returning(planner, node.returning, item, node.target)
    conflict = None
    if inserting_reads(node):
        planner.uses.add(item.id)
    if node.conflict is not None:
        conflict = plan_conflict(planner, node.conflict, item, node.target, defaults)
    if node.query is None:
        values = [bound(planner, default, build.int8(0)) for default in defaults]
        relation, _ = build.append(build.UNIT, values, item.schema.names)
        if conflict is not None:
            relation, _ = build.append(relation, [build.int8(0)], ["number"])
        return Insert(
            item.id, relation, returning, conflict, frozenset(planner.uses), numbered=conflict is not None
        )
    targets = [item.schema[index].type for index in columns]
    body = node.query.body
    plain = isinstance(body, ast.ValuesBody) and not (node.query.order_by or node.query.with_tables)
    if plain and isinstance(body, ast.ValuesBody) and node.query.limit is None and node.query.offset is None:
        plan, columns = _insert_values(planner, body, item, columns, node.columns)
        targets = [item.schema[index].type for index in columns]
    else:
        plan = planner.query(node.query)
        columns = _check_width([output.position for output in plan.outputs], columns, node.columns)
        targets = targets[: len(columns)]
    names = [item.schema[i].name for i in columns]
    # Rows that are computed come by their hashes.
    computed = bool(plan.order) or _draws(defaults, columns)
    ordered = conflict is not None or (returning is not None and computed)
    if ordered:
        plan, targets, names = numbered(plan), [*targets, INT8], [*names, "number"]
    relation = _assigned(planner, plan, targets, names, node.target.name.position)
    relation = _spread(planner, relation, columns, item, defaults, numbered=ordered)
    return Insert(item.id, relation, returning, conflict, frozenset(planner.uses), numbered=ordered)


def _insert_values(
    planner: Planner,
    body: ast.ValuesBody,
    item: CatalogItem,
    columns: Sequence[int],
    listed: Sequence[ast.Name] | None,
) -> tuple[QueryPlan, list[int]]:
    positions = [cell.position for cell in body.rows[0]] if body.rows else [body.position] * body.width
    kept = _check_width(positions, columns, listed)
    targets = [item.schema[index].type for index in kept]
    if body.literals is not None:
        plan = literal_plan(body.literals, targets, typed=True)
        if plan is not None:
            return plan, kept
        body = spelled_out(body)
    defaults = column_defaults(item)
    expressions = Expressions(planner, Scope(None), build.UNIT, "VALUES")
    parsed_columns: list[list[Typed]] = []
    for nodes, index in zip(zip(*body.rows, strict=True), kept, strict=True):
        type_ = item.schema[index].type
        cells = [
            Typed(bound(planner, defaults[index], build.int8(0)))
            if isinstance(node, ast.Default)
            else expressions.resolve(node)
            for node in nodes
        ]
        parsed = _parsed(cells, type_)
        if parsed is None:
            parsed = [
                _cell(expressions, typed, type_, item.schema[index].name, node.position)
                for typed, node in zip(cells, nodes, strict=True)
            ]
        parsed_columns.append(parsed)
    rows = list(zip(*parsed_columns, strict=True))
    return planner.values_plan(expressions, rows, 0, body.position, targets), kept


def _cell(expressions: Expressions, typed: Typed, type_: ScalarType, name: str, position: int) -> Typed:
    if typed.unknown:
        with at(position):
            return Typed(untyped_literal(expressions, typed, type_))
    check_assignable(typed.scalar.type, type_, name, position)
    return Typed(assignment_cast(typed.scalar, type_))


def _parsed(cells: Sequence[Typed], type_: ScalarType) -> list[Typed] | None:
    """A column of untyped literals, parsed at once: a seed has ten thousands.  None where that cannot be done."""
    if type_.leaf.length is not None or (type_.kind is Kind.NUMERIC and type_.precision is None):
        return None
    texts: list[str | None] = []
    for cell in cells:
        if not cell.unknown or cell.parameter is not None or not isinstance(cell.scalar, Literal):
            return None
        texts.append(cell.scalar.value)
    result = read_text(pa.array(texts, pa.string()), type_)
    if result.errors is not None:
        return None
    try:
        return [Typed(Literal(python_value(value), type_)) for value in result.values]
    except ValueError:  # a date that Python cannot hold: cell by cell, to say which
        return None


def _check_width(
    expressions: Sequence[int], columns: Sequence[int], listed: Sequence[ast.Name] | None
) -> list[int]:
    """The columns that get a value; `expressions` are where those are written."""
    count = len(expressions)
    if count > len(columns):
        raise SqlSyntaxError(
            "INSERT has more expressions than target columns", position=expressions[len(columns)]
        )
    if count < len(columns) and listed:
        raise SqlSyntaxError(
            "INSERT has more target columns than expressions", position=listed[count].position
        )
    return list(columns[:count])


def _columns(item: CatalogItem, names: Sequence[ast.Name] | None) -> list[int]:
    if names is None:
        return list(range(len(item.schema)))
    return listed_columns(item, names)


def _assigned(
    planner: Planner, plan: QueryPlan, targets: Sequence[ScalarType], names: Sequence[str], position: int
) -> Relation:
    for output, type_, name in zip(plan.outputs, targets, names, strict=True):
        if not output.unknown:
            check_assignable(output.type, type_, name, output.position or position)
    return planner.converted(plan, targets, names, explicit=False)


def _spread(
    planner: Planner,
    relation: Relation,
    columns: Sequence[int],
    item: CatalogItem,
    defaults: Sequence[Scalar],
    numbered: bool,
) -> Relation:
    """Rows of some columns to rows of all; their number, if they have one, stays last."""
    row: Scalar | None = None
    if _draws(defaults, columns):
        relation = with_numbers(relation)
        row = build.ref(relation, len(relation.schema) - 1)
    given: dict[int, Scalar] = {index: build.ref(relation, place) for place, index in enumerate(columns)}
    scalars = [
        given[index] if index in given else bound(planner, defaults[index], row)
        for index in range(len(item.schema))
    ]
    names = list(item.schema.names)
    if numbered:
        scalars.append(build.ref(relation, len(columns)))
        names.append("number")
    relation, positions = build.append(relation, scalars, names)
    return build.project(relation, positions, names)


def _draws(defaults: Sequence[Scalar], columns: Sequence[int]) -> bool:
    """Whether a value is drawn for each row, for a column that is not among those given."""
    return any(draws(default) for index, default in enumerate(defaults) if index not in columns)


def _returning(
    planner: Planner,
    items: Sequence[ast.SelectItem],
    item: CatalogItem,
    target: Target,
    others: Sequence[ast.FromItem] = (),
) -> Returning | None:
    """What RETURNING gives, of the table's columns; those of `others`, of FROM or USING, are refused."""
    if not items:
        return None
    if others:
        _refuse_others(items, target.alias or item.name.name)
    scope = Scope(None)
    _enter(scope, item, target, 0)
    oid = planner.context.catalog.oid(item.id)
    scope.columns = [replace(c, origin=Origin(oid, number)) for number, c in enumerate(scope.columns, 1)]
    expressions = Expressions(planner, scope, Get(item.id, item.schema), "RETURNING")
    expressions.allow_subqueries = False
    scalars: list[Scalar] = []
    columns: list[Column] = []
    for entry in items:
        if isinstance(entry.expression, ast.Star):
            if not entry.expression.is_plain:
                raise Unsupported(
                    "EXCLUDE, REPLACE and RENAME in RETURNING are not supported",
                    hint="Name the columns.",
                    position=entry.expression.position,
                )
            for column in scope.star(entry.expression.qualifier, entry.expression.position):
                scalars.append(ColumnRef(column.index, column.type, column.nullable))
                columns.append(Column(column.name, column.type, column.nullable, origin=column.origin))
            continue
        scalar = expressions.scalar(entry.expression)
        scalars.append(scalar)
        name = entry.alias or output_name(entry.expression)
        node = entry.expression
        origin = scope.origin(node.parts) if isinstance(node, ast.Name) else NO_ORIGIN
        columns.append(Column(name, scalar.type, scalar.nullable, origin=origin))
    return Returning(tuple(scalars), Schema(tuple(columns)))


def _refuse_others(items: Sequence[ast.SelectItem], table: str) -> None:
    for entry in items:
        node = entry.expression
        parts = (
            node.qualifier
            if isinstance(node, ast.Star)
            else node.parts[:-1]
            if isinstance(node, ast.Name)
            else None
        )
        if (parts == () and isinstance(node, ast.Star)) or (parts and parts[-1] != table):
            raise Unsupported(
                "RETURNING of columns of FROM or USING is not supported",
                hint=f"Name columns of {table}.",
                position=node.position,
            )


def _enter(scope: Scope, item: CatalogItem, target: Target, shift: int) -> None:
    alias = target.alias or item.name.name
    scope.add_table(alias, target.name.position)
    for index, column in enumerate(item.schema):
        schema = item.name.schema if target.alias is None else None
        place = shift + index
        scope.columns.append(
            ScopeColumn(alias, column.name, column.type, column.nullable, place, schema=schema)
        )


def matching(
    planner: Planner,
    target: Target,
    item: CatalogItem,
    others: Sequence[ast.FromItem],
    where: ast.Expression | None,
) -> Expressions:
    """The table's rows that WHERE keeps, joined with FROM or USING."""
    scope = Scope(None)
    _enter(scope, item, target, 0)
    relation = relation_of(item)
    for other in others:
        relation = FromPlanner(planner, scope).add(other, relation)
    expressions = Expressions(planner, scope, relation, "WHERE")
    if where is not None:
        parts = where.args if isinstance(where, ast.Logical) and where.word == "and" else (where,)
        for part in parts:
            if not planner.subqueries.condition(expressions, part):
                predicate = expressions.predicate(part, "WHERE")
                expressions.relation = build.where(expressions.relation, (predicate,))
    return expressions


def update(planner: Planner, node: UpdateStatement) -> Update:
    item = writable(node.target.name, planner)
    if names_columns(node.where, node.from_items, node.returning, [value for _, value in node.assignments]):
        planner.uses.add(item.id)
    expressions = matching(planner, node.target, item, node.from_items, node.where)
    expressions.clause = "UPDATE"
    relation = old_and_new(expressions, item, node.assignments)
    if node.from_items:
        relation = _one_match(relation, item)
    returning = _returning(planner, node.returning, item, node.target, node.from_items)
    return Update(item.id, relation, returning, frozenset(planner.uses))


def old_and_new(
    expressions: Expressions, item: CatalogItem, assignments: Sequence[tuple[ast.Name, ast.Expression]]
) -> Relation:
    """The columns of the rows as they are, then all of them with what is assigned."""
    new = assigned_columns(expressions, item, assignments, column_defaults(item))
    count = len(item.schema)
    relation = expressions.relation
    after = [new.get(index, build.ref(relation, index)) for index in range(count)]
    relation, positions = build.append(relation, after, item.schema.names)
    return build.project(relation, [*range(count), *positions], (*item.schema.names, *item.schema.names))


def _one_match(relation: Relation, item: CatalogItem) -> Relation:
    """A row that FROM matches several times is updated once, with the first of its matches in row order.

    PostgreSQL takes any one of them.  Equal rows of the table meet the same matches, so each keeps its own copy:
    the table joins again with the one new row of its value.
    """
    count = len(item.schema)
    first = TopK(relation, tuple(range(count)), (), 1)
    table = relation_of(item)
    left = build.refs(table, range(count))
    right = build.refs(first, range(count))
    joined = Join(table, first, JoinKind.INNER, left, right, null_safe=True)
    names = (*item.schema.names, *item.schema.names)
    return build.project(joined, [*range(count), *range(2 * count, 3 * count)], names)


def delete(planner: Planner, node: DeleteStatement) -> Delete:
    item = writable(node.target.name, planner)
    if names_columns(node.where, node.using, node.returning):
        planner.uses.add(item.id)
    expressions = matching(planner, node.target, item, node.using, node.where)
    count = len(item.schema)
    relation = build.project(expressions.relation, range(count), item.schema.names)
    if node.using:
        table = relation_of(item)
        keys = build.refs(table, range(count))
        matched = Distinct(relation)
        relation = Join(
            table, matched, JoinKind.SEMI, keys, build.refs(matched, range(count)), null_safe=True
        )
    returning = _returning(planner, node.returning, item, node.target, node.using)
    return Delete(item.id, relation, returning, frozenset(planner.uses))


def truncate(planner: Planner, node: TruncateStatement) -> Truncate:
    return Truncate(tuple(writable(name, planner).id for name in node.tables))


def copy(planner: Planner, node: CopyStatement) -> CopyFrom | CopyTo:
    if not node.incoming:
        query = node.query
        if isinstance(query, SubscribeStatement):
            if node.options.format is CopyFormat.PARQUET:
                raise Unsupported(
                    "COPY of a subscription in parquet is not supported",
                    hint="A parquet file is complete when it ends; copy a query, or take another format.",
                )
            if node.place is not None:
                raise Unsupported(
                    "COPY of a subscription to files is not supported",
                    hint="A subscription has no end; CREATE SINK ... INTO FILE writes changes.",
                    position=node.place.position,
                )
            return CopyTo(plan_subscribe(planner, query), node.options)
        if query is None:
            assert node.table is not None
            query = _table_query(node.table, node.columns)
        select = finished(planner, query, node.as_of)
        if node.options.format is CopyFormat.PARQUET:
            _check_distinct_names(select.schema)
        place = node.place
        to = None if place is None else copy_destination(planner, place, node.options)
        return CopyTo(select, node.options, to)
    assert node.table is not None
    item = writable(node.table, planner)
    columns = _columns(item, node.columns)
    defaults = column_defaults(item)
    by_name = node.options.format is CopyFormat.PARQUET and node.columns is None
    missing = {
        index: bound(planner, default, ColumnRef(0, INT8, False))
        for index, default in enumerate(defaults)
        if by_name or index not in columns
    }
    return CopyFrom(item.id, tuple(columns), missing, node.options)


def _check_distinct_names(schema: Schema) -> None:
    """Readers of a parquet file know its columns by their names."""
    names = schema.names
    for index, name in enumerate(names):
        if name in names[:index]:
            raise PtvcError(
                f'column name "{name}" appears more than once',
                sqlstate="42701",
                hint="Columns of a parquet file have different names: give them some with AS.",
            )


def _table_query(table: ast.Name, columns: Sequence[ast.Name] | None) -> ast.Query:
    nodes: Sequence[ast.Expression] = columns if columns is not None else (ast.Star((), table.position),)
    items = tuple(ast.SelectItem(node, None) for node in nodes)
    reference = ast.TableRef(table.parts, None, (), table.position)
    body = ast.SelectBody(items, False, (), (reference,), None, (), None, None, table.position)
    return ast.Query(body, (), (), None, None, 0, 0)
