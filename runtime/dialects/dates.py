"""Functions of dates and instants.  The session's zone is UTC, as that of views is."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from .arithmetic import TWELVE_MONTHS, interval
from .casts import Target, converted
from .values import DAYS, STAMPS, Kind, Value
from .writing import Rules, Writer, check_arguments, require

RULES = Rules()
function, form = RULES.function, RULES.form

_DATE = frozenset({Kind.DATE})
_UNITS = {
    "YEAR": "year",
    "YY": "year",
    "YYYY": "year",
    "QUARTER": "quarter",
    "MONTH": "month",
    "MM": "month",
    "MON": "month",
    "WEEK": "week",
    "DAY": "day",
    "DD": "day",
    "HOUR": "hour",
    "MINUTE": "minute",
    "SECOND": "second",
}
_LONG = ("year", "quarter", "month", "week", "day")
_SUNDAYS = "Its weeks begin on Sunday: use ISOWEEK, or WEEK(MONDAY)."


def unit(w: Writer, node: exp.Expr) -> str:
    """The word of a part.  Of BigQuery, `week` begins on Monday, `sunday week` on Sunday."""
    found = node.args.get("unit")
    if isinstance(found, exp.WeekStart):
        start = str(getattr(found.this, "this", found.this)).upper()
        if start not in ("MONDAY", "SUNDAY"):
            raise w.refused(node, f"weeks that begin on {start} are not translated", "Use ISOWEEK.")
        return "week" if start == "MONDAY" else "sunday week"
    word = str(getattr(found, "this", found) or "").upper()
    word = word[:-1] if word.endswith("S") and word[:-1] in _UNITS else word
    if w.dialect == "bigquery" and word in ("WEEK", "ISOWEEK"):
        return "week" if word == "ISOWEEK" else "sunday week"
    if word not in _UNITS:
        raise w.refused(node, f"the part {word or 'of this'} is not translated")
    return _UNITS[word]


def moment(w: Writer, node: exp.Expr, name: str = "this", kinds: frozenset[Kind] = DAYS) -> Value:
    """A date or an instant; of a text that is written as one everywhere, a date."""
    found = node.args[name]
    if isinstance(found, exp.TsOrDsToDate | exp.TsOrDsToTimestamp) and not w.called(found):
        found = found.this
    return require(w, node, w.expression(found), kinds, w.called(node) or node.key)


# --- the beginning of a part ---


def _truncated(w: Writer, node: exp.Expr) -> Value:
    value, part = moment(w, node), unit(w, node)
    before, behind = "", ""
    if part == "sunday week":
        part, before, behind = "week", " + INTERVAL '1 day'", " - INTERVAL '1 day'"
    if value.kind is Kind.TIMESTAMPTZ:
        return Value(f"(date_trunc('{part}', {value.sql}{before}, 'UTC'){behind})", value.kind)
    if value.kind is Kind.TIMESTAMP:
        return Value(f"(date_trunc('{part}', {value.sql}{before}){behind})", value.kind)
    sql = f"(date_trunc('{part}', CAST({value.sql} AS timestamp){before}){behind})"
    if w.dialect == "databricks":  # a TIMESTAMP, whatever it is of
        return Value(f"({sql} AT TIME ZONE 'UTC')", Kind.TIMESTAMPTZ)
    if w.dialect in ("redshift", "duckdb"):
        return Value(sql, Kind.TIMESTAMP)
    if part not in _LONG:
        raise w.refused(node, f"the {part} of a date is not translated")
    return Value(f"CAST({sql} AS date)", Kind.DATE)


function(
    "date_trunc",
    exp.TimestampTrunc,
    "this unit input_type_preserved",
    ("snowflake", "redshift", "duckdb", "databricks"),
)(_truncated)


@function("date_trunc", exp.DateTrunc, "this unit", ("bigquery",))
def date_trunc(w: Writer, node: exp.Expr) -> Value:
    moment(w, node, kinds=_DATE)
    return _truncated(w, node)


function("date_trunc", exp.DateTrunc, "this unit input_type_preserved", ("snowflake",))(_truncated)


@function("timestamp_trunc", exp.TimestampTrunc, "this unit", ("bigquery",))
@function("datetime_trunc", exp.DatetimeTrunc, "this unit", ("bigquery",))
def timestamp_trunc(w: Writer, node: exp.Expr) -> Value:
    moment(w, node, kinds=STAMPS)
    return _truncated(w, node)


@function("trunc", exp.DateTrunc, "this unit", ("databricks",))
def trunc(w: Writer, node: exp.Expr) -> Value:
    value, part = moment(w, node), unit(w, node)
    if part not in ("year", "quarter", "month", "week"):
        raise w.refused(node, f"TRUNC to {part} is not translated", "Use CAST(... AS DATE).")
    day = converted(w, node, value, Target(Kind.DATE, "date"))
    return Value(f"CAST(date_trunc('{part}', CAST({day.sql} AS timestamp)) AS date)", Kind.DATE)


@function("last_day", exp.LastDay)
def last_day(w: Writer, node: exp.Expr) -> Value:
    day = converted(w, node, moment(w, node), Target(Kind.DATE, "date"))
    end = f"date_trunc('month', CAST({day.sql} AS timestamp)) + INTERVAL '1 month' - INTERVAL '1 day'"
    return Value(f"CAST({end} AS date)", Kind.DATE)


# --- differences ---


def _boundaries(w: Writer, node: exp.Expr, part: str, earlier: Value, later: Value) -> Value:
    if part == "sunday week":
        part, earlier, later = (
            "week",
            Value(f"({earlier.sql} + INTERVAL '1 day')"),
            Value(f"({later.sql} + INTERVAL '1 day')"),
        )
    return Value(f"datediff('{part}', {earlier.sql}, {later.sql})", Kind.INT)


@function(
    "datediff date_diff timestampdiff timediff",
    exp.DateDiff,
    "this expression unit date_part_boundary",
    ("snowflake", "duckdb"),
)
def boundaries(w: Writer, node: exp.Expr) -> Value:
    """How many beginnings of the part lie between."""
    later, earlier, part = moment(w, node), moment(w, node, "expression"), unit(w, node)
    if part == "week" and w.dialect == "duckdb":
        raise w.refused(node, "DuckDB counts weeks of seven days", "Use days.")
    return _boundaries(w, node, part, earlier, later)


@function("datediff date_diff", exp.TsOrDsDiff, "this expression unit", ("redshift",))
def boundaries_of_redshift(w: Writer, node: exp.Expr) -> Value:
    part = unit(w, node)
    if part == "week":
        raise w.refused(node, "on which day Redshift's weeks begin is not known here", "Use days.")
    later, earlier = moment(w, node), moment(w, node, "expression")
    return _boundaries(w, node, part, earlier, later)


@function("date_diff", exp.DateDiff, "this expression unit date_part_boundary", ("bigquery",))
def boundaries_of_dates(w: Writer, node: exp.Expr) -> Value:
    later, earlier = moment(w, node, kinds=_DATE), moment(w, node, "expression", _DATE)
    return _boundaries(w, node, unit(w, node), earlier, later)


@function("datetime_diff", exp.DatetimeDiff, "this expression unit date_part_boundary", ("bigquery",))
def boundaries_of_datetimes(w: Writer, node: exp.Expr) -> Value:
    kinds = frozenset({Kind.TIMESTAMP})
    later, earlier = moment(w, node, kinds=kinds), moment(w, node, "expression", kinds)
    return _boundaries(w, node, unit(w, node), earlier, later)


_SECONDS = {"day": 86_400, "hour": 3_600, "minute": 60, "second": 1}


@function("timestamp_diff", exp.TimestampDiff, "this expression unit", ("bigquery",))
def elapsed(w: Writer, node: exp.Expr) -> Value:
    """Whole parts that have gone by."""
    kinds, part = frozenset({Kind.TIMESTAMPTZ}), unit(w, node)
    later, earlier = moment(w, node, kinds=kinds), moment(w, node, "expression", kinds)
    if part not in _SECONDS:
        raise w.refused(node, f"TIMESTAMP_DIFF in {part} is not translated")
    seconds = f"extract(epoch FROM ({later.sql} - {earlier.sql}))"
    return Value(f"CAST(trunc({seconds} / {_SECONDS[part]}) AS bigint)", Kind.INT)


@function("datediff", exp.DateDiff, "this expression unit", ("databricks",))
def days_between(w: Writer, node: exp.Expr) -> Value:
    """Days of dates; other parts, and instants, count what has gone by."""
    part = unit(w, node)
    if part != "day":
        raise w.refused(node, f"DATEDIFF in {part} counts what has gone by", "Use days.")
    later, earlier = moment(w, node), moment(w, node, "expression")
    if later.kind is not Kind.DATE or earlier.kind is not Kind.DATE:
        raise w.refused(
            node, "DATEDIFF of instants counts what has gone by, or days of the zone", "Cast both to DATE."
        )
    return Value(f"({later.sql} - {earlier.sql})", Kind.INT)


# --- sums ---


def _count(w: Writer, node: exp.Expr, name: str = "expression") -> str:
    found = node.args[name]
    if isinstance(found, exp.Literal) and str(found.this).isdigit():
        return str(found.this)  # of an INTERVAL it is a text in the tree
    return require(w, node, w.expression(found), frozenset({Kind.INT}), w.called(node)).sql


def shifted(value: Value, part: str, count: str, kind: Kind | None) -> Value:
    step = "3 month" if part == "quarter" else f"1 {part}"
    sql = f"({value.sql} + {count} * INTERVAL '{step}')"
    return Value(f"CAST({sql} AS date)" if kind is Kind.DATE else sql, kind)


@function("dateadd date_add timestampadd timeadd", exp.DateAdd, "this expression unit", ("snowflake",))
def date_add_of_snowflake(w: Writer, node: exp.Expr) -> Value:
    value, part = moment(w, node), unit(w, node)
    kind = Kind.TIMESTAMP if value.kind is Kind.DATE and part not in _LONG else value.kind
    return shifted(value, part, f"CAST({_count(w, node)} AS integer)", kind)


@function("dateadd date_add", exp.TsOrDsAdd, "this expression unit return_type", ("redshift",))
def date_add_of_redshift(w: Writer, node: exp.Expr) -> Value:
    value, part = moment(w, node), unit(w, node)
    if part == "year":
        raise w.refused(
            node, "a year later than a 29th of February is a 1st of March in Redshift", TWELVE_MONTHS
        )
    return shifted(value, part, _count(w, node), Kind.TIMESTAMP if value.kind is Kind.DATE else value.kind)


def _bigquery_sum(names: str, node_type: type[exp.Expr], kind: Kind, sign: str) -> None:
    def rule(w: Writer, node: exp.Expr) -> Value:
        value, part = moment(w, node, kinds=frozenset({kind})), unit(w, node)
        part = "week" if part == "sunday week" else part
        if (kind is Kind.DATE and part not in _LONG) or (
            kind is Kind.TIMESTAMPTZ and part in ("week", "month", "quarter", "year")
        ):
            raise w.refused(node, f"{part} here is an error in BigQuery")
        return shifted(value, part, f"({sign}{_count(w, node)})", kind)

    function(names, node_type, "this expression unit", ("bigquery",))(rule)


for _name, _kind, _add, _sub in (
    ("date", Kind.DATE, exp.DateAdd, exp.DateSub),
    ("datetime", Kind.TIMESTAMP, exp.DatetimeAdd, exp.DatetimeSub),
    ("timestamp", Kind.TIMESTAMPTZ, exp.TimestampAdd, exp.TimestampSub),
):
    _bigquery_sum(f"{_name}_add", _add, _kind, "")
    _bigquery_sum(f"{_name}_sub", _sub, _kind, "-")


@function("date_add dateadd", exp.TsOrDsAdd, "this expression unit", ("databricks",))
def days_later(w: Writer, node: exp.Expr) -> Value:
    value = moment(w, node, kinds=_DATE)
    if unit(w, node) != "day":
        raise w.refused(node, "DATEADD of other than days is not translated", "Use d + INTERVAL '1' MONTH.")
    return Value(f"({value.sql} + {_count(w, node)})", Kind.DATE)


@function("date_sub", exp.TsOrDsAdd, "this expression unit", ("databricks",))
def days_before(w: Writer, node: exp.Expr) -> Value:
    """sqlglot makes it the sum with the number times -1."""
    value, count = moment(w, node, kinds=_DATE), node.args["expression"]
    if not isinstance(count, exp.Mul) or not isinstance(count.args["expression"], exp.Neg):
        raise w.refused(node, "this DATE_SUB is not translated")
    days = require(w, node, w.expression(count.this.unnest()), frozenset({Kind.INT}), "DATE_SUB")
    return Value(f"({value.sql} - {days.sql})", Kind.DATE)


@form(exp.Interval, "this unit", ("duckdb",))
def span(w: Writer, node: exp.Expr) -> Value:
    return Value(interval(w, node)[0], Kind.INTERVAL)


# --- parts ---

_ISO_WEEK = {"snowflake", "duckdb", "databricks"}


def _part(w: Writer, node: exp.Expr, word: str, value: Value) -> Value:
    """`word`: as PostgreSQL calls it."""
    source = f"({value.sql} AT TIME ZONE 'UTC')" if value.kind is Kind.TIMESTAMPTZ else value.sql
    found = f"extract({word} FROM {source})"
    if word in ("hour", "minute", "second") and value.kind is Kind.DATE:
        return Value("CASE WHEN " + value.sql + " IS NOT NULL THEN 0 END", Kind.INT)
    if word == "second" and w.dialect in ("databricks", "redshift"):
        raise w.refused(node, "whether a second has a fraction differs", "Use FLOOR in PostgreSQL's SQL.")
    return Value(
        f"CAST(floor({found}) AS integer)" if word == "second" else f"CAST({found} AS integer)", Kind.INT
    )


def _named_part(
    names: str, node_type: type[exp.Expr], word: str, dialects: tuple[str, ...], plus: int = 0
) -> None:
    def rule(w: Writer, node: exp.Expr) -> Value:
        value = _part(w, node, word, moment(w, node))
        return Value(f"({value.sql} + {plus})", Kind.INT) if plus else value

    function(names, node_type, "this", dialects)(rule)


_CALLED = ("snowflake", "duckdb", "databricks")
for _names, _type, _word in (
    ("year", exp.Year, "year"),
    ("quarter", exp.Quarter, "quarter"),
    ("month", exp.Month, "month"),
    ("day", exp.Day, "day"),
    ("dayofyear", exp.DayOfYear, "doy"),
    ("hour", exp.Hour, "hour"),
    ("minute", exp.Minute, "minute"),
    ("second", exp.Second, "second"),
):
    _named_part(_names, _type, _word, _CALLED)
_named_part("day dayofmonth", exp.DayOfMonth, "day", _CALLED)
_named_part("week weekofyear weekiso", exp.Week, "week", _CALLED)
_named_part("week weekofyear weekiso", exp.WeekOfYear, "week", _CALLED)
_named_part("dayofweek", exp.DayOfWeek, "dow", ("snowflake", "duckdb"))
_named_part("dayofweek", exp.DayOfWeek, "dow", ("databricks",), plus=1)
_named_part("dayofweekiso dayofweek_iso isodow", exp.DayOfWeekIso, "isodow", ("snowflake", "duckdb"))

_EXTRACTED = {
    "YEAR": "year",
    "QUARTER": "quarter",
    "MONTH": "month",
    "DAY": "day",
    "DAYOFYEAR": "doy",
    "DOY": "doy",
    "HOUR": "hour",
    "MINUTE": "minute",
    "SECOND": "second",
}


_ABBREVIATED = {
    "YEAR": "Y YR YRS YEARS",
    "QUARTER": "QTR QTRS QUARTERS",
    "MONTH": "MON MONS MONTHS",
    "DAY": "D DAYS",
    "DOY": "DAYOFYEAR DY YEARDAY",
    "DOW": "DAYOFWEEK DW WEEKDAY",
    "HOUR": "H HR HRS HOURS",
    "MINUTE": "M MIN MINS MINUTES",
}
_DATE_PARTS = {word: part for part, words in _ABBREVIATED.items() for word in (part, *words.split())}


@function("date_part", exp.Anonymous, "this expressions", ("redshift",))
def date_part(w: Writer, node: exp.Expr) -> Value:
    """The documentation calls it a float; of EXTRACT, an integer."""
    if len(node.expressions) != 2:
        raise w.refused(node, "DATE_PART has two arguments")
    named, of = node.expressions
    part = str(named.this.this if isinstance(named, exp.Column) else named.this).upper()
    if not isinstance(named, exp.Column | exp.Literal) or part not in _DATE_PARTS:
        raise w.refused(node, f"DATE_PART of {part} is not translated", "Write EXTRACT.")
    value = require(w, node, w.expression(of), DAYS, "DATE_PART")
    word = _DATE_PARTS[part]
    return replace(_part(w, node, "dow" if word == "DOW" else _EXTRACTED[word], value), kind=Kind.WHOLE)


@form(exp.Extract, "this expression")
def extract(w: Writer, node: exp.Expr) -> Value:
    part = str(getattr(node.this, "this", node.this)).upper()
    value = moment(w, node, "expression")
    dialect = w.dialect
    if part in _EXTRACTED and not (part == "DOY" and dialect == "bigquery"):
        return _part(w, node, _EXTRACTED[part], value)
    if part == "DATE" and dialect == "bigquery":
        return converted(w, node, value, Target(Kind.DATE, "date"))
    if (part == "WEEK" and dialect in _ISO_WEEK) or (part == "ISOWEEK" and dialect == "bigquery"):
        return _part(w, node, "week", value)
    if part == "ISOYEAR" and dialect in ("bigquery", "duckdb"):
        return _part(w, node, "isoyear", value)
    if part in ("DOW", "DAYOFWEEK"):
        plus = 1 if dialect in ("bigquery", "databricks") and part == "DAYOFWEEK" else 0
        if dialect == "databricks" and part == "DOW":
            plus = 1
        found = _part(w, node, "dow", value)
        return Value(f"({found.sql} + {plus})", Kind.INT) if plus else found
    raise w.refused(node, f"{part} of a date is not translated", _SUNDAYS if part == "WEEK" else None)


# --- now, and dates of other things ---


@form(exp.CurrentDate, "")
def current_date(w: Writer, node: exp.Expr) -> Value:
    return Value("current_date", Kind.DATE)


function("current_date", exp.CurrentDate, "")(current_date)


def _current_timestamp(w: Writer, node: exp.Expr) -> Value:
    return Value("current_timestamp", Kind.TIMESTAMPTZ)


form(exp.CurrentTimestamp, "", ("bigquery", "databricks", "duckdb", "snowflake"))(_current_timestamp)
function(
    "current_timestamp now", exp.CurrentTimestamp, "", ("bigquery", "databricks", "duckdb", "snowflake")
)(_current_timestamp)


@function("to_date date", exp.TsOrDsToDate, "this", ("snowflake", "databricks", "redshift", "duckdb"))
@function("date", exp.Date, "this", ("bigquery", "databricks", "duckdb"))
def to_date(w: Writer, node: exp.Expr) -> Value:
    return converted(w, node, w.expression(node.this), Target(Kind.DATE, "date"))


@function("date", exp.Date, "this zone expressions", ("snowflake",))
def to_date_of_snowflake(w: Writer, node: exp.Expr) -> Value:
    check_arguments(w, node, ("this",))
    return to_date(w, node)


@function("to_date", exp.Cast, "this to", ("snowflake", "redshift", "databricks"))
def to_date_of_literal(w: Writer, node: exp.Expr) -> Value:
    """sqlglot makes a cast of it."""
    return to_date(w, node)
