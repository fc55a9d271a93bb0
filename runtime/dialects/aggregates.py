"""Aggregates and window functions."""

from __future__ import annotations

from sqlglot import exp

from .arithmetic import as_float
from .numbers import number
from .strings import constant
from .values import NUMBERS, Kind, Value, scale_of, text_literal
from .writing import Rules, Writer, accept, check_arguments, require, unify, whole

RULES = Rules()
function, form = RULES.function, RULES.form

_BOOL = frozenset({Kind.BOOL})


@function("count", exp.Count, "this big_int")
def count(w: Writer, node: exp.Expr) -> Value:
    if isinstance(node.this, exp.Star):
        check_arguments(w, node.this, ("this",))
        return Value("count(*)", Kind.INT)
    sql, _ = _argument(w, node)
    return Value(f"count({sql})", Kind.INT)


def _argument(w: Writer, node: exp.Expr) -> tuple[str, Value]:
    """The one argument, with DISTINCT if it has that."""
    inner = node.this
    if not isinstance(inner, exp.Distinct):
        value = w.expression(inner)
        return value.sql, value
    check_arguments(w, inner, ("expressions",))
    if len(inner.expressions) != 1:
        raise w.refused(
            node,
            "DISTINCT of several: dialects differ in what NULLs count",
            "Put them into one text or number.",
        )
    value = w.expression(inner.expressions[0])
    return f"DISTINCT {value.sql}", value


@function("sum", exp.Sum)
def sum_(w: Writer, node: exp.Expr) -> Value:
    sql, value = _argument(w, node)
    require(w, node, value, NUMBERS, "SUM")
    # Redshift's sum of a bigint is a decimal, and divides as one.
    kind = Kind.NUMERIC if value.kind is Kind.INT and w.dialect == "redshift" else value.kind
    return Value(f"sum({sql})", kind, scale_of(value) if kind is Kind.NUMERIC else None, most=value.most)


@function("avg", exp.Avg)
def average(w: Writer, node: exp.Expr) -> Value:
    sql, value = _argument(w, node)
    require(w, node, value, NUMBERS, "AVG")
    if value.kind is Kind.FLOAT:
        return Value(f"avg({sql})", Kind.FLOAT)
    if value.kind is Kind.INT and w.dialect in ("bigquery", "duckdb", "databricks"):
        return Value(f"CAST(avg({sql}) AS double precision)", Kind.FLOAT)
    raise w.refused(
        node,
        f"how many digits AVG of {value.kind.value if value.kind else 'this'} has in {w.dialect} is not known here",
        "Cast the argument to a float, or write SUM(...) / COUNT(...).",
    )


def _extremes(names: str, node_type: type[exp.Expr], pg: str) -> None:
    def rule(w: Writer, node: exp.Expr) -> Value:
        sql, value = _argument(w, node)
        return value.written(f"{pg}({sql})")

    function(names, node_type, "this")(rule)
    form(node_type, "this", ("duckdb",))(rule)


_extremes("min", exp.Min, "min")
_extremes("max", exp.Max, "max")


@function("any_value", exp.AnyValue, "this")
def any_value(w: Writer, node: exp.Expr) -> Value:
    value = w.expression(node.this)
    return value.written(f"any_value({value.sql})")


@function(
    "count_if countif",
    exp.CountIf,
    "this zero_on_all_null",
    ("snowflake", "bigquery", "duckdb", "databricks"),
)
def count_if(w: Writer, node: exp.Expr) -> Value:
    if w.dialect == "snowflake":
        raise w.refused(
            node,
            "whether COUNT_IF of none is 0 or NULL, Snowflake's documentation does not say in one way",
            "Write COUNT(CASE WHEN ... THEN 1 END), which is 0 then.",
        )
    value = accept(w, node, w.expression(node.this), _BOOL, "COUNT_IF")
    if w.dialect == "duckdb":  # a sum of zeros and ones
        ones = f"sum(CASE WHEN {value.sql} THEN 1 WHEN NOT {value.sql} THEN 0 END)"
        return Value(ones, Kind.INT)
    return Value(f"count(*) FILTER (WHERE {value.sql})", Kind.INT)


def _truth(names: str, node_type: type[exp.Expr], pg: str, dialects: tuple[str, ...]) -> None:
    def rule(w: Writer, node: exp.Expr) -> Value:
        value = require(w, node, w.expression(node.this), _BOOL, w.called(node))
        return Value(f"{pg}({value.sql})", Kind.BOOL)

    function(names, node_type, "this", dialects)(rule)


for _type, _pg in ((exp.LogicalAnd, "bool_and"), (exp.LogicalOr, "bool_or")):
    _truth(_pg, _type, _pg, ("duckdb", "databricks", "redshift"))
_truth("booland_agg", exp.LogicalAnd, "bool_and", ("snowflake",))
_truth("boolor_agg", exp.LogicalOr, "bool_or", ("snowflake",))
_truth("logical_and", exp.LogicalAnd, "bool_and", ("bigquery",))
_truth("logical_or", exp.LogicalOr, "bool_or", ("bigquery",))


def _listed(w: Writer, node: exp.Expr, order: exp.Expr | None) -> Value:
    """LISTAGG and STRING_AGG.  Of nothing, it is an empty text in Snowflake; Redshift passes empty texts over, as NULLs."""
    inner, distinct = node.this, ""
    if isinstance(inner, exp.Order):
        order, inner = inner, inner.this
    if isinstance(inner, exp.Distinct):
        check_arguments(w, inner, ("expressions",))
        if w.dialect == "redshift":
            raise w.refused(
                node,
                "LISTAGG(DISTINCT) of Redshift does not tell texts apart by blanks at their end",
                "Select the distinct texts in a subquery.",
            )
        inner, distinct = inner.expressions[0], "DISTINCT "
    if isinstance(inner, exp.Order):
        order, inner = inner, inner.this
    value = accept(w, node, w.expression(inner), frozenset({Kind.TEXT}), "STRING_AGG")
    default = "," if w.dialect in ("bigquery", "duckdb") else ""
    between = default if node.args.get("separator") is None else str(node.args["separator"].this)
    if node.args.get("separator") is not None and between:
        between = constant(w, node, "separator")
    by = "" if order is None else f" {ordering(w, order)}"
    listed = f"NULLIF({value.sql}, '')" if w.dialect == "redshift" else value.sql
    sql = f"string_agg({distinct}{listed}, {text_literal(between)}{by})"
    return Value(f"COALESCE({sql}, '')" if w.dialect == "snowflake" else sql, Kind.TEXT)


form(exp.GroupConcat, "this separator", ("snowflake", "bigquery", "duckdb"))(
    lambda w, node: _listed(w, node, None)
)


@function("listagg string_agg", exp.GroupConcat, "this separator", ("redshift", "duckdb", "bigquery"))
def listed(w: Writer, node: exp.Expr) -> Value:
    return _listed(w, node, None)


@form(exp.WithinGroup, "this expression", ("redshift",))
def within_group(w: Writer, node: exp.Expr) -> Value:
    if not isinstance(node.this, exp.GroupConcat):
        raise w.refused(node, "WITHIN GROUP of this is not translated")
    check_arguments(w, node.this, ("this", "separator"))
    return _listed(w, node.this, node.args["expression"])


@form(exp.Filter, "this expression")
def filtered(w: Writer, node: exp.Expr) -> Value:
    if not isinstance(
        node.this, exp.Count | exp.Sum | exp.Min | exp.Max | exp.Avg | exp.LogicalAnd | exp.LogicalOr
    ):
        raise w.refused(node, "FILTER of this is not translated")
    if isinstance(node.this, exp.Avg) and w.dialect != "duckdb":
        raise w.refused(node, "FILTER of AVG is not translated")
    value = w.expression(node.this)
    condition = w.expression(node.args["expression"].this)
    if not value.sql.endswith(")") or value.sql.startswith("CAST("):
        raise w.refused(node, "FILTER of this is not translated", "Write CASE in the argument.")
    return value.written(f"{value.sql} FILTER (WHERE {condition.sql})")


@form(exp.ArgMax, "this expression", ("duckdb",))
def greatest_by(w: Writer, node: exp.Expr) -> Value:
    value, by = w.expression(node.this), w.expression(node.args["expression"])
    return value.written(f"max_by({value.sql}, {by.sql})")


@form(exp.ArgMin, "this expression", ("duckdb",))
def least_by(w: Writer, node: exp.Expr) -> Value:
    value, by = w.expression(node.this), w.expression(node.args["expression"])
    return value.written(f"min_by({value.sql}, {by.sql})")


@function("median", exp.Median, "this", ("duckdb", "databricks"))
def median(w: Writer, node: exp.Expr) -> Value:
    value = number(w, node)
    if value.kind is Kind.NUMERIC:
        raise w.refused(node, "MEDIAN of decimals is not translated", "Cast the argument to DOUBLE.")
    return Value(f"percentile_cont(0.5) WITHIN GROUP (ORDER BY {as_float(value)})", Kind.FLOAT)


# --- windows ---


def _ranking(name: str, node_type: type[exp.Expr], kind: Kind = Kind.INT) -> None:
    def rule(w: Writer, node: exp.Expr) -> Value:
        return Value(f"{name}()", kind)

    function(name, node_type, "")(rule)


_ranking("row_number", exp.RowNumber)
_ranking("rank", exp.Rank)
_ranking("dense_rank", exp.DenseRank)
_ranking("percent_rank", exp.PercentRank, Kind.FLOAT)
_ranking("cume_dist", exp.CumeDist, Kind.FLOAT)


@function("ntile", exp.Ntile)
def ntile(w: Writer, node: exp.Expr) -> Value:
    return Value(f"ntile({whole(w, node.this, 'NTILE', 1)})", Kind.INT)


def _neighbour(name: str, node_type: type[exp.Expr]) -> None:
    def rule(w: Writer, node: exp.Expr) -> Value:
        values = [w.expression(node.this)]
        parts = [values[0].sql]
        offset, default = node.args.get("offset"), node.args.get("default")
        if offset is not None or default is not None:
            parts.append("1" if offset is None else str(whole(w, offset, f"the offset of {name.upper()}", 0)))
        if default is not None:
            values.append(w.expression(default))
            parts.append(values[1].sql)
        found = unify(w, node, values)
        return found.written(f"{name}({', '.join(parts)})")

    function(name, node_type, "this offset default")(rule)


_neighbour("lag", exp.Lag)
_neighbour("lead", exp.Lead)


def _of_frame(names: str, node_type: type[exp.Expr], pg: str) -> None:
    def rule(w: Writer, node: exp.Expr) -> Value:
        value = w.expression(node.this)
        return value.written(f"{pg}({value.sql})")

    function(names, node_type, "this")(rule)


_of_frame("first_value", exp.FirstValue, "first_value")
_of_frame("last_value", exp.LastValue, "last_value")


@form(exp.IgnoreNulls, "this")
def ignore_nulls(w: Writer, node: exp.Expr) -> Value:
    if not isinstance(node.this, exp.Lag | exp.Lead | exp.FirstValue | exp.LastValue):
        raise w.refused(node, "IGNORE NULLS of this is not translated")
    value = w.expression(node.this)
    return value.written(f"{value.sql} IGNORE NULLS")


_FRAME_FREE = (
    exp.RowNumber,
    exp.Rank,
    exp.DenseRank,
    exp.PercentRank,
    exp.CumeDist,
    exp.Ntile,
    exp.Lag,
    exp.Lead,
)


@form(exp.Window, "this partition_by order spec over")
def window(w: Writer, node: exp.Expr) -> Value:
    if str(node.args.get("over") or "OVER").upper() != "OVER":
        raise w.refused(node, "this window is not translated")
    function_ = node.this.this if isinstance(node.this, exp.IgnoreNulls) else node.this
    value = w.expression(node.this)
    if value.sql.startswith(("CAST(", "COALESCE(", "CASE ")):
        raise w.refused(node, f"{w.called(function_) or function_.key} over a window is not translated")
    order, spec = node.args.get("order"), node.args.get("spec")
    parts = []
    if node.args.get("partition_by"):
        keys = ", ".join(w.expression(item).sql for item in node.args["partition_by"])
        parts.append(f"PARTITION BY {keys}")
    if order is not None:
        parts.append(ordering(w, order))
    if spec is not None:
        parts.append(_frame(w, spec))
    elif order is not None and not isinstance(function_, _FRAME_FREE) and w.dialect == "redshift":
        raise w.refused(node, "Redshift wants a frame here", "Write ROWS BETWEEN ... AND ...")
    return value.written(f"{value.sql} OVER ({' '.join(parts)})")


def _frame(w: Writer, spec: exp.Expr) -> str:
    check_arguments(w, spec, ("kind", "start", "start_side", "end", "end_side"))
    kind = str(spec.args["kind"]).upper()
    if kind not in ("ROWS", "RANGE"):
        raise w.refused(spec, f"a frame of {kind} is not translated")
    ends = []
    for name in ("start", "end"):
        end, side = spec.args.get(name), str(spec.args.get(f"{name}_side") or "").upper()
        if end is None:
            continue
        if isinstance(end, str):
            ends.append(f"{end.upper()} {side}".strip())
        elif kind == "ROWS":
            ends.append(f"{whole(w, end, 'the distance of a frame', 0)} {side}")
        else:
            raise w.refused(spec, "a RANGE by a distance is not translated", "Use ROWS.")
    return f"{kind} BETWEEN {ends[0]} AND {ends[1]}" if len(ends) == 2 else f"{kind} {ends[0]}"


def ordering(w: Writer, order: exp.Expr) -> str:
    """ORDER BY with NULLs where the dialect has them."""
    check_arguments(w, order, ("this", "expressions"))
    return "ORDER BY " + ", ".join(ordered(w, item) for item in order.expressions)


def ordered(w: Writer, item: exp.Expr, sql: str | None = None) -> str:
    check_arguments(w, item, ("this", "desc", "nulls_first"))
    descending, first = bool(item.args.get("desc")), bool(item.args.get("nulls_first"))
    written = w.expression(item.this).sql if sql is None else sql
    nulls = "" if first == descending else f" NULLS {'FIRST' if first else 'LAST'}"
    return f"{written}{' DESC' if descending else ''}{nulls}"
