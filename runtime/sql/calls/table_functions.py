"""Table functions of a query: in FROM they are its rows, in a select list they multiply them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pyarrow as pa

from ...errors import DatatypeMismatch, Unsupported
from ...expr.coercion.literals import cast_to, python_value
from ...expr.functions.containers.records import row
from ...expr.tables import csv_tables, regex_tables
from ...expr.tables.table_functions import (
    BY_PLACE,
    COLUMN_NAMES,
    NAMES,
    PAIR_COLUMNS,
    PAIRS,
    TABLE_FUNCTIONS,
    expand,
)
from ...expr.tree.function import Datum
from ...expr.tree.relation import Constant, FlatMap, Map, Relation, TableCall
from ...expr.tree.scalar import Case, Literal, Scalar, columns_of
from ...repr.types import INT4, PAIR_FIELDS, array_of
from ..scalars import build
from ..scalars.expressions import Expressions
from ..scalars.typed import Typed, at
from ..scalars.zone import fold, stepping_in_zone
from ..syntax import ast

EXPAND_ARRAY = "_pg_expandarray"
"""information_schema's: drivers find the columns of keys with it."""

MAX_CONSTANT_ROWS = 1_000
"""Up to so many rows of constant arguments are written out in the plan."""

_LATERAL_HINT = "You might be able to move the set-returning function into a LATERAL FROM item."


def is_table_function(node: object) -> bool:
    if not isinstance(node, ast.Function) or node.over is not None or node.name[-1] not in NAMES:
        return False
    home = "information_schema" if node.name[-1] == EXPAND_ARRAY else "pg_catalog"
    return node.name[-2:-1] == (home,) or (len(node.name) == 1 and home == "pg_catalog")


def misplaced(clause: str, position: int) -> Unsupported:
    """The error of a table function where there may be none."""
    if clause == "functions in FROM":
        return Unsupported("set-returning functions must appear at top level of FROM", position=position)
    if clause == "aggregate arguments":
        return Unsupported(
            "aggregate function calls cannot contain set-returning function calls",
            hint=_LATERAL_HINT,
            position=position,
        )
    return Unsupported(f"set-returning functions are not allowed in {clause}", position=position)


def table_call(
    expressions: Expressions, node: ast.Function, args: Sequence[Typed], name: str | None = None
) -> TableCall:
    """The call of `name`, the node's own unless it says otherwise."""
    with at(node.position):
        call = TABLE_FUNCTIONS[name or node.name[-1]].resolve(
            tuple(arg.scalar for arg in args), tuple(arg.unknown for arg in args)
        )
    for arg, scalar in zip(args, call.args, strict=False):  # a call may add what was left out
        if arg.parameter is not None and arg.unknown:
            expressions.planner.parameter_types[arg.parameter] = scalar.type
    return call


# --- in FROM ---------------------------------------------------------------------------------------------------------


def calls_in_from(
    expressions: Expressions, nodes: Sequence[ast.Function]
) -> tuple[list[TableCall], list[str]]:
    """The calls of ROWS FROM (nodes), and what their columns are called.  A scalar function is a row of its own."""
    calls: list[TableCall] = []
    names: list[str] = []
    for node in nodes:
        if node.name == ("changes",):
            raise Unsupported(
                "CHANGES(relation) is not supported within ROWS FROM",
                hint="It stands in FROM by itself.",
                position=node.position,
            )
        if not is_table_function(node):
            scalar = expressions.scalar(node)
            calls.append(TABLE_FUNCTIONS["once"].resolve((scalar,), (False,)))
            names.append(node.name[-1])
            continue
        args = [expressions.resolve(arg) for arg in node.args]
        if node.name[-1] == EXPAND_ARRAY:
            calls.append(table_call(expressions, node, args, "unnest"))
            plain = Typed(cast_to(args[0].scalar, array_of(INT4)))
            calls.append(table_call(expressions, node, [plain, Typed(build.int4(1))], "generate_subscripts"))
            names += PAIR_FIELDS
            continue
        if node.name[-1] in PAIRS:
            for column in PAIR_COLUMNS:
                calls.append(table_call(expressions, node, args, f"{node.name[-1]}.{column}"))
                names.append(column)
            continue
        if node.name[-1] in BY_PLACE:
            columns = _columns_by_place(node, args)
            for place in range(len(columns)):
                placed = [*args, Typed(build.int4(place))]
                calls.append(table_call(expressions, node, placed, f"{node.name[-1]}.column"))
            names += columns
            continue
        # unnest(a, b) is ROWS FROM (unnest(a), unnest(b)), in FROM only.
        groups = [[arg] for arg in args] if node.name[-1] == "unnest" and len(args) > 1 else [args]
        calls += [table_call(expressions, node, group) for group in groups]
        names += [COLUMN_NAMES.get(node.name[-1], node.name[-1])] * len(groups)
    return calls, names


def _columns_by_place(node: ast.Function, args: Sequence[Typed]) -> list[str]:
    """What the columns are called; one, if the call is to be refused for its arguments."""
    if not args:
        return ["column1"]
    with at(node.position):
        if node.name[-1] == regex_tables.NAME:
            return regex_tables.column_names(args[0].scalar)
        return [f"column{place}" for place in range(1, csv_tables.column_count(args[0].scalar) + 1)]


def rows_of(
    base: Relation,
    relation: Relation,
    calls: Sequence[TableCall],
    names: Sequence[str],
    ordinality: bool,
    outer: bool,
) -> Relation:
    """`base` beside the rows of `calls`; `relation` is `base`, perhaps with more columns that the calls read."""
    calls = [stepping_in_zone(replace(call, args=tuple(map(fold, call.args)))) for call in calls]
    alone = relation is base and not any(columns_of(arg) for call in calls for arg in call.args)
    if alone and not outer:
        return build.cross(base, _standalone(calls, names, ordinality))
    return _flat_map(relation, calls, names, tuple(range(len(base.schema))), ordinality, outer)


def _flat_map(
    relation: Relation,
    calls: Sequence[TableCall],
    names: Sequence[str],
    kept: tuple[int, ...],
    ordinality: bool,
    outer: bool,
) -> Relation:
    if not ordinality and all(call.function == "once" for call in calls):
        mapped = Map(relation, tuple(call.args[0] for call in calls), tuple(names))
        width = len(relation.schema)
        return build.project(mapped, [*kept, *range(width, width + len(calls))])
    return FlatMap(relation, tuple(calls), tuple(names), kept, ordinality, outer)


def _standalone(calls: Sequence[TableCall], names: Sequence[str], ordinality: bool) -> Relation:
    relation = _flat_map(build.UNIT, calls, names, (), ordinality, False)
    if not isinstance(relation, FlatMap):
        return relation
    columns: list[list[object]] = []
    for call in calls:
        args: list[Datum] = []
        for arg in call.args:
            if not isinstance(arg, Literal):
                return relation
            args.append(pa.scalar(arg.value, arg.type.arrow))
        found = expand(call, args, 1)
        if found.errors is not None or len(found.values) > MAX_CONSTANT_ROWS:
            return relation
        try:
            columns.append([python_value(value) for value in found.values])
        except ValueError:  # a date that Python does not have
            return relation
    count = max(len(column) for column in columns)
    padded = [column + [None] * (count - len(column)) for column in columns]
    if ordinality:
        padded.append(list(range(1, count + 1)))
    schema = relation.schema
    return Constant(tuple(zip(*padded, strict=True)), schema)


# --- in a select list ------------------------------------------------------------------------------------------------


def set_calls(node: object, within: str | None = None) -> Iterator[tuple[ast.Function, int]]:
    """Table functions in an expression, inner ones first, each with its level: 0, or one more than what is in its
    arguments.  Subqueries are left out."""
    if node is None or isinstance(node, ast.Query | str | int):
        return
    if isinstance(node, tuple):
        for part in node:
            yield from set_calls(part, within)
        return
    if isinstance(node, ast.Case):
        within = "CASE"
    elif isinstance(node, ast.Function) and node.name[-1] == "coalesce":
        within = "COALESCE"
    elif isinstance(node, ast.Logical | ast.Not):
        within = node.word.upper() if isinstance(node, ast.Logical) else "NOT"
    inner = [
        found
        for slot in getattr(type(node), "__slots__", ())
        for found in set_calls(getattr(node, slot), within)
    ]
    yield from inner
    if is_table_function(node):
        assert isinstance(node, ast.Function)
        if within in ("AND", "OR", "NOT"):
            raise DatatypeMismatch(f"argument of {within} must not return a set", position=node.position)
        if within is not None:
            error = misplaced(within, node.position)
            error.hint = _LATERAL_HINT
            raise error
        yield node, max((level + 1 for _, level in inner), default=0)


def expand_sets(expressions: Expressions, roots: Sequence[object]) -> bool:
    """Makes the rows of the table functions in `roots`, those of one level in step; whether there are any.

    From then on `expressions` knows each of them as a column.
    """
    levels: dict[int, list[ast.Function]] = {}
    for node, level in (found for root in roots for found in set_calls(root)):
        if node not in expressions.sets and node not in levels.setdefault(level, []):
            levels[level].append(node)
    for level in sorted(levels):
        _expand_level(expressions, levels[level])
    return bool(levels)


def _expand_level(expressions: Expressions, nodes: Sequence[ast.Function]) -> None:
    calls: list[TableCall] = []
    names: list[str] = []
    places: dict[ast.Function, int] = {}
    for node in nodes:
        if node.name[-1] in BY_PLACE:
            raise Unsupported(
                f"{node.name[-1]} in a select list is not supported: it gives a record",
                hint="Move it to FROM, where it has the columns column1, column2 and so on.",
                position=node.position,
            )
        args = [expressions.resolve_raw(arg) for arg in node.args]
        own = _own_calls(expressions, node, args)
        known = next((value for made, value in expressions.made if made == own[0]), None)
        if known is not None:  # GROUP BY has made it already
            expressions.sets[node] = known
            continue
        places[node] = len(calls)
        for call in own:
            calls.append(replace(call, args=tuple(expressions.grounded(arg, node) for arg in call.args)))
        names += PAIR_COLUMNS if len(own) > 1 else [node.name[-1]]
    if not calls:
        return
    relation = expressions.relation
    width = len(relation.schema)
    expressions.relation = FlatMap(relation, tuple(calls), tuple(names), tuple(range(width)))
    for node, place in places.items():
        value: Scalar = build.ref(expressions.relation, width + place)
        if node.name[-1] in PAIRS:
            value = _pair(value, build.ref(expressions.relation, width + place + 1))
        expressions.sets[node] = value
        if expressions.aggregates is None:
            expressions.made.append((calls[place], value))


def _own_calls(expressions: Expressions, node: ast.Function, args: Sequence[Typed]) -> list[TableCall]:
    """One call for each column of the function."""
    name = node.name[-1]
    if name not in PAIRS:
        return [table_call(expressions, node, args)]
    return [table_call(expressions, node, args, f"{name}.{column}") for column in PAIR_COLUMNS]


def _pair(key: Scalar, value: Scalar) -> Scalar:
    """A record of a key, which is never NULL, and its value; NULL where another call has more rows."""
    record = row(tuple(zip(PAIR_COLUMNS, (key, value), strict=True)))
    nothing = Literal(None, record.type)
    return Case(((build.is_not_null(key), record),), nothing, record.type, nullable=True)
