"""CREATE, DROP, ALTER, COMMENT."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ...config import MOST_WORKERS
from ...errors import InvalidParameter, PtvcError, SqlSyntaxError, UndefinedColumn, Unsupported
from ...expr.coercion.type_rules import CastContext, base_name, can_cast
from ...expr.digits import whole
from ...expr.functions.comparison.assertions import assert_not_null
from ...expr.temporal import check_temporal
from ...expr.tree.relation import Map, Project, Relation
from ...expr.tree.scalar import Cast, ColumnRef, Scalar, remap
from ...repr.schema import Column, Schema
from ...repr.types import Kind
from ...transform.pipeline import optimize
from ..catalog.catalog_view import ItemKind, QualifiedName
from ..catalog.names import check_cluster, find_relation, new_name
from ..plans import definition_plans, session_plans
from ..query.from_clause import relation_of
from ..query.planner import Planner, QueryPlan
from ..scalars import build
from ..scalars.assignments import untyped_literal
from ..scalars.expressions import Expressions
from ..scalars.per_execution import read_view
from ..scalars.scope import Scope, ScopeColumn
from ..scalars.typed import at
from ..scalars.zone import fold
from ..syntax import ast
from ..syntax.definition_statements import (
    AlterClusterStatement,
    ColumnDefinition,
    CreateClusterStatement,
    CreateIndexStatement,
    CreateMaterializedViewStatement,
    CreateTableStatement,
    CreateViewStatement,
    Option,
)
from ..syntax.vocabulary import ObjectKind
from .data import finished
from .rename_in_text import without_parentheses
from .replacement import replaced
from .skipping import is_skipped, not_altered
from .table_constraints import plan_constraints

_CLUSTER_OPTIONS = {
    "size": 1,
    "job_min_rows": 0,
    "replication_factor": 1,
    "memory_limit": 0,
    "workers": 1,
    "workers_per_machine": 1,
}
"""With the least value of each."""

_MEMORY_UNITS = {"": 1 << 20, "B": 1, "kB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30, "TB": 1 << 40}
"""PostgreSQL's; a number without unit is in MB, as in the environment's setting."""


MAX_COLUMNS = 1600
"""PostgreSQL's."""


def create_table(planner: Planner, node: CreateTableStatement) -> definition_plans.CreateTable:
    name = new_name(node.name, planner.context, temporary=node.temporary)
    if node.query is not None:
        query = finished(planner, node.query)
        refuse_pseudo_types(query.schema, node.name.position)
        if vector := next((column for column in query.schema if column.type.is_vector), None):
            raise Unsupported(
                f'column "{vector.name}" of type {vector.type} is not supported',
                hint=f"Cast it to {vector.type.element}[].",
                position=node.name.position,
            )
        names = _column_names(query.schema.names, node.column_names, node.name)
        columns = tuple(replace(c, name=n, nullable=True) for c, n in zip(query.schema, names, strict=True))
        schema = Schema(columns)
        if not node.with_data:
            query = replace(query, finishing=replace(query.finishing, limit=0))
        nothing = (None,) * len(schema)
        return definition_plans.CreateTable(
            name,
            schema,
            nothing,
            node.if_not_exists,
            node.temporary,
            query,
            retain_history_ms=node.retain_history_ms,
            drop_on_commit=node.drop_on_commit,
        )
    refuse_repeated([column.name for column in node.columns], node.name)
    schema = columns_schema(planner, node.columns)
    defaults = tuple(
        column_default(planner, c.default, c.position, s) for c, s in zip(node.columns, schema, strict=True)
    )
    schema, constraints = plan_constraints(planner, name, schema, node.constraints)
    return definition_plans.CreateTable(
        name,
        schema,
        defaults,
        node.if_not_exists,
        node.temporary,
        constraints=constraints,
        retain_history_ms=node.retain_history_ms,
        drop_on_commit=node.drop_on_commit,
    )


def columns_schema(planner: Planner, columns: Sequence[ColumnDefinition]) -> Schema:
    return Schema(tuple(Column(c.name, planner.type(c.type), not c.not_null) for c in columns))


def column_default(
    planner: Planner, node: ast.Expression | None, position: int, column: Column
) -> Scalar | None:
    """The value that DEFAULT gives the column."""
    if node is None:
        return None
    expressions = Expressions(planner, Scope(None), build.UNIT, "DEFAULT expressions")
    expressions.allow_subqueries = False
    planner.maintained, planner.open, planner.defining = True, True, "a DEFAULT"
    with at(position):
        try:
            typed = expressions.resolve(node)
        except UndefinedColumn as error:
            raise Unsupported("cannot use column reference in DEFAULT expression") from error
        if not typed.unknown and not can_cast(typed.scalar.type, column.type, CastContext.ASSIGNMENT):
            raise PtvcError(
                f'column "{column.name}" is of type {base_name(column.type)} but default expression is of type '
                f"{base_name(typed.scalar.type)}",
                sqlstate="42804",
                hint="You will need to rewrite or cast the expression.",
            )
        if typed.unknown:
            return fold(untyped_literal(expressions, typed, column.type))
        if typed.scalar.type == column.type:
            return fold(typed.scalar)
        return fold(Cast(typed.scalar, column.type, explicit=False))


def refuse_repeated(names: Sequence[str], node: ast.Name) -> None:
    if len(names) > MAX_COLUMNS:
        raise PtvcError(
            f"tables can have at most {MAX_COLUMNS} columns", sqlstate="54011", position=node.position
        )
    seen: set[str] = set()
    for name in names:
        if name not in seen:
            seen.add(name)
        else:
            raise PtvcError(
                f'column "{name}" specified more than once', sqlstate="42701", position=node.position
            )


def _column_names(found: Sequence[str], given: Sequence[str], node: ast.Name) -> list[str]:
    if len(given) > len(found):
        raise SqlSyntaxError("too many column names were specified", position=node.position)
    names = [*given, *found[len(given) :]]
    refuse_repeated(names, node)
    return names


def _body(
    planner: Planner, query: ast.Query, columns: Sequence[str], node: ast.Name
) -> tuple[Relation, Schema]:
    planner.maintained = True
    plan: QueryPlan = planner.root(query)
    if planner.parameter_count:
        raise PtvcError("there is no parameter $1: views take none", sqlstate="42P02", position=node.position)
    names = _column_names([output.name for output in plan.outputs], columns, node)
    relation = plan.closed()
    relation = build.project(relation, range(len(names)), names)
    refuse_pseudo_types(relation.schema, node.position)
    return relation, relation.schema


def _check_maintained(relation: Relation) -> None:
    check_temporal(relation)
    check_temporal(optimize(relation))  # a rule may have made a bound on the time the condition of a join


def refuse_pseudo_types(schema: Schema, position: int) -> None:
    """42P16 for columns of a relation that are records, or hold some."""
    for column in schema:
        if column.type.leaf.kind is Kind.RECORD:
            raise PtvcError(
                f'column "{column.name}" has pseudo-type {column.type}',
                sqlstate="42P16",
                hint="Select its fields, or cast it to text.",
                position=position,
            )


def create_view(planner: Planner, node: CreateViewStatement, text: str) -> definition_plans.CreateView:
    name = new_name(node.name, planner.context, temporary=node.temporary)
    planner.open, planner.defining = True, "a view"
    relation, schema = _body(planner, node.query, node.columns, node.name)
    sql = text[node.query.start : node.query.end]
    uses = frozenset(planner.uses)
    return definition_plans.CreateView(
        name,
        relation,
        schema,
        sql,
        node.or_replace,
        node.if_not_exists,
        node.temporary,
        uses,
        frozenset(planner.columns),
        bool(node.columns),
    )


def create_materialized_view(
    planner: Planner, node: CreateMaterializedViewStatement, text: str
) -> definition_plans.CreateMaterializedView:
    name = new_name(node.name, planner.context)
    cluster = check_cluster(node.cluster, planner.context)
    relation, schema = _body(planner, node.query, node.columns, node.name)
    _check_maintained(relation)
    _no_system_relations(planner, node.name)
    not_null = []
    for column in node.assert_not_null:
        if column.parts[-1] not in schema.names:
            raise PtvcError(
                f'column "{column.parts[-1]}" does not exist', sqlstate="42703", position=column.position
            )
        not_null.append(schema.names.index(column.parts[-1]))
    if not_null:
        relation = _assert_not_null(relation, not_null)
        schema = relation.schema
    sql = text[node.query.start : node.query.end]
    return definition_plans.CreateMaterializedView(
        name,
        relation,
        schema,
        sql,
        cluster,
        node.or_replace,
        node.if_not_exists,
        frozenset(planner.uses),
        node.retain_history_ms,
        tuple(not_null),
        frozenset(planner.columns),
        bool(node.columns),
        None if node.replaces is None else replaced(planner, node.replaces, schema),
    )


def _assert_not_null(relation: Relation, columns: list[int]) -> Relation:
    """The relation, in error while one of the columns holds a NULL."""
    schema = relation.schema
    checked = tuple(
        assert_not_null(ColumnRef(i, schema[i].type, schema[i].nullable), schema[i].name) for i in columns
    )
    width = len(schema)
    mapped = Map(relation, checked, tuple(schema[i].name for i in columns))
    places = [width + columns.index(i) if i in columns else i for i in range(width)]
    return Project(mapped, tuple(places), schema.names)


def _no_system_relations(planner: Planner, node: ast.Name) -> None:
    for id_ in planner.uses:
        item = planner.context.catalog.item_by_id(id_)
        if item.kind is ItemKind.SYSTEM:
            raise Unsupported(
                f"a maintained view over system relation {item.name} is not supported yet",
                hint="Query it directly, or use CREATE VIEW.",
                position=node.position,
            )


def create_index(planner: Planner, node: CreateIndexStatement) -> definition_plans.CreateIndex:
    item = find_relation(node.on, planner.context)
    if item.kind is ItemKind.SYSTEM:
        raise PtvcError(
            f'permission denied: "{item.name.name}" is a system catalog',
            sqlstate="42501",
            position=node.on.position,
        )
    cluster = check_cluster(node.cluster, planner.context)
    scope = Scope(None, tables={item.name.name: 1})
    for index, column in enumerate(item.schema):
        scope.columns.append(ScopeColumn(item.name.name, column.name, column.type, column.nullable, index))
    planner.maintained, planner.defining = True, "an index"
    relation = read_view(planner, item, relation_of(item), node.on.position)
    planner.views.append(relation)
    _check_maintained(relation)
    expressions = Expressions(planner, scope, relation, "index expressions")
    expressions.allow_subqueries = False
    if node.keys is None:
        keys: tuple[Scalar, ...] = build.refs(relation, range(len(item.schema)))
        words = ["primary"]
    else:
        keys = tuple(expressions.scalar(key) for key in node.keys)
        refuse_pseudo_types(Schema(tuple(Column("row", key.type) for key in keys)), node.on.position)
        words = [item.schema[key.index].name if isinstance(key, ColumnRef) else "expr" for key in keys]
    if item.layout:  # an index holds the rows as they are stored
        assert isinstance(item.definition, Project)
        relation = item.definition.input
        keys = tuple(remap(key, item.stored_position) for key in keys)
    name = node.name
    if name is None:
        base = f"{item.name.name}_{'_'.join(words)}_idx"
        name, number = base, 0
        while planner.context.catalog.item(item.name.schema, name) is not None:
            number += 1
            name = f"{base}{number}"
    full = QualifiedName(item.name.database, item.name.schema, name)
    texts: tuple[str, ...] = ()
    columns: dict[str, int] = {}
    if not all(isinstance(key, ColumnRef) for key in keys):
        texts = tuple(map(without_parentheses, node.texts))
        columns = {column.name: item.stored_position(i) for i, column in enumerate(item.schema)}
    uses = tuple(sorted(planner.uses))
    return definition_plans.CreateIndex(
        full,
        item.id,
        relation,
        keys,
        cluster,
        node.if_not_exists,
        texts,
        columns,
        uses,
        node.retain_history_ms,
    )


# --- options ---------------------------------------------------------------------------------------------------------


def unknown_option(option: Option, known: Sequence[str]) -> PtvcError:
    return Unsupported(
        f'option "{option.name.replace("_", " ").upper()}" is not supported here',
        hint=f"Options are {', '.join(name.replace('_', ' ').upper() for name in known)}.",
        position=option.position,
    )


def integer_option(option: Option, least: int) -> int:
    value = option.value
    if isinstance(value, str) and value.isdigit():
        value = whole(value)
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InvalidParameter(
            f"{option.name.replace('_', ' ').upper()} must be an integer of at least {least}",
            position=option.position,
        )
    return value


def _memory(option: Option) -> int:
    """Bytes."""
    match = re.fullmatch(r"(\d+) *([A-Za-z]*)", str(option.value))
    if match is None or isinstance(option.value, bool) or match[2] not in _MEMORY_UNITS:
        raise InvalidParameter(
            "MEMORY LIMIT must be a number of megabytes, or a text like '512MB'",
            hint='Valid units are "B", "kB", "MB", "GB", and "TB"; 0 is no limit.',
            position=option.position,
        )
    return whole(match[1]) * _MEMORY_UNITS[match[2]]


# --- clusters --------------------------------------------------------------------------------------------------------


def create_cluster(node: CreateClusterStatement) -> definition_plans.CreateCluster:
    options, notices = cluster_options(node.options)
    return definition_plans.CreateCluster(node.name, options, node.if_not_exists, notices)


def alter_cluster(
    planner: Planner, node: AlterClusterStatement
) -> definition_plans.AlterCluster | session_plans.NoOp:
    if is_skipped(ObjectKind.CLUSTER, node.name, node.if_exists, planner.context):
        return not_altered(ObjectKind.CLUSTER, node.name)
    name = check_cluster(node.name, planner.context)
    options, notices = cluster_options(node.options)
    for option in node.reset:
        if option.name not in _CLUSTER_OPTIONS:
            raise unknown_option(option, tuple(_CLUSTER_OPTIONS))
        if option.value is not True:
            raise InvalidParameter("RESET must not include values for parameters", position=option.position)
    return definition_plans.AlterCluster(
        name, options, frozenset(option.name for option in node.reset), notices, node.waiting
    )


def cluster_options(options: Sequence[Option]) -> tuple[Mapping[str, int], tuple[str, ...]]:
    """The options, and what is to be noticed about them: Materialize's scripts name the size of a machine, and here is one."""
    found: dict[str, int] = {}
    notices: list[str] = []
    for option in options:
        if option.name not in _CLUSTER_OPTIONS:
            raise unknown_option(option, tuple(_CLUSTER_OPTIONS))
        if option.name == "memory_limit":
            found[option.name] = _memory(option)
        elif option.name == "size" and isinstance(option.value, str) and not option.value.isdigit():
            notices.append(f'SIZE "{option.value}" means nothing here: MEMORY LIMIT bounds a replica')
        else:
            found[option.name] = integer_option(option, _CLUSTER_OPTIONS[option.name])
        if found.get("workers", 1) > MOST_WORKERS:
            raise InvalidParameter(f"WORKERS must be at most {MOST_WORKERS}", position=option.position)
    return found, tuple(notices)
