"""SUBSCRIBE, resolved: the relation that is followed, and the columns of its changes.

| form | columns |
|---|---|
| plain | `mz_timestamp`, [`mz_progressed`], `mz_diff`, the relation's |
| ENVELOPE UPSERT | `mz_timestamp`, [`mz_progressed`], `mz_state`, the key's, the others |
| ENVELOPE DEBEZIUM | `mz_timestamp`, [`mz_progressed`], `mz_state`, the key's, the others `before_`, the others `after_` |

With PROGRESS there are rows that say no more than how far time has come: all but the first two columns are NULL.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...errors import InvalidParameter, PtvcError, UndefinedColumn, Unsupported
from ...expr.temporal import check_temporal
from ...expr.tree.relation import OrderBy
from ...repr.schema import Column, Schema
from ...repr.types import BOOL, INT8, PAIR, TEXT
from ...transform.pipeline import optimize
from ..catalog.catalog_view import ItemKind
from ..plans.query_plans import Envelope, Subscribe
from ..query.as_of import plan_as_of, plan_time
from ..query.planner import Planner
from ..scalars import build
from ..syntax import ast
from ..syntax.query_statements import SubscribeStatement


def plan_subscribe(planner: Planner, node: SubscribeStatement) -> Subscribe:
    as_of = plan_as_of(planner, node.as_of)
    up_to = None if node.up_to is None else plan_time(planner, node.up_to, "UP TO")
    planner.maintained, planner.defining = True, "a subscription"
    plan = planner.root(node.query)
    _check_known(planner, node.position)
    names = [output.name for output in plan.outputs]
    if not names:
        raise Unsupported("a query without columns is not supported", hint="Select a constant.")
    if any(output.type == PAIR for output in plan.outputs):
        raise Unsupported("composite values are not supported in results", hint="Select their fields.")
    relation = build.project(plan.closed(), range(len(names)), names)
    check_temporal(relation)
    check_temporal(optimize(relation))  # a rule may have made a bound on the time the condition of a join
    columns = relation.schema
    key = tuple(_column(names, name) for name in node.key)
    if len(set(key)) < len(key):
        raise InvalidParameter("a column stands twice in KEY", position=node.key[0].position)
    envelope = Envelope(node.envelope)
    return Subscribe(
        relation=relation,
        schema=_schema(columns, envelope, key, progress=node.progress),
        snapshot=node.snapshot,
        progress=node.progress,
        as_of=as_of,
        up_to=up_to,
        order=tuple(_sort_key(names, sort) for sort in node.order),
        envelope=envelope,
        key=key,
        reads=frozenset(planner.uses),
    )


def _check_known(planner: Planner, position: int) -> None:
    for id_ in planner.uses:
        item = planner.context.catalog.item_by_id(id_)
        if item.kind is ItemKind.SYSTEM:
            raise Unsupported(
                f"a subscription to system relation {item.name} is not supported",
                hint="Query it with SELECT.",
                position=position,
            )


def _schema(columns: Schema, envelope: Envelope, key: Sequence[int], *, progress: bool) -> Schema:
    head = [Column("mz_timestamp", INT8, False)]
    if progress:
        head.append(Column("mz_progressed", BOOL, False))
    if envelope is Envelope.NONE:
        head.append(Column("mz_diff", INT8, progress))
        return Schema((*head, *(replace(c, nullable=c.nullable or progress) for c in columns)))
    head.append(Column("mz_state", TEXT, progress))
    head += [replace(columns[i], nullable=columns[i].nullable or progress) for i in key]
    values = [replace(column, nullable=True) for i, column in enumerate(columns) if i not in key]
    if envelope is Envelope.UPSERT:
        return Schema((*head, *values))
    before = [replace(column, name=f"before_{column.name}") for column in values]
    after = [replace(column, name=f"after_{column.name}") for column in values]
    return Schema((*head, *before, *after))


def _sort_key(names: Sequence[str], sort: ast.SortKey) -> OrderBy:
    """0 is `mz_diff`, then come the relation's columns."""
    expression = sort.expression
    if not isinstance(expression, ast.Name) or len(expression.parts) != 1:
        raise Unsupported(
            "WITHIN TIMESTAMP ORDER BY takes names of columns",
            hint="They are those of the query, and mz_diff.",
            position=expression.position,
        )
    index = 0 if expression.parts[0] == "mz_diff" else 1 + _column(names, expression)
    return OrderBy(index, sort.descending, sort.nulls_first)


def _column(names: Sequence[str], name: ast.Name) -> int:
    word = name.parts[-1]
    if word not in names:
        raise UndefinedColumn(f'column "{word}" does not exist', position=name.position)
    if names.count(word) > 1:
        raise PtvcError(f'column reference "{word}" is ambiguous', sqlstate="42702", position=name.position)
    return names.index(word)
