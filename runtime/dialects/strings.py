"""Functions of text."""

from __future__ import annotations

from sqlglot import exp

from .values import TEXT, Kind, Value, text_literal
from .writing import ALL, Rules, Writer, accept, require, whole

RULES = Rules()
function, form = RULES.function, RULES.form

_OTHERS = ("bigquery", "databricks", "redshift", "snowflake")


def text(w: Writer, node: exp.Expr, name: str = "this") -> Value:
    return accept(w, node, w.expression(node.args[name]), TEXT, w.called(node) or node.key)


def constant(w: Writer, node: exp.Expr, name: str) -> str:
    """A text that is written out, and is not empty."""
    value = node.args[name]
    if isinstance(value, exp.Literal) and value.is_string and value.this:
        return str(value.this)
    raise w.refused(
        node, f"{w.called(node) or node.key} is translated if its text is written out, and is not empty"
    )


def _simple(
    names: str, node: type[exp.Expr], pg: str, kind: Kind = Kind.TEXT, dialects: tuple[str, ...] = ALL
) -> None:
    def rule(w: Writer, node: exp.Expr) -> Value:
        return Value(f"{pg}({text(w, node).sql})", kind)

    function(names, node, "this", dialects)(rule)


_simple("reverse", exp.Reverse, "reverse")
_simple("md5", exp.MD5, "md5", dialects=("snowflake", "duckdb", "databricks", "redshift"))


def _letters(names: str, node: type[exp.Expr], pg: str) -> None:
    """PostgreSQL's, under its collation C, leaves letters beyond ASCII as they are: there it is an error."""

    def rule(w: Writer, node: exp.Expr) -> Value:
        sql = text(w, node).sql
        error = f"CAST(CAST('{pg} of more than ASCII: ' || {sql} AS integer) AS text)"
        return Value(
            f"CASE WHEN octet_length({sql}) = length({sql}) THEN {pg}({sql}) ELSE {error} END", Kind.TEXT
        )

    function(names, node, "this")(rule)


_letters("upper ucase", exp.Upper, "upper")
_letters("lower lcase", exp.Lower, "lower")


@function("length len char_length character_length", exp.Length, "this binary encoding")
def length(w: Writer, node: exp.Expr) -> Value:
    """Of bytes it is another number, so the argument has to be text."""
    value = require(w, node, w.expression(node.this), TEXT, "LENGTH")
    return Value(f"length({value.sql})", Kind.INT)


def joined(w: Writer, node: exp.Expr, value: Value) -> str:
    """As a part of a text that is put together: numbers and dates that are written alike everywhere may be."""
    require(w, node, value, frozenset({Kind.TEXT, Kind.INT, Kind.DATE}), "putting text together")
    return value.sql if value.kind is Kind.TEXT else f"CAST({value.sql} AS text)"


@form(exp.DPipe, "this expression safe")
def concatenated(w: Writer, node: exp.Expr) -> Value:
    left, right = w.expression(node.this), w.expression(node.args["expression"])
    return Value(f"({joined(w, node, left)} || {joined(w, node, right)})", Kind.TEXT)


@function("concat", exp.Concat, "expressions safe coalesce", _OTHERS)
def concat(w: Writer, node: exp.Expr) -> Value:
    """NULL if anything is."""
    parts = [joined(w, node, w.expression(item)) for item in node.args["expressions"]]
    return Value(f"({' || '.join(parts)})", Kind.TEXT)


@function("concat", exp.Concat, "expressions safe coalesce", ("duckdb",))
def concat_of_the_rest(w: Writer, node: exp.Expr) -> Value:
    """NULLs are passed over, as in PostgreSQL."""
    parts = [joined(w, node, w.expression(item)) for item in node.args["expressions"]]
    return Value(f"concat({', '.join(parts)})", Kind.TEXT)


@function(
    "concat_ws", exp.ConcatWs, "expressions safe coalesce flatten", ("snowflake", "databricks", "duckdb")
)
def concat_ws(w: Writer, node: exp.Expr) -> Value:
    parts = [joined(w, node, w.expression(item)) for item in node.args["expressions"]]
    sql = f"concat_ws({', '.join(parts)})"
    if w.dialect == "snowflake":
        nulls = " OR ".join(f"{part} IS NULL" for part in parts)
        sql = f"CASE WHEN {nulls} THEN NULL ELSE {sql} END"
    return Value(sql, Kind.TEXT)


def _trim(w: Writer, node: exp.Expr) -> Value:
    """Without characters, spaces: BigQuery takes all that Unicode calls white."""
    name = {"LEADING": "ltrim", "TRAILING": "rtrim"}.get(
        str(node.args.get("position") or "").upper(), "btrim"
    )
    value = text(w, node)
    if node.args.get("expression") is None:
        if w.dialect == "bigquery":
            raise w.refused(
                node,
                "TRIM of BigQuery takes all white space of Unicode away",
                "Name the characters: TRIM(x, ' ').",
            )
        return Value(f"{name}({value.sql})", Kind.TEXT)
    characters = constant(w, node, "expression")
    return Value(f"{name}({value.sql}, {text_literal(characters)})", Kind.TEXT)


function("trim ltrim rtrim btrim", exp.Trim, "this expression position")(_trim)
form(exp.Trim, "this expression position")(_trim)


def _substring(w: Writer, node: exp.Expr) -> Value:
    """From before the first character on, and of negative lengths, dialects differ."""
    value = text(w, node)
    start = whole(w, node.args["start"], "the start of SUBSTRING", 1)
    if node.args.get("length") is None:
        return Value(f"substr({value.sql}, {start})", Kind.TEXT)
    return Value(f"substr({value.sql}, {start}, {whole(w, node.args['length'], 'its length', 0)})", Kind.TEXT)


function("substr substring", exp.Substring, "this start length zero_start")(_substring)
form(exp.Substring, "this start length zero_start")(_substring)


def _side(names: str, node_type: type[exp.Expr], pg: str) -> None:
    def rule(w: Writer, node: exp.Expr) -> Value:
        count = whole(w, node.args["expression"], f"the length of {pg.upper()}", 0)
        return Value(f"{pg}({text(w, node).sql}, {count})", Kind.TEXT)

    function(names, node_type, "this expression negative_length_returns_empty")(rule)


_side("left", exp.Left, "left")
_side("right", exp.Right, "right")


@function("lpad rpad", exp.Pad, "this expression fill_pattern is_left")
def pad(w: Writer, node: exp.Expr) -> Value:
    name = "lpad" if node.args.get("is_left") else "rpad"
    count = whole(w, node.args["expression"], "the length of LPAD and RPAD", 0)
    fill = " " if node.args.get("fill_pattern") is None else constant(w, node, "fill_pattern")
    return Value(f"{name}({text(w, node).sql}, {count}, {text_literal(fill)})", Kind.TEXT)


@function("repeat", exp.Repeat, "this times")
def repeat(w: Writer, node: exp.Expr) -> Value:
    count = whole(w, node.args["times"], "the number of REPEAT", 0)
    return Value(f"repeat({text(w, node).sql}, {count})", Kind.TEXT)


@function("replace", exp.Replace, "this expression replacement")
def replace(w: Writer, node: exp.Expr) -> Value:
    replaced = constant(w, node, "expression")
    by = text(w, node, "replacement")
    return Value(f"replace({text(w, node).sql}, {text_literal(replaced)}, {by.sql})", Kind.TEXT)


@function(
    "translate", exp.Translate, "this from_ to", ("snowflake", "bigquery", "duckdb", "databricks", "redshift")
)
def translate(w: Writer, node: exp.Expr) -> Value:
    """Each character by the one at its place; of a repeated one dialects differ."""
    old, new = constant(w, node, "from_"), constant(w, node, "to")
    if len(set(old)) < len(old) or len(new) > len(old) or (w.dialect == "bigquery" and len(new) < len(old)):
        raise w.refused(node, "TRANSLATE with these characters is not translated")
    return Value(f"translate({text(w, node).sql}, {text_literal(old)}, {text_literal(new)})", Kind.TEXT)


@function(
    "split_part",
    exp.SplitPart,
    "this delimiter part_index part_index_zero_as_one empty_delimiter_returns_whole",
)
def split_part(w: Writer, node: exp.Expr) -> Value:
    part = whole(w, node.args["part_index"], "the number of SPLIT_PART", 1)
    between = constant(w, node, "delimiter")
    return Value(f"split_part({text(w, node).sql}, {text_literal(between)}, {part})", Kind.TEXT)


def _contains(names: str, node_type: type[exp.Expr], pattern: str, dialects: tuple[str, ...]) -> None:
    def rule(w: Writer, node: exp.Expr) -> Value:
        return Value(pattern.format(a=text(w, node).sql, b=text(w, node, "expression").sql), Kind.BOOL)

    function(names, node_type, "this expression", dialects)(rule)


_MOST = ("snowflake", "duckdb", "databricks")
_contains("contains", exp.Contains, "(strpos({a}, {b}) > 0)", _MOST)
_contains("startswith starts_with", exp.StartsWith, "starts_with({a}, {b})", (*_MOST, "bigquery"))
_contains("endswith ends_with", exp.EndsWith, "(right({a}, length({b})) = {b})", (*_MOST, "bigquery"))


def _position(w: Writer, node: exp.Expr) -> Value:
    sought = constant(w, node, "substr")
    return Value(f"strpos({text(w, node).sql}, {text_literal(sought)})", Kind.INT)


function("charindex strpos instr locate position", exp.StrPosition, "this substr clamp_position")(_position)
form(exp.StrPosition, "this substr clamp_position", ("snowflake", "databricks", "redshift", "duckdb"))(
    _position
)
