"""EXPLAIN of a statement: what is planned of it; the coordinator says the rest."""

from __future__ import annotations

from dataclasses import replace

from ...errors import Unsupported, WrongObjectType
from ...transform.pipeline import optimize
from ..catalog.catalog_view import ItemKind
from ..catalog.names import find_object, find_relation, missing_object
from ..parser.parse import parse
from ..plans.explain_plans import (
    Explain,
    ExplainAnalyze,
    ExplainPushdown,
    ExplainSource,
    ExplainTimestamp,
    Explanation,
)
from ..query.planner import Planner
from ..syntax import ast
from ..syntax.query_statements import QueryStatement
from ..syntax.session_statements import ExecuteStatement
from ..syntax.show_statements import ExplainStatement
from ..syntax.vocabulary import ExplainStage, ObjectKind
from .connector.row_filter import condition_binder
from .data import finished
from .execute import execute

_RESOLVED = (ExplainStage.RAW, ExplainStage.DECORRELATED)


def plan_explain(planner: Planner, node: ExplainStatement) -> Explanation:
    if node.execute is not None:
        return _prepared(planner, node, node.execute)
    if node.query is None:
        return _object(planner, node)
    select = finished(planner, node.query, node.as_of)
    relation = select.relation
    if node.stage not in _RESOLVED:
        relation = optimize(relation)
        select = replace(select, relation=relation)
    match node.what:
        case "timestamp":
            return ExplainTimestamp(select, node.format)
        case "pushdown":
            return ExplainPushdown(relation, None, select.reads)
        case "analyze":
            return ExplainAnalyze(select, None, (), node.format)
        case _:
            return Explain(node.stage, relation, select.finishing, None, node.format, select.reads)


def _prepared(planner: Planner, node: ExplainStatement, execution: ExecuteStatement) -> Explanation:
    """The plan for the values that EXECUTE would have."""
    found = execute(Planner(planner.context), execution)
    assert found.prepared is not None
    prepared = parse(found.prepared.sql)
    if len(prepared) != 1 or not isinstance(prepared[0].node, QueryStatement):
        raise Unsupported("EXPLAIN of anything but a query is not supported yet")
    explained = replace(node, query=prepared[0].node.query, as_of=prepared[0].node.as_of, execute=None)
    return plan_explain(Planner(planner.context, found.parameters), explained)


def _object(planner: Planner, node: ExplainStatement) -> Explanation:
    assert node.kind is not None
    assert node.name is not None
    if node.what == "source":
        return _source(planner, node.name)
    item = find_object(node.kind, node.name, planner.context)
    if item is None:
        raise missing_object(node.kind, node.name, planner.context)
    if node.what == "analyze":
        return ExplainAnalyze(None, item.id, node.measures, node.format)
    if node.stage in _RESOLVED:
        raise Unsupported(
            f"EXPLAIN {node.stage.name} PLAN of an object is not supported: its definition is kept optimized",
            hint=f"EXPLAIN {node.stage.name} PLAN FOR the query of its definition.",
            position=node.name.position,
        )
    if node.what == "pushdown" and node.kind is ObjectKind.INDEX:
        raise Unsupported("EXPLAIN FILTER PUSHDOWN of an index is not supported", position=node.name.position)
    if node.what == "pushdown":
        return ExplainPushdown(None, item.id)
    return Explain(node.stage, None, None, item.id, node.format)


def _source(planner: Planner, name: ast.Name) -> ExplainSource:
    item = find_relation(name, planner.context)
    if item.kind is not ItemKind.SOURCE and item.source is None:
        raise WrongObjectType(
            f'"{item.name.name}" is neither a source nor a table of one', position=name.position
        )
    return ExplainSource(item.id, frozenset((item.id,)), condition_binder(planner, item))
