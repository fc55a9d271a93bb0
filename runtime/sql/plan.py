"""Parsed statements to planned ones: names resolved, expressions typed, subqueries decorrelated, rules applied."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar, assert_never

from ..errors import PtvcError, Unsupported
from ..expr.tree.depth import depth
from ..expr.tree.relation import Constant, Filter, Get, Map, Project, Relation
from ..expr.tree.scalar import Literal
from ..lineage.columns import lineage
from ..plan_depth import MOST_LEVELS
from ..repr.schema import Column, Schema
from ..repr.types import TEXT, ScalarType
from ..transform.bind_parameters import bind_parameters, bind_scalar
from ..transform.pipeline import optimize
from .catalog.catalog_view import PlanContext, Prepared
from .catalog.named_types import types_in
from .catalog.opaque import OpaqueCatalog
from .parser.parse import Statement, too_complex
from .plans import data_plans, definition_plans, explain_plans, query_plans, session_plans
from .plans.plans import PlannedStatement
from .query.planner import Planner
from .scalars.scope import Correlated
from .scalars.zone import plan_in_zone
from .statement import (
    alterations,
    connection,
    data,
    definitions,
    function,
    grant,
    replacement,
    secret,
    server_calls,
)
from .statement.alter_table import alter_table
from .statement.connector import sink, source, webhook
from .statement.connector.replay import replay
from .statement.create_type import create_type
from .statement.execute import execute
from .statement.explain import plan_explain
from .statement.merge import merge
from .statement.show import show
from .statement.subscribe import plan_subscribe
from .syntax import (
    connection_statements,
    data_statements,
    definition_statements,
    function_statements,
    privilege_statements,
    query_statements,
    role_statements,
    session_statements,
    show_statements,
)
from .syntax.types import resolve_type

EXPLAIN_SCHEMA = Schema((Column("QUERY PLAN", TEXT, False),))
AnyCreateView = definition_plans.CreateView | definition_plans.CreateMaterializedView
PUSHDOWN_SCHEMA = Schema(
    tuple(
        Column(name, TEXT, False)
        for name in ("Source", "Total Bytes", "Selected Bytes", "Total Parts", "Selected Parts")
    )
)


def describe(
    statement: Statement, context: PlanContext, parameter_types: Sequence[ScalarType | None]
) -> Prepared:
    """The statement's parameters, open ones inferred (text where nothing says otherwise), and its rows' shape."""
    planner = Planner(context, declared=parameter_types, describing=True)
    planned = _guarded(planner, statement)
    count = max(planner.parameter_count, len(parameter_types))
    types = []
    for number in range(1, count + 1):
        declared = parameter_types[number - 1] if number <= len(parameter_types) else None
        types.append(declared or planner.parameter_types.get(number, TEXT))
    late = isinstance(planned, session_plans.Execute | session_plans.Fetch)
    return Prepared(statement.sql, tuple(types), result_schema(planned), late=late)


def plan(
    statement: Statement,
    context: PlanContext,
    parameters: Sequence[Literal] = (),
    *,
    with_lineage: bool = True,
) -> PlannedStatement:
    """The statement, planned and optimized, its parameters bound to `parameters`.  The lineage of a view is planned by itself, which
    takes more than half as long again."""
    planner = Planner(context, parameters)
    planned = _optimized(_guarded(planner, statement))
    if with_lineage and isinstance(planned, AnyCreateView):
        return _with_lineage(planned, statement, context)
    return planned


def _with_lineage(planned: AnyCreateView, statement: Statement, context: PlanContext) -> PlannedStatement:
    """Rules move filters and prune columns, and views are inlined: it is asked of what the text says."""
    written = relation_of(resolve_opaque(statement, context))
    assert written is not None
    try:
        return replace(planned, lineage=lineage(written))
    except RecursionError:
        raise too_complex() from None


def resolve(statement: Statement, context: PlanContext) -> PlannedStatement:
    """The statement, planned as it is written: names and types are resolved, and no rule is applied."""
    return _guarded(Planner(context), statement)


def resolve_opaque(statement: Statement, context: PlanContext) -> PlannedStatement:
    """As `resolve`, over views that are not looked into: each is a relation of its own."""
    return resolve(statement, replace(context, catalog=OpaqueCatalog(context.catalog)))


def plan_generic(statement: Statement, context: PlanContext, types: Sequence[ScalarType]) -> PlannedStatement:
    """The statement, planned and optimized for all values of its parameters, which are of `types`.

    `with_parameters` puts values in.  Raises some PtvcError where a plan depends on a value (a LIMIT, a fraction), and
    where `plan` would for any value.
    """
    planner = Planner(context, declared=types, generic=bool(types))
    return _optimized(_guarded(planner, statement))


def relation_of(planned: PlannedStatement) -> Relation | None:
    """What the rows that the statement shows or writes are, if it is a query or a write."""
    query = planned.query if isinstance(planned, _OF_A_QUERY) else planned
    relation: Relation | None = getattr(query, "relation", None)
    return relation


_OF_A_QUERY = data_plans.CopyTo | session_plans.DeclareCursor | query_plans.Calling


def with_parameters(
    planned: PlannedStatement, values: Sequence[Literal], free: Sequence[Relation] | None = None
) -> PlannedStatement:
    """What `plan_generic` made, for these values.  `free` is `parameter_free` of its relation, if it is known."""
    if not values:
        return planned
    match planned:
        case data_plans.CopyTo(query=query) | session_plans.DeclareCursor(query=query):
            return replace(planned, query=_bind_query(query, values, free))
        case query_plans.Select():
            return _bind_query(planned, values, free)
        case query_plans.Calling(query=query):
            return replace(planned, query=_bind_query(query, values, free))
        case query_plans.Subscribe():
            return _bind_query(planned, values, free)
        case (
            data_plans.Insert(relation=relation)
            | data_plans.Update(relation=relation)
            | data_plans.Delete(relation=relation)
        ):
            returning = planned.returning
            if returning is not None:
                scalars = tuple(bind_scalar(scalar, values) for scalar in returning.scalars)
                returning = replace(returning, scalars=scalars)
            bound = replace(planned, relation=bind_parameters(relation, values, free), returning=returning)
            if isinstance(bound, data_plans.Insert) and bound.conflict is not None:
                return replace(bound, conflict=_bind_conflict(bound.conflict, values))
            return bound
        case data_plans.Replay(relation=relation):
            return replace(planned, relation=bind_parameters(relation, values, free))
        case _:
            return planned


_Q = TypeVar("_Q", bound=query_plans.QueryPlan)


def _bind_query(query: _Q, values: Sequence[Literal], free: Sequence[Relation] | None) -> _Q:
    as_of = query.as_of
    if as_of is not None:
        as_of = replace(as_of, time=bind_scalar(as_of.time, values))
    bound = replace(query, relation=bind_parameters(query.relation, values, free), as_of=as_of)
    if isinstance(bound, query_plans.Subscribe) and bound.up_to is not None:
        return replace(bound, up_to=bind_scalar(bound.up_to, values))
    return bound


def _bind_conflict(conflict: data_plans.OnConflict, values: Sequence[Literal]) -> data_plans.OnConflict:
    assignments = tuple(bind_scalar(scalar, values) for scalar in conflict.assignments)
    where = None if conflict.where is None else bind_scalar(conflict.where, values)
    return replace(conflict, assignments=assignments, where=where)


def result_schema(planned: PlannedStatement) -> Schema | None:
    """What the statement's rows look like, or None when it has none."""
    match planned:
        case (
            query_plans.Select(schema=schema)
            | query_plans.Calling(schema=schema)
            | query_plans.Subscribe(schema=schema)
        ):
            return schema
        case (
            explain_plans.Explain()
            | explain_plans.ExplainTimestamp()
            | explain_plans.ExplainAnalyze()
            | explain_plans.ExplainSource()
        ):
            return EXPLAIN_SCHEMA
        case explain_plans.ExplainPushdown():
            return PUSHDOWN_SCHEMA
        case session_plans.ShowVariable(name=None):
            names = ("name", "setting", "description")
            return Schema(tuple(Column(name, TEXT, False) for name in names))
        case session_plans.ShowVariable(name=name):
            return Schema((Column(str(name), TEXT, False),))
        case data_plans.Insert() | data_plans.Update() | data_plans.Delete():
            return None if planned.returning is None else planned.returning.schema
        case session_plans.Execute(prepared=prepared):
            return None if prepared is None else prepared.schema
        case session_plans.Fetch(schema=schema, move=False):
            return schema
        case _:
            return None


def _guarded(planner: Planner, statement: Statement) -> PlannedStatement:
    try:
        return plan_in_zone(planner, lambda: _plan(planner, statement))
    except Correlated:
        raise Unsupported(
            "this use of an outer column is not supported", hint="Rewrite the query as a join."
        ) from None
    except RecursionError:
        raise too_complex() from None


def _plan(planner: Planner, statement: Statement) -> PlannedStatement:
    node = statement.node
    if isinstance(node, role_statements.AsWritten):
        return node
    if isinstance(node, data_statements.DataStatement):
        return _data(planner, node)
    if isinstance(node, definition_statements.DefinitionStatement):
        return _definition(planner, node, statement)
    if isinstance(node, function_statements.FunctionStatement):
        return _function(planner, node)
    if isinstance(node, connection_statements.ConnectionStatement):
        return _connection(planner, node)
    match node:
        case query_statements.QueryStatement(query=query):
            return server_calls.plan_query(planner, query, node.as_of)
        case query_statements.SubscribeStatement():
            return plan_subscribe(planner, node)
        case show_statements.ExplainStatement():
            return plan_explain(planner, node)
        case show_statements.ShowObjectsStatement():
            return show(planner, node)
        case privilege_statements.GrantStatement():
            return grant.grant(planner, node)
        case privilege_statements.OwnerStatement():
            return grant.owner(planner, node)
        case session_statements.PrepareStatement():
            return _prepare(planner.context, node, statement)
        case session_statements.ExecuteStatement():
            return execute(planner, node)
        case session_statements.DeclareStatement():
            return _declare(planner, node, statement)
        case _:
            return _session(node, planner.context)


def _data(planner: Planner, node: data_statements.DataStatement) -> PlannedStatement:
    match node:
        case data_statements.InsertStatement():
            return data.insert(planner, node)
        case data_statements.UpdateStatement():
            return data.update(planner, node)
        case data_statements.DeleteStatement():
            return data.delete(planner, node)
        case data_statements.MergeStatement():
            return merge(planner, node, data.writable(node.target.name, planner))
        case data_statements.TruncateStatement():
            return data.truncate(planner, node)
        case data_statements.CopyStatement():
            return data.copy(planner, node)
        case data_statements.ReplayStatement():
            return replay(planner, node)
        case _:
            assert_never(node)


def _definition(
    planner: Planner, node: definition_statements.DefinitionStatement, statement: Statement
) -> PlannedStatement:
    if isinstance(node, definition_statements.CreateStatement):
        return _create(planner, node, statement)
    match node:
        case definition_statements.AlterClusterStatement():
            return definitions.alter_cluster(planner, node)
        case definition_statements.AlterRetentionStatement():
            return alterations.alter_retention(planner, node)
        case definition_statements.DropStatement():
            return alterations.drop(planner, node)
        case definition_statements.RenameStatement():
            return alterations.rename(planner, node)
        case definition_statements.AlterTableStatement():
            return alter_table(planner, node)
        case definition_statements.SetSchemaStatement():
            return alterations.set_schema(planner, node)
        case definition_statements.AddWhereStatement():
            return source.add_where(planner, node)
        case definition_statements.ApplyOffersStatement():
            return source.apply_offers(planner, node)
        case definition_statements.AlterSinkStatement():
            return sink.alter(planner, node)
        case definition_statements.SwapStatement():
            return alterations.swap(planner, node)
        case definition_statements.ApplyReplacementStatement():
            return replacement.apply(planner, node)
        case definition_statements.CommentStatement():
            return alterations.comment(planner, node)
        case _:
            assert_never(node)


def _declare(
    planner: Planner, node: session_statements.DeclareStatement, statement: Statement
) -> session_plans.DeclareCursor:
    if node.scroll is not None:
        raise Unsupported(
            "SCROLL cursors are not supported",
            hint="Cursors go forward; to begin anew, CLOSE and DECLARE it again.",
            position=node.scroll,
        )
    query = node.query
    if not isinstance(query, query_statements.SubscribeStatement):
        select = data.finished(planner, query, node.as_of)
        return session_plans.DeclareCursor(node.name, select, node.hold, node.binary, statement.sql)
    if node.hold:
        raise Unsupported("a cursor of a subscription cannot be WITH HOLD", position=query.position)
    subscribe = plan_subscribe(planner, query)
    return session_plans.DeclareCursor(node.name, subscribe, node.hold, node.binary, statement.sql)


def _create(
    planner: Planner, node: definition_statements.CreateStatement, statement: Statement
) -> PlannedStatement:
    match node:
        case definition_statements.CreateTableStatement():
            return definitions.create_table(planner, node)
        case definition_statements.CreateViewStatement():
            return definitions.create_view(planner, node, statement.text)
        case definition_statements.CreateMaterializedViewStatement():
            return definitions.create_materialized_view(planner, node, statement.text)
        case definition_statements.CreateIndexStatement():
            return definitions.create_index(planner, node)
        case definition_statements.CreateSourceStatement():
            return source.create_source(planner, node, statement.sql)
        case definition_statements.CreateSourceTableStatement():
            return source.create_source_table(planner, node, statement.sql)
        case definition_statements.CreateWebhookStatement():
            return webhook.create(planner, node, statement.sql)
        case definition_statements.CreateSinkStatement():
            return sink.create(planner, node, statement.sql)
        case definition_statements.CreateSchemaStatement(name=name, if_not_exists=if_not_exists):
            if name.startswith(("pg_", "mz_")):
                raise PtvcError(
                    f'unacceptable schema name "{name}"',
                    sqlstate="42939",
                    detail='The prefixes "pg_" and "mz_" are reserved.',
                )
            return definition_plans.CreateSchema(name, if_not_exists)
        case definition_statements.CreateClusterStatement():
            return definitions.create_cluster(node)
        case definition_statements.CreateTypeStatement():
            return create_type(node, planner.context)
        case _:
            assert_never(node)


def _function(
    planner: Planner,
    node: function_statements.FunctionStatement,
) -> PlannedStatement:
    match node:
        case function_statements.CreateFunctionStatement():
            return function.create_function(planner, node)
        case function_statements.DropFunctionStatement():
            return function.drop_function(planner, node)
        case function_statements.AlterFunctionStatement():
            return function.alter_function(planner, node)
        case function_statements.CommentFunctionStatement():
            return function.comment_function(planner, node)
        case _:
            assert_never(node)


def _connection(planner: Planner, node: connection_statements.ConnectionStatement) -> PlannedStatement:
    match node:
        case connection_statements.CreateSecretStatement():
            return secret.create(planner, node)
        case connection_statements.AlterSecretStatement():
            return secret.alter(planner, node)
        case connection_statements.CreateConnectionStatement():
            return connection.create(planner, node)
        case connection_statements.AlterConnectionStatement():
            return connection.alter(planner, node)
        case connection_statements.ValidateConnectionStatement():
            return connection.validate(planner, node)
        case _:
            assert_never(node)


def _prepare(
    context: PlanContext, node: session_statements.PrepareStatement, statement: Statement
) -> session_plans.Prepare:
    """What a parameter's type is restricted to, as in varchar(3), means nothing, as in PostgreSQL."""
    known = types_in(context)
    types = [
        None if type_ is None else resolve_type(replace(type_, modifiers=(), fields=()), known)
        for type_ in node.types
    ]
    prepared = describe(Statement(node.sql, statement.text, node.statement), context, types)
    return session_plans.Prepare(node.name, replace(prepared, text=statement.sql))


def _session(
    node: session_statements.SessionStatement | show_statements.ShowVariableStatement, context: PlanContext
) -> PlannedStatement:
    match node:
        case session_statements.SetStatement(name=name, value=value, local=local, reset=reset):
            return session_plans.SetVariable(name.lower(), value, local, reset)
        case show_statements.ShowVariableStatement(name=name):
            return session_plans.ShowVariable(None if name is None else _setting_name(name.lower(), context))
        case session_statements.BeginStatement(read_only=read_only, start=start):
            return session_plans.Begin(read_only, start)
        case session_statements.SetTransactionStatement(read_only=read_only):
            return session_plans.SetTransaction(read_only)
        case session_statements.CommitStatement():
            return session_plans.Commit()
        case session_statements.RollbackStatement():
            return session_plans.Rollback()
        case session_statements.SavepointStatement(name=name):
            return session_plans.Savepoint(name)
        case session_statements.RollbackToStatement(name=name):
            return session_plans.RollbackTo(name)
        case session_statements.ReleaseStatement(name=name):
            return session_plans.Release(name)
        case session_statements.FetchStatement(name=name, direction=direction, count=count, move=move):
            return session_plans.Fetch(
                name, direction, count, move, context.cursors.get(name), node.timeout_ms
            )
        case session_statements.CloseStatement(name=name):
            return session_plans.CloseCursor(name)
        case session_statements.DeallocateStatement(name=name):
            return session_plans.Deallocate(name)
        case session_statements.DiscardStatement(what=what):
            return session_plans.Discard(what)
        case session_statements.NoOpStatement(tag=tag):
            return session_plans.NoOp(tag)
        case _:
            assert_never(node)


def _optimized(planned: PlannedStatement) -> PlannedStatement:
    match planned:
        case data_plans.CopyTo(query=query) | session_plans.DeclareCursor(query=query):
            return replace(planned, query=replace(query, relation=_optimize_once_more(query.relation)))
        case query_plans.Calling(query=query):
            return replace(planned, query=replace(query, relation=_optimize_once_more(query.relation)))
        case definition_plans.CreateTable(query=query_plans.Select() as query):
            return replace(planned, query=replace(query, relation=_optimize(query.relation)))
        case (
            query_plans.Select(relation=relation)
            | query_plans.Subscribe(relation=relation)
            | data_plans.Insert(relation=relation)
            | data_plans.Update(relation=relation)
            | data_plans.Delete(relation=relation)
            | data_plans.Merge(relation=relation)
            | data_plans.Replay(relation=relation)
        ):
            return replace(planned, relation=_optimize_once_more(relation))
        case (
            definition_plans.CreateView(relation=relation)
            | definition_plans.CreateMaterializedView(relation=relation)
            | definition_plans.CreateIndex(relation=relation)
            | definition_plans.CreateSink(relation=relation)
        ):
            return replace(planned, relation=_optimize(relation))
        case _:
            return planned


def _optimize_once_more(relation: Relation) -> Relation:
    """As `_optimize`, and what is executed as it is gets a second pass (a definition gets its own when it is
    installed): of one in a hundred queries that finds more.  Nothing is left in a chain over one collection."""
    relation = leaf = _optimize(relation)
    while isinstance(leaf, Map | Filter | Project):
        leaf = leaf.input
    return relation if isinstance(leaf, Get | Constant) else _optimize(relation)


def _optimize(relation: Relation) -> Relation:
    try:
        optimized = optimize(relation)
    except RecursionError:
        raise too_complex() from None
    if depth(optimized) > MOST_LEVELS:
        raise too_complex()
    return optimized


def _setting_name(name: str, context: PlanContext) -> str:
    """As the setting is spelled, `DateStyle`: the column of SHOW is called so."""
    return next((known for known in context.settings if known.lower() == name), name)
