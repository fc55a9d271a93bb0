"""What a relation means, at one time: slow and obvious, over Python dicts.

A collection is a dict from row (a tuple of Python values, None for NULL) to multiplicity, without zeros.  `evaluate`
computes a `Relation` over such collections by nested loops, from SQL's definitions and nothing else, so that the
operators, which compute it incrementally, have something to agree with.

Values follow Arrow's `to_pylist`: int, float, Decimal, str, bool, date, datetime.
"""

from __future__ import annotations

import functools
import math
import operator
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from typing import Any

from ptvc.expr.tree import relation as r
from ptvc.expr.tree import scalar as s

from .operators.reference_windows import window

Row = tuple[Any, ...]
Rows = dict[Row, int]
Update = tuple[Row, int, int]
"""(row, time, diff)"""


def collect(rows: Iterable[tuple[Row, int]]) -> Rows:
    out: defaultdict[Row, int] = defaultdict(int)
    for row, diff in rows:
        out[row] += diff
    return {row: diff for row, diff in out.items() if diff}


def as_of(updates: Iterable[Update], time: int) -> Rows:
    """The collection at `time`."""
    return collect((row, diff) for row, at, diff in updates if at <= time)


def evaluate(relation: r.Relation, inputs: Mapping[str, Rows], bound: Mapping[str, Rows] = {}) -> Rows:
    """The relation's rows when its `Get`s read `inputs` and its `LocalGet`s `bound`.  Expressions must not fail."""

    def of(child: r.Relation) -> Rows:
        return evaluate(child, inputs, bound)

    match relation:
        case r.Get(id=id_):
            return dict(inputs[id_])
        case r.Constant(rows=rows):
            return collect((tuple(row), 1) for row in rows)
        case r.Map(input=child, scalars=scalars):
            return collect((row + tuple(scalar(e, row) for e in scalars), n) for row, n in of(child).items())
        case r.Filter(input=child, predicates=predicates):
            return {row: n for row, n in of(child).items() if _passes(predicates, row)}
        case r.Project(input=child, indices=indices):
            return collect((tuple(row[i] for i in indices), n) for row, n in of(child).items())
        case r.Join(left=left, right=right):
            return join(relation, of(left), of(right))
        case r.Reduce(input=child):
            return reduce(relation, of(child))
        case r.Distinct(input=child):
            return {row: 1 for row, n in of(child).items() if n > 0}
        case r.TopK(input=child):
            return top_k(relation, of(child))
        case r.Window(input=child):
            return collect(window(relation, of(child), _comparison, scalar, aggregate))
        case r.Union(inputs=children):
            return collect(item for child in children for item in of(child).items())
        case r.Negate(input=child):
            return {row: -n for row, n in of(child).items()}
        case r.Threshold(input=child):
            return {row: n for row, n in of(child).items() if n > 0}
        case r.AssertSingle(input=child):
            return of(child)
        case r.LocalGet(id=id_):
            return dict(bound[id_])
        case r.LetRec():
            return let_rec(relation, inputs, bound)
        case r.FlatMap(input=child):
            return collect((added, n) for row, n in of(child).items() for added in flat_map(relation, row))
    raise AssertionError(relation)


def let_rec(node: r.LetRec, inputs: Mapping[str, Rows], bound: Mapping[str, Rows]) -> Rows:
    """Iterates until nothing changes, or as often as the limit allows (which must be one that returns)."""
    values = dict(bound) | {binding.id: {} for binding in node.bindings}
    iteration = 0
    while node.limit is None or iteration < node.limit:
        before = dict(values)
        for binding in node.bindings:
            values[binding.id] = evaluate(binding.value, inputs, values)
        if values == before:
            break
        iteration += 1
    return evaluate(node.body, inputs, values)


def flat_map(node: r.FlatMap, row: Row) -> list[Row]:
    """The rows that one row becomes."""
    columns = [table_function(call, row) for call in node.calls]
    count = max(map(len, columns))
    kept = tuple(row[i] for i in node.kept)
    out = []
    for i in range(count):
        values = tuple(column[i] if i < len(column) else None for column in columns)
        out.append((*kept, *values, i + 1) if node.ordinality else kept + values)
    if not out and node.outer:
        out.append(kept + (None,) * len(node.names))
    return out


def table_function(call: r.TableCall, row: Row) -> list[Any]:
    args = [scalar(arg, row) for arg in call.args]
    match call.function, args:
        case "once", [value]:
            return [value]
        case "string_to_table", [str() as text, None]:
            return list(text)
        case "string_to_table", [str() as text, ""]:
            return [text] if text else []
        case "string_to_table", [str() as text, delimiter]:
            return text.split(delimiter) if text else []
    if None in args:
        return []
    match call.function, args:
        case "generate_series", [first, last]:
            return list(range(first, last + 1))
        case "generate_series", [first, last, step]:
            return list(range(first, last + (1 if step > 0 else -1), step))
        case "generate_subscripts", [values, 1]:
            return list(range(1, len(values) + 1))
        case "unnest", [values]:
            return list(values)
    raise AssertionError(call)


def join(node: r.Join, left: Rows, right: Rows) -> Rows:
    def matches(a: Row, b: Row) -> bool:
        for left_key, right_key in zip(node.left_keys, node.right_keys, strict=True):
            x, y = scalar(left_key, a), scalar(right_key, b)
            if (x is None or y is None) and not (node.null_safe and x is None and y is None):
                return False
            if not _same(x, y):
                return False
        return _passes(node.residual, a + b)

    pairs = [(a, b, m * n) for a, m in left.items() for b, n in right.items() if matches(a, b)]
    left_matched, right_matched = {a for a, _, _ in pairs}, {b for _, b, _ in pairs}
    kinds = r.JoinKind
    if node.kind is kinds.SEMI:
        return {a: m for a, m in left.items() if a in left_matched}
    if node.kind is kinds.ANTI:
        return {a: m for a, m in left.items() if a not in left_matched}
    out = [(a + b, n) for a, b, n in pairs]
    if node.kind in (kinds.LEFT, kinds.FULL):
        nulls = (None,) * len(node.right.schema)
        out += [(a + nulls, m) for a, m in left.items() if a not in left_matched]
    if node.kind in (kinds.RIGHT, kinds.FULL):
        nulls = (None,) * len(node.left.schema)
        out += [(nulls + b, n) for b, n in right.items() if b not in right_matched]
    return collect(out)


def reduce(node: r.Reduce, rows: Rows) -> Rows:
    groups: defaultdict[Row, list[tuple[Row, int]]] = defaultdict(list)
    for row, n in rows.items():
        groups[tuple(scalar(key, row) for key in node.keys)].append((row, n))
    if node.scalar and not groups:
        groups[()] = []
    return {key + tuple(aggregate(a, group) for a in node.aggregates): 1 for key, group in groups.items()}


def aggregate(node: r.Aggregate, group: Sequence[tuple[Row, int]]) -> Any:
    """One aggregate over rows with their multiplicities (all positive)."""
    rows = [(row, n) for row, n in group if node.filter is None or scalar(node.filter, row) is True]
    if node.order or node.function in ("array_agg", "string_agg", "any_value"):
        return _ordered(node, rows)
    if node.argument is None:
        return sum(n for _, n in rows)
    if node.rest:
        pairs = [(scalar(node.argument, row), scalar(node.rest[0], row)) for row, n in rows for _ in range(n)]
        pairs = [pair for pair in pairs if None not in pair]
        return len(pairs) if node.function == "regr_count" else _regression(node.function, pairs)
    values = [v for row, n in rows for v in [scalar(node.argument, row)] * n if v is not None]
    if node.distinct:
        values = list(dict.fromkeys(values))
    if node.function == "count":
        return len(values)
    if not values:
        return None
    return _AGGREGATES[node.function](values)


def _ordered(node: r.Aggregate, group: Sequence[tuple[Row, int]]) -> Any:
    """array_agg, string_agg, any_value and ordered-set aggregates: over values with their sort keys, in order."""
    arguments = () if node.argument is None else (node.argument, *node.rest)
    width = len(arguments)
    every = (*arguments, *(key.scalar for key in node.order))
    rows = [tuple(scalar(e, row) for e in every) for row, n in group for _ in range(n)]
    name = node.function
    if name not in ("array_agg", "rank", "dense_rank", "percent_rank", "cume_dist"):
        rows = [row for row in rows if row[0] is not None]
    if node.distinct:
        rows = list(dict.fromkeys(rows))
    order = [r.OrderBy(width + i, k.descending, k.nulls_first) for i, k in enumerate(node.order)]
    compare = _comparison(order)
    rows.sort(key=functools.cmp_to_key(compare))
    direct = [literal.value for literal in node.direct]
    if name in ("rank", "dense_rank", "percent_rank", "cume_dist"):
        keys = [row[width:] for row in rows]
        plain = _comparison([replace(key, index=i) for i, key in enumerate(order)], ties=False)
        ahead = [key for key in keys if plain(key, tuple(direct)) < 0]
        match name:
            case "rank":
                return len(ahead) + 1
            case "dense_rank":
                return len(set(ahead)) + 1
            case "percent_rank":
                return len(ahead) / len(keys) if keys else 0.0
        return (sum(plain(key, tuple(direct)) <= 0 for key in keys) + 1) / (len(keys) + 1)
    if not rows:
        return None
    match name:
        case "array_agg":
            return tuple(row[0] for row in rows)
        case "string_agg":
            text = "".join((row[1] or "") + row[0] for row in rows)
            return text[len(rows[0][1] or "") :]
        case "any_value":
            return rows[0][0]
        case "mode":
            values = [row[0] for row in rows]
            return max(values, key=lambda value: (values.count(value), -values.index(value)))
    return _percentile(name, [row[0] for row in rows], direct[0])


def _percentile(name: str, values: list[Any], fraction: Any) -> Any:
    if isinstance(fraction, list):
        return tuple(_percentile(name, values, one) for one in fraction)
    if fraction is None:
        return None
    if name == "percentile_disc":
        return values[max(math.ceil(fraction * len(values)), 1) - 1]
    place = fraction * (len(values) - 1)
    low, high = values[math.floor(place)], values[math.ceil(place)]
    return low + (place - math.floor(place)) * (high - low)


def _sum(values: list[Any]) -> Any:
    return math.fsum(values) if isinstance(values[0], float) else sum(values)


def _avg(values: list[Any]) -> Any:
    """Exact, then rounded to 38 digits after the point (floats: the exact sum, divided)."""
    if isinstance(values[0], float):
        return math.fsum(values) / len(values)
    exact = sum(map(Fraction, values), Fraction(0)) / len(values)
    context = Context(prec=120, rounding=ROUND_HALF_UP)
    quotient = context.divide(Decimal(exact.numerator), Decimal(exact.denominator))
    return quotient.quantize(Decimal(1).scaleb(-38), context=context)


def _variance(name: str, values: list[Any]) -> Any:
    """Of finite values; floats from the exact sums, numerics with PostgreSQL's digits."""
    n, exact = len(values), [Fraction(v) for v in values]
    top = n * sum(x * x for x in exact) - sum(exact) ** 2
    sample = not name.endswith("_pop")
    if n == 1 and sample:
        return None
    bottom = n * (n - 1) if sample else n * n
    root = name.startswith("stddev")
    if isinstance(values[0], float):
        return math.sqrt(float(top / bottom)) if root else float(top / bottom)
    if not top:
        return Decimal(0)
    scale = max(-2 * min(v.as_tuple().exponent for v in map(Decimal, values)), 0)
    (weight, digit), (weight_b, digit_b) = _leading(top), _leading(Fraction(bottom))
    digits = max(16 - 4 * (weight - weight_b - (digit <= digit_b)), scale, 0)
    value = _rounded(top / bottom, digits)
    if root:
        value = _rounded(Fraction(math.isqrt(int(value * 100 ** (digits + 9))), 10 ** (digits + 9)), digits)
    return Decimal(int(value * 10**digits)).scaleb(-digits, Context(prec=200))


def _leading(value: Fraction) -> tuple[int, int]:
    """The first digit of a positive number in base 10,000, and that digit's place."""
    weight = 0
    while value >= 10_000:
        value, weight = value / 10_000, weight + 1
    while value < 1:
        value, weight = value * 10_000, weight - 1
    return weight, int(value)


def _rounded(value: Fraction, digits: int) -> Fraction:
    """To so many digits after the point, halves up."""
    return Fraction(math.floor(value * 10**digits + Fraction(1, 2)), 10**digits)


def _regression(name: str, pairs: Sequence[tuple[float, float]]) -> float | None:
    """Of finite pairs (y, x)."""
    n = len(pairs)
    if n < (2 if name == "covar_samp" else 1):
        return None
    ys, xs = ([Fraction(pair[i]) for pair in pairs] for i in (0, 1))
    mean_y, mean_x = sum(ys) / n, sum(xs) / n
    sxx = sum((x - mean_x) ** 2 for x in xs)
    syy = sum((y - mean_y) ** 2 for y in ys)
    sxy = sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True))
    plain = {
        "regr_avgx": mean_x,
        "regr_avgy": mean_y,
        "regr_sxx": sxx,
        "regr_syy": syy,
        "regr_sxy": sxy,
        "covar_pop": sxy / n,
    }
    if name in plain:
        return float(plain[name])
    if name == "covar_samp":
        return float(sxy / (n - 1))
    if not sxx or (name == "corr" and not syy):
        return None
    match name:
        case "regr_slope":
            return float(sxy / sxx)
        case "regr_intercept":
            return float(mean_y - mean_x * sxy / sxx)
        case "regr_r2":
            return float(sxy**2 / (sxx * syy)) if syy else 1.0
    return math.copysign(math.sqrt(float(sxy**2 / (sxx * syy))), sxy)


_VARIANCES = ("var_pop", "var_samp", "variance", "stddev_pop", "stddev_samp", "stddev")

_AGGREGATES: dict[str, Callable[[list[Any]], Any]] = {
    "sum": _sum,
    "avg": _avg,
    "min": lambda values: min(values, key=value_order),
    "max": lambda values: max(values, key=value_order),
    "bool_and": all,
    "every": all,
    "bool_or": any,
    "bit_and": functools.partial(functools.reduce, operator.and_),
    "bit_or": functools.partial(functools.reduce, operator.or_),
    "bit_xor": functools.partial(functools.reduce, operator.xor),
    **{name: functools.partial(_variance, name) for name in _VARIANCES},
}


def top_k(node: r.TopK, rows: Rows) -> Rows:
    groups: defaultdict[Row, list[Row]] = defaultdict(list)
    for row, n in rows.items():
        groups[tuple(row[i] for i in node.group)] += [row] * n
    stop = None if node.limit is None else node.offset + node.limit
    return collect(
        (row, 1)
        for group in groups.values()
        for row in sorted(group, key=functools.cmp_to_key(_comparison(node.order)))[node.offset : stop]
    )


def _comparison(order: Sequence[r.OrderBy], *, ties: bool = True) -> Callable[[Row, Row], int]:
    """With `ties`, equal ones fall to the order of whole rows."""

    def compare(a: Row, b: Row) -> int:
        for key in order:
            x, y = a[key.index], b[key.index]
            if (x is None) != (y is None):
                return -1 if (x is None) == key.nulls_first else 1
            if x is not None and value_order(x) != value_order(y):
                return -1 if (value_order(x) < value_order(y)) != key.descending else 1
        if not ties:
            return 0
        left, right = row_order(a), row_order(b)
        return (left > right) - (left < right)

    return compare


def value_order(value: Any) -> Any:
    """A sort key for one value that is not NULL, by PostgreSQL's order."""
    if isinstance(value, float):
        return (math.isnan(value), 0.0 if math.isnan(value) else value)
    if isinstance(value, str):
        return value.encode()
    return value


def row_order(row: Row) -> tuple[Any, ...]:
    """The total order of rows: column by column, NULLs last, -0.0 before 0.0."""
    return tuple(
        (1,) if v is None else (0, value_order(v), math.copysign(1, v) if isinstance(v, float) else 0)
        for v in row
    )


def scalar(node: s.Scalar, row: Row) -> Any:
    """The value of an expression on one row; None is NULL or unknown."""
    match node:
        case s.ColumnRef(index=index):
            return row[index]
        case s.Literal(value=value):
            return value
        case s.Call(function=function, args=args):
            values = [scalar(arg, row) for arg in args]
            return None if None in values else _FUNCTIONS[function](*values)
        case s.Cast(arg=arg, type=type_):
            assert arg.type.is_integer, node
            assert type_.is_integer, node
            return scalar(arg, row)
        case s.Case(branches=branches, otherwise=otherwise):
            for condition, result in branches:
                if scalar(condition, row) is True:
                    return scalar(result, row)
            return scalar(otherwise, row)
        case s.Coalesce(args=args):
            return next((v for v in (scalar(arg, row) for arg in args) if v is not None), None)
        case s.And(args=args):
            values = [scalar(arg, row) for arg in args]
            return False if False in values else None if None in values else True
        case s.Or(args=args):
            values = [scalar(arg, row) for arg in args]
            return True if True in values else None if None in values else False
    raise AssertionError(node)


def _passes(predicates: Sequence[s.Scalar], row: Row) -> bool:
    return all(scalar(predicate, row) is True for predicate in predicates)


def _same(x: Any, y: Any) -> bool:
    return x == y or (isinstance(x, float) and isinstance(y, float) and math.isnan(x) and math.isnan(y))


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "sub": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "mul": lambda a, b: a * b,
    "eq": _same,
    "ne": lambda a, b: not _same(a, b),
    "lt": lambda a, b: value_order(a) < value_order(b),
    "le": lambda a, b: value_order(a) <= value_order(b),
    "gt": lambda a, b: value_order(a) > value_order(b),
    "ge": lambda a, b: value_order(a) >= value_order(b),
    "not": lambda a: not a,
}
