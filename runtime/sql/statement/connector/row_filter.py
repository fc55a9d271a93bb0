"""WHERE of a source, and of a table of one: a condition over its own columns, which is evaluated before anything is stored.

It is a function of the row alone: what is read again after a crash, or taken away later, has to be judged as it was at first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager

from ....errors import PtvcError, UndefinedColumn, Unsupported
from ....expr.coercion.session_zone import current
from ....expr.tree.relation import Get
from ....expr.tree.scalar import MzNow, NowCompare, walk
from ....repr.schema import Schema
from ....storage.row_filter import RowFilter
from ...calls.external_calls import refuse_external
from ...catalog.catalog_view import CatalogItem, PlanContext, QualifiedName
from ...parser.parse import parse_condition
from ...plans.explain_plans import BindCondition
from ...query.planner import Planner
from ...scalars.expressions import Expressions
from ...scalars.per_execution import HINT as OPEN_HINT
from ...scalars.scope import Scope, ScopeColumn
from ...scalars.zone import fold
from ...syntax.definition_statements import CreateSourceStatement, WhereClause

_DEFINING = "the WHERE of a source"
_TIME_HINT = "WITH (RETAIN ROWS FOR 'duration' BY column) lets rows go as they grow old; a view over the source may compare a column with mz_now()."


def row_filter(
    planner: Planner,
    where: WhereClause | None,
    name: QualifiedName,
    schema: Schema,
    not_read: Collection[str] = (),
) -> RowFilter | None:
    """The clause over the columns of the source, or the table, of that name; upstream has some that are `not_read` besides."""
    if where is None:
        return None
    position = where.condition.position
    scope = Scope(None, tables={name.name: 1})
    for index, column in enumerate(schema):
        scope.columns.append(ScopeColumn(name.name, column.name, column.type, column.nullable, index))
    expressions = Expressions(planner, scope, Get("", schema), "WHERE of a source")
    expressions.allow_subqueries = False
    before = planner.maintained, planner.open, planner.defining, planner.uses
    planner.maintained, planner.open, planner.defining, planner.uses = True, False, _DEFINING, set()
    try:
        with _in_utc(position):
            predicate = fold(expressions.predicate(where.condition, "WHERE"))
        if planner.uses:
            raise Unsupported(
                f"functions and types that were created are not supported in {_DEFINING}",
                hint="Use them in a view over the source.",
                position=position,
            )
    except UndefinedColumn as error:
        said = [f'column "{column}" does not exist' for column in not_read]
        said += [f"column {name.name}.{column} does not exist" for column in not_read]
        if error.message in said:
            error.hint = "EXCLUDE COLUMNS names it, so it is not read, and no row can be judged by it: take it out there."
        raise
    except Unsupported as error:
        if error.hint == OPEN_HINT:  # it is of mz_now(), which is refused here, too
            error.hint = _TIME_HINT
        raise
    finally:
        planner.maintained, planner.open, planner.defining, planner.uses = before
    refuse_external(predicate, _DEFINING)
    if planner.parameter_count:
        raise PtvcError("there is no parameter $1", sqlstate="42P02", position=position)
    if any(isinstance(part, MzNow | NowCompare) for part in walk(predicate)):
        raise Unsupported(
            f"mz_now() cannot be used in {_DEFINING}: a row is judged once, when it comes",
            hint=_TIME_HINT,
            position=position,
        )
    return RowFilter(predicate, where.text)


def condition_binder(planner: Planner, item: CatalogItem) -> BindCondition:
    """Makes conditions over the columns of the source, or table, of their texts, when the statement that is planned runs."""
    return lambda text: _bound(planner.context, item, text)


def _bound(context: PlanContext, item: CatalogItem, text: str) -> RowFilter:
    bound = row_filter(Planner(context), parse_condition(text), item.name, item.schema)
    assert bound is not None
    return bound


def refuse_where(where: WhereClause | None, what: str, hint: str) -> None:
    """Of what has no rows that could be kept."""
    if where is not None:
        raise Unsupported(f"WHERE of {what} is not supported", hint=hint, position=where.position)


def refuse_kept(node: CreateSourceStatement) -> None:
    """WHERE, EXCLUDE COLUMNS and RETAIN ROWS of a source that has no rows itself."""
    refuse_where(node.where, "a source without rows", "CREATE TABLE ... FROM SOURCE ... WHERE (condition).")
    if node.excluded:
        raise Unsupported(
            "EXCLUDE COLUMNS of a source without rows is not supported",
            hint="CREATE TABLE ... FROM SOURCE ... WITH (EXCLUDE COLUMNS (...)).",
            position=node.excluded[0].position,
        )
    if node.retain_rows is not None:
        raise Unsupported(
            "RETAIN ROWS of a source without rows is not supported",
            hint="CREATE TABLE ... FROM SOURCE ... WITH (RETAIN ROWS FOR ... BY ...).",
            position=node.retain_rows.position,
        )


@contextmanager
def _in_utc(position: int) -> Iterator[None]:
    """Raises Unsupported where what is planned depends on the session's zone."""
    zone = current()
    if zone is None:
        yield
        return
    before, zone.used = zone.used, False
    yield
    if zone.used:
        raise Unsupported(
            f"a condition that depends on the session's time zone ({zone.name}) is not supported in {_DEFINING}",
            hint="Name the zone by AT TIME ZONE, write offsets into literals, or SET TIME ZONE 'UTC'.",
            position=position,
        )
    zone.used = before
