"""CREATE SOURCE ... FROM WEBHOOK: the columns of what is posted, and the expression that says who may."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from ....errors import InvalidParameter, PtvcError, SqlSyntaxError, Unsupported
from ....expr.tree.relation import Get, GlobalId
from ....expr.tree.scalar import MzNow, NowCompare, PerExecution, Scalar, walk
from ....repr.schema import Column, Schema
from ....repr.types import TIMESTAMPTZ
from ....storage.source.webhook import (
    BodyFormat,
    Check,
    CheckInput,
    HeaderColumn,
    HeaderFilter,
    InputKind,
    WebhookOptions,
)
from ...calls.external_calls import refuse_external
from ...catalog.names import check_cluster, new_name
from ...parser.columns import duration_ms
from ...plans.definition_plans import CreateWebhook
from ...query.planner import Planner
from ...scalars.expressions import Expressions
from ...scalars.scope import Scope, ScopeColumn
from ...syntax import ast
from ...syntax.definition_statements import CreateWebhookStatement, Option, WebhookCheck, WebhookInput
from ..connection import find_secret
from ..definitions import refuse_repeated, unknown_option
from .row_filter import row_filter

_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9a-z-]+")
_OPTIONS = ("retain_history", "idempotency_key_header")


def create(planner: Planner, node: CreateWebhookStatement, sql: str) -> CreateWebhook:
    name = new_name(node.name, planner.context)
    if name.schema == planner.context.temp_schema:
        raise Unsupported("temporary sources are not supported", position=node.position)
    if node.cluster is not None:
        check_cluster(node.cluster, planner.context)  # it has no other meaning: nothing runs there
    retain, key_header = _options(node.options)
    check = None if node.check is None else _check(planner, node.check)
    webhook = WebhookOptions(
        BodyFormat(node.format),
        node.array,
        None if node.headers is None else _filter(node),
        tuple(HeaderColumn(_header(h.header, h.position), h.column, h.binary) for h in node.columns),
        check,
        key_header,
    )
    refuse_repeated(webhook.schema.names, node.name)
    webhook = replace(webhook, where=row_filter(planner, node.where, name, webhook.schema))
    return CreateWebhook(
        name, webhook, sql, frozenset(planner.uses), node.if_not_exists, retain_history_ms=retain
    )


def _options(options: tuple[Option, ...]) -> tuple[int | None, str | None]:
    """RETAIN HISTORY, and the header of the key."""
    retain: int | None = None
    header: str | None = None
    for option in options:
        if option.name not in _OPTIONS:
            raise unknown_option(option, _OPTIONS)
        if not isinstance(option.value, str):
            words = option.name.upper().replace("_", " ")
            raise InvalidParameter(f"{words} takes a text", position=option.position)
        if option.name == "idempotency_key_header":
            header = _header(option.value, option.position)
        else:
            retain = duration_ms(option.value, option.position)
    return retain, header


def _filter(node: CreateWebhookStatement) -> HeaderFilter:
    named = [(_header(name, node.position), left_out) for name, left_out in node.headers or ()]
    return HeaderFilter(
        tuple(name for name, left_out in named if not left_out),
        tuple(name for name, left_out in named if left_out),
    )


def _header(name: str, position: int) -> str:
    """As requests are compared with: HTTP knows no upper case."""
    lower = name.lower()
    if _HEADER_NAME.fullmatch(lower) is None:
        raise InvalidParameter(f'"{name}" is not a name of a header', position=position)
    return lower


# --- the check ---


def _check(planner: Planner, node: WebhookCheck) -> Check:
    inputs = tuple(_inputs(planner, node.inputs))
    scope = Scope(None)
    for index, given in enumerate(inputs):
        scope.columns.append(ScopeColumn(None, given.name, given.type, True, index))
    schema = Schema(tuple(Column(given.name, given.type) for given in inputs))
    expressions = Expressions(planner, scope, Get("", schema), "CHECK of a webhook")
    expressions.allow_subqueries = False
    planner.maintained, planner.open, planner.defining = True, True, "the CHECK of a webhook"
    predicate = expressions.predicate(node.expression, "CHECK")
    _refuse_others(predicate, node.expression)
    if planner.parameter_count:
        raise PtvcError("there is no parameter $1", sqlstate="42P02", position=node.expression.position)
    return Check(inputs, predicate, node.text)


def _inputs(planner: Planner, nodes: tuple[WebhookInput, ...]) -> Iterator[CheckInput]:
    taken: set[str] = set()
    for node in nodes:
        name, secret = node.word, _secret(planner, node)
        if node.secret is not None:
            name = node.secret.parts[-1]
        name = node.alias or name
        if name in taken:
            raise SqlSyntaxError(
                f'"{name}" is given more than once in the WITH of CHECK',
                hint="Give one of them another name, with AS.",
                position=node.position,
            )
        taken.add(name)
        yield CheckInput(InputKind(node.word), name, node.binary, secret)


def _secret(planner: Planner, node: WebhookInput) -> GlobalId | None:
    if node.secret is None:
        return None
    found = find_secret(planner, node.secret).id
    planner.uses.add(found)
    return found


def _refuse_others(predicate: Scalar, node: ast.Expression) -> None:
    """The time is that of the request; what depends on a session, or on chance, has no value there."""
    refuse_external(predicate, "the CHECK of a webhook")
    for part in walk(predicate):
        if isinstance(part, MzNow | NowCompare):
            raise Unsupported(
                "mz_now() cannot be used in the CHECK of a webhook",
                hint="now() can.",
                position=node.position,
            )
        if isinstance(part, PerExecution) and part.type != TIMESTAMPTZ:
            raise Unsupported(
                "the CHECK of a webhook may depend on the request, on secrets and on now(), and on nothing else",
                position=node.position,
            )
