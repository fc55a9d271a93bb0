"""`x op ANY (query)`, `x op ALL (query)`, and IN of rows as values.

Three-valued: ANY is TRUE if the comparison is for some row, else NULL if it is NULL for some, else FALSE; ALL the other
way round.  For an order the least or greatest row decides, and how many rows there are and how many are not NULL; for
anything else the distinct outer values are joined with the query's rows and compared one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ...errors import PtvcError, SqlSyntaxError, UndefinedFunction, Unsupported
from ...expr.coercion.type_rules import base_name
from ...expr.functions.aggregates import resolve_aggregate
from ...expr.tree.relation import Aggregate, Distinct, Join, JoinKind, Map, Reduce, Relation
from ...expr.tree.scalar import And, Literal, Scalar
from ...repr.types import BOOL, INT8
from ..scalars import build
from ..scalars.expressions import Expressions
from ..scalars.typed import Typed, at
from ..syntax import ast

if TYPE_CHECKING:
    from .subqueries import Subqueries

_COUNT = Aggregate("count", None, INT8, "count", nullable=False)
_NOTHING = Literal(None, BOOL)

Compare = Callable[[Sequence[Scalar], Sequence[Scalar]], Scalar]


def quantified(subqueries: Subqueries, expressions: Expressions, node: ast.Quantified) -> Scalar:
    """The value of a comparison with ANY or ALL of a query's rows."""
    assert isinstance(node.right, ast.Query)
    with at(node.position):
        if isinstance(node.left, ast.Row):
            if node.symbol not in ("=", "<>"):
                raise Unsupported(f"{node.symbol} of rows is not supported", position=node.position)
            query = ast.InQuery(node.left, node.right, False, node.position)
            if (node.symbol == "=") != node.all:
                found = row_membership(subqueries, expressions, query)
                return build.negate(found) if node.all else found
            return _rows_alike(subqueries, expressions, query, every=node.all)
        operands = subqueries.operands(expressions, (node.left,), node.right, node.position, node.symbol)
        name = build.operator_name(node.symbol, 2)
        assert name is not None
        if name in ("lt", "le", "gt", "ge", "eq", "ne"):
            found_extremes = _ordered(subqueries, expressions, operands, name, node.all)
            if found_extremes is not None:
                return found_extremes

        def compare(left: Sequence[Scalar], right: Sequence[Scalar]) -> Scalar:
            return expressions.apply(name, (Typed(left[0]), Typed(right[0])), node.position).scalar

        return _one_by_one(subqueries, expressions, operands, compare, node.all)


def row_membership(subqueries: Subqueries, expressions: Expressions, node: ast.InQuery) -> Scalar:
    """`(a, b) IN (query)`, not negated."""
    assert isinstance(node.arg, ast.Row)
    operands = subqueries.operands(expressions, node.arg.items, node.query, node.position, "=")
    _, positions, lefts, relation, width = operands
    elements = build.refs(relation, range(width, width + len(lefts)))
    if not any(scalar.nullable for scalar in (*lefts, *elements)):
        expressions.relation, places = build.append(expressions.relation, lefts, _names(lefts))
        return subqueries.marked(expressions, Distinct(relation), [*positions, *places])
    return _one_by_one(subqueries, expressions, operands, _all_equal, every=False)


def _rows_alike(
    subqueries: Subqueries, expressions: Expressions, node: ast.InQuery, *, every: bool
) -> Scalar:
    """`(a, b) = ALL (query)`, or `<> ANY`, which is its opposite."""
    assert isinstance(node.arg, ast.Row)
    operands = subqueries.operands(expressions, node.arg.items, node.query, node.position, "=")
    found = _one_by_one(subqueries, expressions, operands, _all_equal, every=True)
    return found if every else build.negate(found)


def _all_equal(left: Sequence[Scalar], right: Sequence[Scalar]) -> Scalar:
    parts = tuple(build.equal(a, b) for a, b in zip(left, right, strict=True))
    return And(parts) if len(parts) > 1 else parts[0]


def _names(scalars: Sequence[Scalar]) -> list[str]:
    return [f"needle{i}" for i in range(len(scalars))]


Operands = tuple[object, list[int], list[Scalar], Relation, int]
"""(plan, where the domain's columns stand, left sides, the query's rows, how many of their columns are the domain's)"""


def _ordered(
    subqueries: Subqueries, expressions: Expressions, operands: Operands, name: str, every: bool
) -> Scalar | None:
    """By the least and the greatest row; None for a type that has none."""
    _, positions, (left,), relation, width = operands
    element = build.ref(relation, width)
    try:
        wanted, result = resolve_aggregate("min", element.type)
    except PtvcError:
        return None
    if wanted not in (None, element.type) or result != element.type:
        return None
    opposite = name == "ne"  # <> ANY is NOT (= ALL), and <> ALL is NOT IN
    if (name == "eq" and not every) or (opposite and every):
        return None
    aggregates = (
        _COUNT,
        Aggregate("count", element, INT8, "present", nullable=False),
        Aggregate("min", element, result, "least"),
        Aggregate("max", element, result, "greatest"),
    )
    if positions:
        keys = build.refs(relation, range(width))
        reduced = Reduce(relation, keys, relation.schema.names[:width], aggregates)
    else:
        reduced = Reduce(relation, (), (), aggregates, scalar=True)
    kind = JoinKind.LEFT if positions else JoinKind.INNER
    rows, present, least, greatest = subqueries.attach(expressions, reduced, positions, kind)
    empty = build.is_null(rows) if positions else build.call("eq", rows, build.int8(0))
    if name in ("eq", "ne"):
        every = True
        compared: Scalar = And((build.equal(left, least), build.equal(left, greatest)))
    else:
        below = name in ("lt", "le")
        compared = build.call(name, left, least if below == every else greatest)
    unknown = [(build.is_null(left), _NOTHING), (build.call("lt", present, rows), _NOTHING)]
    if every:
        found = build.when(
            [(empty, build.TRUE), (build.negate(compared), build.FALSE), *unknown], build.TRUE, BOOL
        )
    else:
        found = build.when([(empty, build.FALSE), (compared, build.TRUE), *unknown], build.FALSE, BOOL)
    return build.negate(found) if opposite else found


def _one_by_one(
    subqueries: Subqueries, expressions: Expressions, operands: Operands, compare: Compare, every: bool
) -> Scalar:
    """By comparing the distinct outer values with every row."""
    _, positions, lefts, relation, width = operands
    expressions.relation, places = build.append(expressions.relation, lefts, _names(lefts))
    domain = subqueries.domains.of(expressions.relation, [*positions, *places])
    keys = range(len(positions))
    joined = Join(
        domain,
        relation,
        JoinKind.INNER,
        build.refs(domain, keys),
        build.refs(relation, keys),
        null_safe=bool(positions),
    )
    count = len(positions) + len(lefts)
    sides = (
        build.refs(joined, range(len(positions), count)),
        build.refs(joined, range(count + width, count + width + len(lefts))),
    )
    mapped = Map(joined, (compare(*sides),), ("compared",))
    compared = build.ref(mapped, len(joined.schema))
    reduced = Reduce(
        mapped,
        build.refs(mapped, range(count)),
        mapped.schema.names[:count],
        (
            _COUNT,
            Aggregate("count", compared, INT8, "present", nullable=False),
            Aggregate("bool_and" if every else "bool_or", compared, BOOL, "truth"),
        ),
    )
    rows, present, truth = subqueries.attach(expressions, reduced, [*positions, *places], JoinKind.LEFT)
    unknown = (build.call("lt", present, rows), _NOTHING)
    if every:
        return build.when(
            [(build.is_null(rows), build.TRUE), (build.negate(truth), build.FALSE), unknown], build.TRUE, BOOL
        )
    return build.when([(truth, build.TRUE), (build.is_null(rows), build.FALSE), unknown], build.FALSE, BOOL)


def no_such_operator(symbol: str, left: Typed, right: Typed, position: int) -> UndefinedFunction:
    names = [base_name(None if side.unknown else side.scalar.type) for side in (left, right)]
    return UndefinedFunction(
        f"operator does not exist: {names[0]} {symbol} {names[1]}",
        hint="No operator matches the given name and argument types. You might need to add explicit type casts.",
        position=position,
    )


def too_many_or_few(count: int, wanted: int, position: int) -> SqlSyntaxError:
    few = "few" if count < wanted else "many"
    return SqlSyntaxError(f"subquery has too {few} columns", position=position)
