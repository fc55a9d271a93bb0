"""Literals, names, operators, and forms with a syntax of their own."""

from __future__ import annotations

import re

from sqlglot import exp

from .values import DAYS, NUMBERS, TEXT, Kind, Value, text_literal
from .writing import ALL, Rules, Writer, accept, check_arguments, require, unify

RULES = Rules()
form, function = RULES.form, RULES.function


@form(exp.Literal, "this is_string")
def literal(w: Writer, node: exp.Expr) -> Value:
    text = str(node.this)
    if node.args["is_string"]:
        return Value(text_literal(text), Kind.TEXT, literal=text)
    if re.fullmatch(r"\d+", text):
        return Value(text, Kind.INT, literal=text)
    if not re.fullmatch(r"\d*\.?\d*(e[+-]?\d+)?", text, re.IGNORECASE):
        raise w.refused(node, f"the number {text} is not translated")
    if "e" in text.lower() and w.dialect == "snowflake":
        raise w.refused(node, f"the number {text} is not translated", "Write CAST('...' AS FLOAT).")
    if "e" in text.lower() or w.dialect == "bigquery":
        return Value(f"CAST({text} AS double precision)", Kind.FLOAT, literal=text)
    digits = len(text.partition(".")[2])
    if w.dialect == "snowflake" and digits and text.endswith("0"):
        # Whether the zeros count is not said, and so what a quotient's digits are.
        return Value(text, Kind.NUMERIC, literal=text, most=digits)
    return Value(text, Kind.NUMERIC, digits, literal=text)


@form(exp.Null, "")
def null(w: Writer, node: exp.Expr) -> Value:
    return Value("NULL", Kind.NULL)


@form(exp.Boolean)
def boolean(w: Writer, node: exp.Expr) -> Value:
    return Value("true" if node.this else "false", Kind.BOOL)


@form(exp.Paren)
def parentheses(w: Writer, node: exp.Expr) -> Value:
    inner = w.expression(node.this)
    return inner if inner.sql.startswith("(") else inner.written(f"({inner.sql})")


# --- conditions ---


@form(exp.Not)
def negation(w: Writer, node: exp.Expr) -> Value:
    value = accept(w, node, w.expression(node.this), frozenset({Kind.BOOL}), "NOT")
    return Value(f"(NOT {value.sql})", Kind.BOOL)


def _connector(word: str) -> None:
    def rule(w: Writer, node: exp.Expr) -> Value:
        kinds = frozenset({Kind.BOOL})
        left = accept(w, node, w.expression(node.this), kinds, word)
        right = accept(w, node, w.expression(node.args["expression"]), kinds, word)
        return Value(f"({left.sql} {word} {right.sql})", Kind.BOOL)

    form(exp.And if word == "AND" else exp.Or, "this expression")(rule)


_connector("AND")
_connector("OR")

_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*", re.IGNORECASE)
_ISO = re.compile(r"\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d(\.\d{1,6})?)?)?(Z|[+-]\d\d(:?\d\d)?)?")


def comparable(w: Writer, node: exp.Expr, *values: Value) -> None:
    """Texts are compared with texts; beside another kind, PostgreSQL reads a literal, which is to be written as all read it."""
    kinds = {value.kind for value in values} - {None, Kind.NULL}
    if {Kind.WHOLE, Kind.NUMERIC} <= kinds:
        raise w.refused(
            node,
            "an integer or a float beside a decimal is compared as one or as the other",
            "Cast it to INTEGER.",
        )
    if w.dialect == "redshift" and Kind.TEXT in kinds:
        _not_as_texts(w, node, values)
    if Kind.TEXT not in kinds or kinds == {Kind.TEXT}:
        return
    for value in values:
        if value.kind is not Kind.TEXT:
            continue
        text = value.literal
        dates = kinds - {Kind.TEXT} <= DAYS
        numbers = kinds - {Kind.TEXT} <= NUMBERS
        if text is None or not (
            (dates and _ISO.fullmatch(text)) or (numbers and re.fullmatch(r"-?\d+(\.\d+)?", text))
        ):
            raise w.refused(
                node, "a text beside another type: dialects differ in what it is read as", "Cast one of them."
            )


def _not_as_texts(w: Writer, node: exp.Expr, values: tuple[Value, ...]) -> None:
    """Redshift makes numbers that are compared with texts texts, and PostgreSQL the other way round."""
    hint = "Write the number without quotes, or cast the text to the number's type."
    if any(value.kind in NUMBERS or value.kind is Kind.WHOLE for value in values):
        raise w.refused(node, "a number beside a text is compared as a text in redshift", hint)
    unknown = next((value for value in values if value.kind is None), None)
    if unknown is not None and any(_NUMBER.fullmatch(value.literal or "") for value in values):
        raise w.refused(
            node,
            f"the comparison depends on the type of {unknown.sql}, which is not known",
            f"Cast it. {hint}",
        )


def _comparison(node_type: type[exp.Expr], word: str, dialects: tuple[str, ...] = ALL) -> None:
    def rule(w: Writer, node: exp.Expr) -> Value:
        left, right = w.expression(node.this), w.expression(node.args["expression"])
        comparable(w, node, left, right)
        return Value(f"({left.sql} {word} {right.sql})", Kind.BOOL)

    form(node_type, "this expression", dialects)(rule)


for _type, _word in (
    (exp.EQ, "="),
    (exp.NEQ, "<>"),
    (exp.LT, "<"),
    (exp.LTE, "<="),
    (exp.GT, ">"),
    (exp.GTE, ">="),
    (exp.NullSafeEQ, "IS NOT DISTINCT FROM"),
    (exp.NullSafeNEQ, "IS DISTINCT FROM"),
):
    _comparison(_type, _word)


@function("equal_null", exp.EqualNull, "this expression", ("snowflake", "databricks"))
def equal_null(w: Writer, node: exp.Expr) -> Value:
    left, right = w.expression(node.this), w.expression(node.args["expression"])
    comparable(w, node, left, right)
    return Value(f"({left.sql} IS NOT DISTINCT FROM {right.sql})", Kind.BOOL)


@form(exp.Is, "this expression")
def is_(w: Writer, node: exp.Expr) -> Value:
    operand = node.args["expression"]
    if not isinstance(operand, exp.Null | exp.Boolean):
        raise w.refused(node, "IS with this is not translated")
    value = w.expression(node.this)
    if isinstance(operand, exp.Boolean):
        accept(w, node, value, frozenset({Kind.BOOL}), "IS TRUE")
    return Value(f"({value.sql} IS {w.expression(operand).sql})", Kind.BOOL)


@form(exp.In, "this expressions query")
def in_(w: Writer, node: exp.Expr) -> Value:
    value = w.expression(node.this)
    if (query := node.args.get("query")) is not None:
        inner = w.query(query.unnest())
        return Value(f"({value.sql} IN ({inner.sql}))", Kind.BOOL)
    items = [w.expression(item) for item in node.args["expressions"]]
    if not items:
        raise w.refused(node, "an empty IN is not translated")
    comparable(w, node, value, *items)
    return Value(f"({value.sql} IN ({', '.join(item.sql for item in items)}))", Kind.BOOL)


@form(exp.Between, "this low high")
def between(w: Writer, node: exp.Expr) -> Value:
    value, low, high = (w.expression(node.args[name]) for name in ("this", "low", "high"))
    comparable(w, node, value, low, high)
    return Value(f"({value.sql} BETWEEN {low.sql} AND {high.sql})", Kind.BOOL)


def _like(w: Writer, node: exp.Expr, escape: str | None) -> Value:
    word = "ILIKE" if isinstance(node, exp.ILike) else "LIKE"
    value = accept(w, node, w.expression(node.this), TEXT, word)
    pattern = node.args["expression"]
    if isinstance(pattern, exp.Any | exp.All):
        raise w.refused(node, f"{word} ANY is not translated", f"Write x {word} a OR x {word} b.")
    written = accept(w, node, w.expression(pattern), TEXT, word)
    if escape is None and w.dialect in ("snowflake", "duckdb") and "\\" in (written.literal or "\\"):
        escape = ""  # no character escapes there unless one is named
    if word == "ILIKE" and not (written.literal or "\u00e4").isascii():
        raise w.refused(
            node,
            "ILIKE is translated if its pattern is written out, in ASCII",
            "Compare what LOWER makes of both.",
        )
    word = f"NOT {word}" if node.args.get("negate") else word
    behind = "" if escape is None else f" ESCAPE {text_literal(escape)}"
    return Value(f"({value.sql} {word} {written.sql}{behind})", Kind.BOOL)


@form(exp.Like, "this expression negate")
def like(w: Writer, node: exp.Expr) -> Value:
    return _like(w, node, None)


@form(exp.ILike, "this expression negate", ("snowflake", "redshift", "duckdb", "databricks"))
def ilike(w: Writer, node: exp.Expr) -> Value:
    return _like(w, node, None)


@form(exp.Escape, "this expression", ("snowflake", "redshift", "duckdb", "databricks"))
def like_escape(w: Writer, node: exp.Expr) -> Value:
    inner, escape = node.this, node.args["expression"]
    if (
        not isinstance(inner, exp.Like | exp.ILike)
        or not isinstance(escape, exp.Literal)
        or len(escape.this) != 1
    ):
        raise w.refused(node, "ESCAPE is translated if it is one character that is written out")
    check_arguments(w, inner, ("this", "expression", "negate"))
    return _like(w, inner, str(escape.this))


@form(exp.Exists)
def exists(w: Writer, node: exp.Expr) -> Value:
    return Value(f"EXISTS ({w.query(node.this).sql})", Kind.BOOL)


@form(exp.Subquery, "this")
def scalar_subquery(w: Writer, node: exp.Expr) -> Value:
    inner = w.query(node.this)
    columns = list((inner.columns or {}).values())
    found = columns[0] if len(columns) == 1 else Value("")
    return found.written(f"({inner.sql})")


# --- choices ---


@form(exp.Case, "this ifs default")
def case(w: Writer, node: exp.Expr) -> Value:
    operand = node.args.get("this")
    compared = None if operand is None else w.expression(operand)
    branches, results = [], []
    for branch in node.args["ifs"]:
        condition, result = w.expression(branch.this), w.expression(branch.args["true"])
        if compared is not None:
            comparable(w, node, compared, condition)
        branches.append(f"WHEN {condition.sql} THEN {result.sql}")
        results.append(result)
    if (default := node.args.get("default")) is not None:
        results.append(w.expression(default))
        branches.append(f"ELSE {results[-1].sql}")
    before = "" if compared is None else f" {compared.sql}"
    found = unify(w, node, results)
    return found.written(f"CASE{before} {' '.join(branches)} END")


def _if(w: Writer, node: exp.Expr) -> Value:
    condition, yes = w.expression(node.this), w.expression(node.args["true"])
    accept(w, node, condition, frozenset({Kind.BOOL}), "IF")
    no = w.expression(node.args["false"]) if node.args.get("false") is not None else Value("NULL", Kind.NULL)
    found = unify(w, node, (yes, no))
    return found.written(f"CASE WHEN {condition.sql} THEN {yes.sql} ELSE {no.sql} END")


form(exp.If, "this true false", ("bigquery", "databricks", "duckdb"))(_if)
function("iff", exp.If, "this true false", ("snowflake", "databricks"))(_if)


@function("coalesce nvl ifnull", exp.Coalesce, "this expressions is_nvl is_null")
def coalesce(w: Writer, node: exp.Expr) -> Value:
    values = [w.expression(item) for item in (node.this, *node.args["expressions"])]
    found = unify(w, node, values)
    return found.written(f"COALESCE({', '.join(value.sql for value in values)})")


@function("nvl2", exp.Nvl2, "this true false", ("snowflake", "redshift", "databricks"))
def nvl2(w: Writer, node: exp.Expr) -> Value:
    value, yes, no = (w.expression(node.args[name]) for name in ("this", "true", "false"))
    found = unify(w, node, (yes, no))
    return found.written(f"CASE WHEN {value.sql} IS NOT NULL THEN {yes.sql} ELSE {no.sql} END")


@function("nullif", exp.Nullif, "this expression")
def nullif(w: Writer, node: exp.Expr) -> Value:
    left, right = w.expression(node.this), w.expression(node.args["expression"])
    comparable(w, node, left, right)
    return left.written(f"NULLIF({left.sql}, {right.sql})")


@function("zeroifnull", exp.If, "this true false", ("snowflake",))
def zeroifnull(w: Writer, node: exp.Expr) -> Value:
    value = require(w, node, w.expression(node.args["false"]), NUMBERS, "ZEROIFNULL")
    return value.written(f"COALESCE({value.sql}, 0)")


@function("nullifzero", exp.If, "this true false", ("snowflake",))
def nullifzero(w: Writer, node: exp.Expr) -> Value:
    value = require(w, node, w.expression(node.args["false"]), NUMBERS, "NULLIFZERO")
    return value.written(f"NULLIF({value.sql}, 0)")


@form(exp.DecodeCase, "expressions", ("snowflake", "redshift", "databricks"))
def decode(w: Writer, node: exp.Expr) -> Value:
    """NULL is found by NULL."""
    value, *rest = (w.expression(item) for item in node.args["expressions"])
    results, branches = [], []
    for at in range(0, len(rest) - 1, 2):
        comparable(w, node, value, rest[at])
        branches.append(f"WHEN {value.sql} IS NOT DISTINCT FROM {rest[at].sql} THEN {rest[at + 1].sql}")
        results.append(rest[at + 1])
    if len(rest) % 2:
        branches.append(f"ELSE {rest[-1].sql}")
        results.append(rest[-1])
    found = unify(w, node, results)
    return found.written(f"CASE {' '.join(branches)} END")


def _extreme(node_type: type[exp.Expr], name: str) -> None:
    """NULL wins in some, and is passed over in others, as in PostgreSQL."""

    def rule(w: Writer, node: exp.Expr) -> Value:
        values = [w.expression(item) for item in (node.this, *node.args["expressions"])]
        comparable(w, node, *values)
        found = unify(w, node, values)
        sql = f"{name}({', '.join(value.sql for value in values)})"
        if w.dialect in ("snowflake", "bigquery"):
            nulls = " OR ".join(f"{value.sql} IS NULL" for value in values)
            sql = f"CASE WHEN {nulls} THEN NULL ELSE {sql} END"
        return found.written(sql)

    function(name, node_type, "this expressions ignore_nulls")(rule)


_extreme(exp.Greatest, "greatest")
_extreme(exp.Least, "least")
