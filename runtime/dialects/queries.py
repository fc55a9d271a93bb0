"""Queries: SELECT, its clauses, and what queries are put together of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from sqlglot import exp

from .aggregates import ordered
from .scope import Columns, Scope, column_of
from .values import Kind, Value
from .writing import Query, Writer, accept, check_arguments, quote, unify, whole

_CLAUSES = (
    "with_",
    "expressions",
    "distinct",
    "from_",
    "joins",
    "where",
    "group",
    "having",
    "qualify",
    "order",
    "limit",
    "offset",
    "kind",
)


class Host(Writer, Protocol):
    """What a query needs beyond what rules do."""

    ctes: dict[str, Columns | None]
    ignores_case: bool

    def table(self, node: exp.Expr) -> tuple[str, str, Columns | None]:
        """Its text, the name that it is known by, and its columns."""


def query(w: Host, node: exp.Expr) -> Query:
    match node:
        case exp.Select():
            return _with(w, node, lambda: _select(w, node))
        case exp.SetOperation():
            return _with(w, node, lambda: _set_operation(w, node))
        case exp.Subquery():
            check_arguments(w, node, ("this", "with_"))
            inner = query(w, node.this)
            return Query(f"({inner.sql})", inner.columns)
    raise w.refused(node, f"{node.key.upper()} is not translated: a query is")


def _with(w: Host, node: exp.Expr, rest: object) -> Query:
    assert callable(rest)
    clause = node.args.get("with_")
    if clause is None:
        found = rest()
        assert isinstance(found, Query)
        return found
    check_arguments(w, clause, ("expressions",))
    outer, texts = dict(w.ctes), []
    try:
        for cte in clause.expressions:
            check_arguments(w, cte, ("this", "alias"))
            inner = query(w, cte.this)
            name, columns, listed = alias_of(w, cte.args["alias"], inner.columns)
            w.ctes[name] = columns
            texts.append(f"{quote(name)}{listed} AS (\n{inner.sql}\n)")
        found = rest()
        assert isinstance(found, Query)
        return Query(f"WITH {', '.join(texts)}\n{found.sql}", found.columns)
    finally:
        w.ctes.clear()
        w.ctes.update(outer)


def alias_of(w: Host, alias: exp.Expr, columns: Columns | None) -> tuple[str, Columns | None, str]:
    """The name, the columns under the names that the alias gives, and those as text."""
    check_arguments(w, alias, ("this", "columns"))
    name = w.name(alias.this)
    given = [w.name(item) for item in alias.args.get("columns") or ()]
    if not given:
        return name, columns, ""
    listed = f" ({', '.join(quote(one) for one in given)})"
    if columns is None or len(columns) != len(given):
        return name, None, listed
    renamed = {one: value.named(quote(one)) for one, value in zip(given, columns.values(), strict=True)}
    return name, renamed, listed


# --- SELECT ---


@dataclass(slots=True)
class _Parts:
    """A SELECT as it is put together."""

    items: list[str] = field(default_factory=list)
    columns: dict[str, Value] | None = field(default_factory=dict)


def _select(w: Host, node: exp.Expr) -> Query:
    check_arguments(w, node, _CLAUSES)
    if node.args.get("kind") not in (None, False):
        raise w.refused(node, "SELECT AS is not translated")
    before = w.scope
    w.scope = Scope(w.ignores_case, outer=before)
    try:
        return _select_in_scope(w, node)
    finally:
        w.scope = before


def _select_in_scope(w: Host, node: exp.Expr) -> Query:
    lines = [_from(w, node)]
    parts = _Parts()
    for item in node.expressions:
        _item(w, item, parts)
    if (where := node.args.get("where")) is not None:
        lines.append(f"WHERE {_condition(w, where)}")
    if (group := node.args.get("group")) is not None:
        lines.append(_group(w, node, group))
    if (having := node.args.get("having")) is not None:
        _unambiguous(w, node, having)
        lines.append(f"HAVING {_condition(w, having)}")
    if (qualify := node.args.get("qualify")) is not None:
        _unambiguous(w, node, qualify)
        lines.append(f"QUALIFY {_condition(w, qualify)}")
    lines += _tail(w, node, ordinals=True)
    distinct = _distinct(w, node)
    head = f"SELECT {distinct}{', '.join(parts.items)}"
    return Query("\n".join(line for line in (head, *lines) if line), parts.columns)


def _condition(w: Host, clause: exp.Expr) -> str:
    check_arguments(w, clause, ("this",))
    return accept(w, clause, w.expression(clause.this), frozenset({Kind.BOOL}), clause.key.upper()).sql


def _distinct(w: Host, node: exp.Expr) -> str:
    distinct = node.args.get("distinct")
    if distinct is None:
        return ""
    check_arguments(w, distinct, ())
    return "DISTINCT "


def _item(w: Host, item: exp.Expr, parts: _Parts) -> None:
    if isinstance(item, exp.Star) or (isinstance(item, exp.Column) and isinstance(item.this, exp.Star)):
        _star(w, item, parts)
        return
    alias, inner = None, item
    if isinstance(item, exp.Alias):
        check_arguments(w, item, ("this", "alias"))
        alias, inner = w.name(item.args["alias"]), item.this
    value = w.expression(inner)
    name = alias
    if name is None and isinstance(inner, exp.Column):
        name = w.name(inner.this)
    parts.items.append(value.sql if alias is None else f"{value.sql} AS {quote(alias)}")
    if name is None:
        name = f"?column{len(parts.items)}"
    if parts.columns is not None:
        if name in parts.columns:
            parts.columns = None
        else:
            parts.columns[name] = value.named(quote(name))
    if alias is not None:
        w.scope.aliases[alias] = replace(value, sql=f"({value.sql})", literal=_column_name(w, inner))


def _column_name(w: Host, node: exp.Expr) -> str | None:
    """Of a select item that is nothing but a column: its name."""
    return w.name(node.this) if isinstance(node, exp.Column) else None


def _star(w: Host, item: exp.Expr, parts: _Parts) -> None:
    star = item.this if isinstance(item, exp.Column) else item
    check_arguments(w, star, ("except_", "except", "replace", "rename"))
    table = None
    if isinstance(item, exp.Column):
        check_arguments(w, item, ("this", "table"))
        table = w.name(item.args["table"])
    sources: Iterable[Columns | None]
    sources = w.scope.all_columns() if table is None else [w.scope.relation(table)]
    columns: dict[str, Value] | None = {}
    for source in sources:
        if source is None or w.scope.merged or (columns and set(columns) & set(source)):
            columns = None
            break
        assert columns is not None
        columns.update(source)
    text = "*" if table is None else f"{quote(table)}.*"
    excluded = [
        w.name(one if isinstance(one, exp.Identifier) else one.this)
        for one in _listed(star, "except_", "except")
    ]
    if excluded:
        real = [_real(columns, one, w.ignores_case) for one in excluded]
        text += f" EXCLUDE ({', '.join(quote(one) for one in real)})"
        columns = None if columns is None else {k: v for k, v in columns.items() if k not in real}
    replaced = _listed(star, "replace")
    if replaced:
        texts = []
        for one in replaced:
            value, name = w.expression(one.this), _real(columns, w.name(one.args["alias"]), w.ignores_case)
            texts.append(f"{value.sql} AS {quote(name)}")
            if columns is not None:
                columns[name] = value.named(quote(name))
        text += f" REPLACE ({', '.join(texts)})"
    renamed = _listed(star, "rename")
    if renamed:
        names = {
            _real(columns, w.name(one.this), w.ignores_case): w.name(one.args["alias"]) for one in renamed
        }
        text += f" RENAME ({', '.join(f'{quote(old)} AS {quote(new)}' for old, new in names.items())})"
        if columns is not None:
            columns = {names.get(k, k): v.named(quote(names.get(k, k))) for k, v in columns.items()}
    parts.items.append(text)
    if columns is None or parts.columns is None or set(columns) & set(parts.columns):
        parts.columns = None
    else:
        parts.columns.update({name: value.named(quote(name)) for name, value in columns.items()})


def _listed(star: exp.Expr, *names: str) -> list[exp.Expr]:
    return [one for name in names for one in star.args.get(name) or ()]


def _real(columns: Mapping[str, Value] | None, name: str, ignores_case: bool) -> str:
    """The column's name as the relation has it."""
    if columns is None or name in columns or not ignores_case:
        return name
    return next((known for known in columns if known.lower() == name.lower()), name)


# --- FROM ---


def _from(w: Host, node: exp.Expr) -> str:
    clause = node.args.get("from_")
    if clause is None:
        return ""
    check_arguments(w, clause, ("this",))
    lines, comma = [f"FROM {_source(w, clause.this)}"], False
    for join in node.args.get("joins") or ():
        comma = comma or not any(join.args.get(name) for name in ("side", "kind", "on", "using"))
        if comma:
            _check_behind_comma(w, join)
        lines.append(_join(w, join))
    return "\n".join(lines)


def _check_behind_comma(w: Host, join: exp.Expr) -> None:
    """A comma is written as CROSS JOIN, which binds more tightly: of inner and left joins by a condition that is the same.
    Of dialects in which it binds as CROSS JOIN does, sqlglot makes it one: BigQuery and Databricks."""
    side = str(join.args.get("side") or "").upper()
    if side in ("RIGHT", "FULL") or join.args.get("using"):
        what = f"{side} JOIN" if side in ("RIGHT", "FULL") else "USING"
        raise w.refused(
            join,
            f"{what} behind a comma: what it joins, dialects differ in",
            "Write CROSS JOIN instead of the comma, or put what is joined into a subquery.",
        )


def _source(w: Host, node: exp.Expr) -> str:
    match node:
        case exp.Table():
            sql, name, columns = w.table(node)
        case exp.Subquery():
            check_arguments(w, node, ("this", "alias"))
            before, w.scope = w.scope, Scope(w.ignores_case)
            try:
                inner = query(w, node.this)
            finally:
                w.scope = before
            if node.args.get("alias") is None:
                name, columns, listed = f"?subquery{len(w.scope.relations)}", inner.columns, ""
                sql = f"({inner.sql}) AS {quote(f'subquery{len(w.scope.relations)}')}"
            else:
                name, columns, listed = alias_of(w, node.args["alias"], inner.columns)
                sql = f"({inner.sql}) AS {quote(name)}{listed}"
        case exp.Values():
            sql, name, columns = _values(w, node)
        case _:
            raise w.refused(node, f"{node.key.upper()} in FROM is not translated")
    if w.scope.has_relation(name):
        raise w.refused(node, f'"{name}" is in FROM twice')
    w.scope.relations[name] = columns
    return sql


def _values(w: Host, node: exp.Expr) -> tuple[str, str, Columns | None]:
    check_arguments(w, node, ("expressions", "alias"))
    rows = [[w.expression(item) for item in row.expressions] for row in node.expressions]
    alias = node.args.get("alias")
    if alias is None or not alias.args.get("columns"):
        raise w.refused(
            node, "VALUES is translated if its columns are named", "Write (VALUES ...) AS t (a, b)."
        )
    name, _, listed = alias_of(w, alias, None)
    names = [w.name(item) for item in alias.args["columns"]]
    found = [unify(w, node, column) for column in zip(*rows, strict=True)]
    columns = {one: value.named(quote(one)) for one, value in zip(names, found, strict=True)}
    texts = ", ".join(f"({', '.join(value.sql for value in row)})" for row in rows)
    return f"(VALUES {texts}) AS {quote(name)}{listed}", name, columns


_SIDES = ("", "LEFT", "RIGHT", "FULL")
_KINDS = ("", "INNER", "OUTER", "CROSS")


def _join(w: Host, join: exp.Expr) -> str:
    check_arguments(w, join, ("this", "side", "kind", "on", "using"))
    side, kind = (str(join.args.get(name) or "").upper() for name in ("side", "kind"))
    if side not in _SIDES or kind not in _KINDS:
        raise w.refused(join, f"{side} {kind} JOIN is not translated".strip(), "Use EXISTS or a subquery.")
    source = _source(w, join.this)
    on, using = join.args.get("on"), join.args.get("using")
    if on is not None:
        condition = w.expression(on)
        return f"{side or 'INNER'} JOIN {source} ON {condition.sql}"
    if using:
        names = [w.name(one if isinstance(one, exp.Identifier) else one.this) for one in using]
        real = []
        for name in names:
            spelt = {
                _real(w.scope.relations[one], name, w.ignores_case)
                for one in w.scope.relations
                if w.scope.relations[one] is None or column_of(w.scope.relations[one], name, w.ignores_case)
            }
            if len(spelt) > 1:
                raise w.refused(join, f'USING ("{name}"): the two columns are spelt otherwise', "Use ON.")
            real.append(spelt.pop() if spelt else name)
        w.scope.merged.update(real)
        return f"{side or 'INNER'} JOIN {source} USING ({', '.join(quote(one) for one in real)})"
    if side:
        raise w.refused(join, f"{side} JOIN without a condition is not translated")
    return f"CROSS JOIN {source}"


# --- GROUP BY and what follows ---


def _unambiguous(w: Host, node: exp.Expr, clause: exp.Expr) -> None:
    """A name that the select list gives to something else than the column of that name: dialects differ in which one is meant."""
    for column in clause.find_all(exp.Column):
        if column.args.get("table") is not None or isinstance(column.this, exp.Star):
            continue
        if column.find_ancestor(exp.Select) is not node:
            continue
        name = w.name(column.this)
        alias = w.scope.alias(name)
        if alias is None or (alias.literal is not None and _equal(w, alias.literal, name)):
            continue
        if w.scope.column(name) is not None or not w.scope.known():
            raise w.refused(
                column,
                f'"{name}" may be the column or what the select list calls so, and dialects differ in which',
                "Qualify the column with its table, or name the expression otherwise.",
            )


def _equal(w: Host, one: str, other: str) -> bool:
    return one.lower() == other.lower() if w.ignores_case else one == other


def _group(w: Host, node: exp.Expr, group: exp.Expr) -> str:
    check_arguments(w, group, ("expressions", "all"))
    if group.args.get("all"):
        return "GROUP BY ALL"
    _unambiguous(w, node, group)
    return "GROUP BY " + ", ".join(w.expression(item).sql for item in group.expressions)


def _tail(w: Host, node: exp.Expr, *, ordinals: bool) -> list[str]:
    """ORDER BY, LIMIT, OFFSET."""
    lines = []
    if (order := node.args.get("order")) is not None:
        check_arguments(w, order, ("expressions",))
        lines.append("ORDER BY " + ", ".join(_order_item(w, node, item) for item in order.expressions))
    for name in ("limit", "offset"):
        clause = node.args.get(name)
        if clause is not None:
            check_arguments(w, clause, ("expression",))
            count = whole(w, clause.args["expression"], name.upper(), 0)
            lines.append(f"{name.upper()} {count}")
    return lines


def _order_item(w: Host, node: exp.Expr, item: exp.Expr) -> str:
    """A name alone is that of the select list, everywhere; in an expression it may be either."""
    key = item.this
    if isinstance(key, exp.Column) and key.args.get("table") is None:
        name = w.name(key.this)
        if w.scope.alias(name) is not None:
            real = next(known for known in w.scope.aliases if _equal(w, known, name))
            return ordered(w, item, quote(real))
    else:
        _unambiguous(w, node, item)
    return ordered(w, item)


# --- UNION, EXCEPT, INTERSECT ---


def _set_operation(w: Host, node: exp.Expr) -> Query:
    check_arguments(w, node, ("with_", "this", "expression", "distinct", "order", "limit", "offset"))
    left, right = (_branch(w, node.args[name]) for name in ("this", "expression"))
    word = {"union": "UNION", "except": "EXCEPT", "intersect": "INTERSECT"}[node.key]
    every = "" if node.args.get("distinct") else " ALL"
    columns: dict[str, Value] | None = None
    if left.columns is not None and right.columns is not None:
        if len(left.columns) != len(right.columns):
            raise w.refused(node, f"the sides of {word} have different numbers of columns")
        columns = {
            name: unify(w, node, (one, other)).named(quote(name))
            for (name, one), other in zip(left.columns.items(), right.columns.values(), strict=True)
        }
    before = w.scope
    w.scope = Scope(w.ignores_case)
    w.scope.relations["?union"] = columns
    try:
        tail = _tail(w, node, ordinals=True)
    finally:
        w.scope = before
    return Query("\n".join((left.sql, f"{word}{every}", right.sql, *tail)), columns)


def _branch(w: Host, node: exp.Expr) -> Query:
    found = query(w, node)
    simple = isinstance(node, exp.Select) and not any(
        node.args.get(name) is not None for name in ("with_", "order", "limit", "offset")
    )
    return found if simple or found.sql.startswith("(") else Query(f"({found.sql})", found.columns)
