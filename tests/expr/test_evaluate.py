"""What CASE, COALESCE, AND and OR do with errors, against a row-by-row model; predicates; folding; aggregates."""

from __future__ import annotations

from random import Random

import numpy as np
import psycopg
import pyarrow as pa
import pytest
from ptvc.errors import DatatypeMismatch, UndefinedFunction, Unsupported
from ptvc.expr.coercion.type_rules import base_name, common_type
from ptvc.expr.evaluate import can_fail, evaluate, evaluate_predicates, fold
from ptvc.expr.functions.aggregates import AGGREGATES, AggregateKind, resolve_aggregate
from ptvc.expr.registry import resolve_call
from ptvc.expr.tree.scalar import And, Case, Cast, Coalesce, ColumnRef, Literal, Or, Scalar, walk
from ptvc.repr.types import (
    BOOL,
    DATE,
    FLOAT4,
    FLOAT8,
    INT2,
    INT4,
    INT8,
    NUMERIC,
    SIMPLE,
    TEXT,
    Kind,
    ScalarType,
    array_of,
    derived_numeric,
)

Row = tuple[int | None, int | None]
N10_2 = ScalarType(Kind.NUMERIC, 10, 2)
A, B = ColumnRef(0, INT4), ColumnRef(1, INT4)


class Failed(Exception):
    pass


def model(scalar: Scalar, row: Row) -> object:
    """The value of an expression on one row, by the definition; raises Failed with the message."""
    match scalar:
        case ColumnRef(index=index):
            return row[index]
        case Literal(value=value):
            return value
        case Case(branches=branches, otherwise=otherwise):
            for condition, result in branches:
                if model(condition, row) is True:
                    return model(result, row)
            return model(otherwise, row)
        case Coalesce(args=args):
            for arg in args:
                if (value := model(arg, row)) is not None:
                    return value
            return None
        case And(args=args) | Or(args=args):
            return model_connective(args, isinstance(scalar, Or), row)
    assert not isinstance(scalar, Cast)
    left, right = (model(arg, row) for arg in scalar.args)
    if left is None or right is None:
        return None
    assert isinstance(left, int)
    assert isinstance(right, int)
    if scalar.function == "divide":
        if right == 0:
            raise Failed("division by zero")
        return int(left / right)
    return left < right


def model_connective(args: tuple[Scalar, ...], absorbing: bool, row: Row) -> object:
    values: list[object] = []
    failure: Failed | None = None
    for arg in args:
        try:
            values.append(model(arg, row))
        except Failed as error:
            failure = failure or error
    if absorbing in [value for value in values if value is not None]:
        return absorbing
    if failure:
        raise failure
    return None if None in values else not absorbing


def random_int(random: Random, depth: int) -> Scalar:
    if depth == 0 or random.random() < 0.2:
        return random.choice([A, B, Literal(random.choice([None, 0, 1, 5]), INT4)])
    match random.randrange(3):
        case 0:
            return resolve_call("divide", (random_int(random, depth - 1), random_int(random, depth - 1)))
        case 1:
            args = tuple(random_int(random, depth - 1) for _ in range(random.randint(1, 3)))
            return Coalesce(args, INT4)
        case _:
            branches = tuple(
                (random_bool(random, depth - 1), random_int(random, depth - 1))
                for _ in range(random.randint(1, 2))
            )
            return Case(branches, random_int(random, depth - 1), INT4)


def random_bool(random: Random, depth: int) -> Scalar:
    if depth == 0 or random.random() < 0.3:
        return random.choice(
            [
                Literal(random.choice([True, False, None]), BOOL),
                resolve_call("lt", (A, B)),
                resolve_call("lt", (A, A)),
            ]
        )
    args = tuple(random_bool(random, depth - 1) for _ in range(random.randint(1, 3)))
    match random.randrange(3):
        case 0:
            return And(args)
        case 1:
            return Or(args)
        case _:
            return resolve_call("lt", (random_int(random, depth - 1), random_int(random, depth - 1)))


def outcome(scalar: Scalar, row: Row) -> object:
    try:
        return model(scalar, row)
    except Failed as failed:
        return str(failed)


def evaluated(scalar: Scalar, columns: tuple[pa.Array, ...], length: int) -> list[object]:
    result = evaluate(scalar, columns, length)
    values: list[object] = result.values.to_pylist()
    if result.errors is not None:
        for row, message in zip(
            result.errors.indices.tolist(), result.errors.messages.to_pylist(), strict=True
        ):
            assert values[row] is None
            values[row] = message
    return values


@pytest.mark.parametrize("seed", range(150))
def test_errors_follow_the_definition(seed: int) -> None:
    random = Random(seed)
    scalar = random_int(random, 4) if seed % 2 else random_bool(random, 4)
    rows: list[Row] = [
        (random.choice([None, 0, 1, 2, -3]), random.choice([None, 0, 1, 2]))
        for _ in range(random.choice([1, 5, 40]))
    ]
    columns = tuple(pa.array([row[i] for row in rows], pa.int32()) for i in range(2))
    expected = [outcome(scalar, row) for row in rows]
    assert evaluated(scalar, columns, len(rows)) == expected
    assert evaluated(fold(scalar), columns, len(rows)) == expected
    if not can_fail(scalar):
        assert evaluate(scalar, columns, len(rows)).errors is None


@pytest.mark.parametrize("seed", range(50))
def test_predicates_are_a_conjunction(seed: int) -> None:
    random = Random(seed)
    predicates = [random_bool(random, 3) for _ in range(random.randint(0, 3))]
    rows: list[Row] = [(random.choice([None, 0, 1, 2]), random.choice([None, 0, 1])) for _ in range(20)]
    columns = tuple(pa.array([row[i] for row in rows], pa.int32()) for i in range(2))
    keep, errors = evaluate_predicates(predicates, columns, len(rows))
    expected = [outcome(And(tuple(predicates)), row) for row in rows]
    assert keep.tolist() == [value is True for value in expected]
    failed = [] if errors is None else errors.indices.tolist()
    assert failed == [i for i, value in enumerate(expected) if isinstance(value, str)]


def test_no_rows() -> None:
    empty = pa.array([], pa.int32())
    for scalar in (resolve_call("divide", (A, B)), Coalesce((A, B), INT4), Cast(A, TEXT), Literal(1, INT4)):
        result = evaluate(scalar, (empty, empty), 0)
        assert len(result.values) == 0
        assert result.errors is None
    keep, errors = evaluate_predicates([resolve_call("lt", (A, B))], (empty, empty), 0)
    assert keep.dtype == np.bool_
    assert errors is None


def test_fold_computes_constants_and_keeps_failures() -> None:
    one, zero = Literal(1, INT4), Literal(0, INT4)
    assert fold(resolve_call("add", (one, one))) == Literal(2, INT4)
    failing = resolve_call("divide", (one, zero))
    assert fold(failing) == failing
    assert fold(And((Literal(False, BOOL), resolve_call("eq", (failing, one))))) == Literal(False, BOOL)
    assert fold(Cast(Literal("2020-02-29", TEXT), DATE)).type == DATE
    assert fold(resolve_call("add", (A, Cast(Literal(1, INT2), INT4)))) == resolve_call("add", (A, one))
    folded = fold(resolve_call("add", (A, Cast(one, INT8))))
    assert Literal(1, INT8) in walk(folded)


def test_fold_of_long_arrays() -> None:
    """To a wider type the values stay as they are; to a narrower one they may not fit."""
    few, many = Literal([1, None, -7], array_of(INT2)), Literal([1, 1 << 20], array_of(INT4))
    for type_ in (INT2, INT4, INT8):
        assert fold(Cast(few, array_of(type_))) == Literal([1, None, -7], array_of(type_))
    assert fold(Cast(many, array_of(INT8))) == Literal([1, 1 << 20], array_of(INT8))
    assert fold(Cast(many, array_of(INT2))) == Cast(many, array_of(INT2))
    assert fold(Cast(Literal([1], array_of(INT8)), array_of(INT2))) == Literal([1], array_of(INT2))


@pytest.mark.parametrize(
    ("types", "expected"),
    [
        ((INT2, INT8), INT8),
        ((INT4, FLOAT4), FLOAT4),
        ((INT4, None), INT4),
        ((None, None), TEXT),
        ((INT4, N10_2), derived_numeric(2)),
        ((N10_2, N10_2), N10_2),
        ((N10_2, None), derived_numeric(2)),
        ((N10_2, NUMERIC), NUMERIC),
        ((ScalarType(Kind.VARCHAR, length=3), TEXT), ScalarType(Kind.VARCHAR)),
        ((ScalarType(Kind.VARCHAR, length=3), ScalarType(Kind.VARCHAR, length=5)), ScalarType(Kind.VARCHAR)),
    ],
)
def test_common_type(types: tuple[ScalarType | None, ...], expected: ScalarType) -> None:
    assert common_type(types) == expected


NOT_POSTGRESQLS = {Kind.UINT2, Kind.UINT4, Kind.UINT8, Kind.MZ_TIMESTAMP}
KINDS = [ScalarType(kind) for kind in SIMPLE if kind not in NOT_POSTGRESQLS]


def test_common_type_is_postgresqls(oracle: psycopg.Connection) -> None:
    wrong = []
    for left in KINDS:
        for right in KINDS:
            try:
                query = f"SELECT pg_typeof(coalesce(NULL::{left}, NULL::{right}))::text"
                row = oracle.execute(query).fetchone()  # type: ignore[arg-type]
                expected = row[0] if row else None
            except psycopg.Error as error:
                expected = error.sqlstate
            try:
                found: str | None = base_name(common_type([left, right]))
            except DatatypeMismatch as error:
                found = error.sqlstate
            if found != expected:
                wrong.append((str(left), str(right), found, expected))
    assert not wrong


@pytest.mark.parametrize(
    "name", ["add", "subtract", "multiply", "divide", "modulo", "eq", "lt", "concat_op", "like"]
)
def test_resolution_is_postgresqls(oracle: psycopg.Connection, name: str) -> None:
    """Every pair of types: the same result type or the same refusal; 0A000 only where we say so."""
    sign = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "modulo": "%", "eq": "=", "lt": "<"}
    operator = sign.get(name, {"concat_op": "||", "like": "~~"}.get(name, ""))
    wrong = []
    for left in [*KINDS, None]:
        for right in [*KINDS, None]:
            texts = ["NULL" if side is None else f"NULL::{side}" for side in (left, right)]
            try:
                query = f"SELECT pg_typeof({texts[0]} {operator} {texts[1]})::text"
                row = oracle.execute(query).fetchone()  # type: ignore[arg-type]
                expected = row[0] if row else None
            except psycopg.Error as error:
                expected = error.diag.message_primary
            args = [
                Literal(None, TEXT) if side is None else ColumnRef(i, side)
                for i, side in enumerate((left, right))
            ]
            try:
                call = resolve_call(name, args, (left is None, right is None))
                found: str | None = str(ScalarType(call.type.kind))
            except Unsupported:
                continue
            except UndefinedFunction as error:
                found = error.message
            if found != expected and expected != "jsonb":  # a type that does not exist here
                wrong.append((str(left), str(right), found, expected))
    assert not wrong, "\n".join(map(str, wrong))


@pytest.mark.parametrize(
    ("name", "argument", "result"),
    [
        ("count", TEXT, INT8),
        ("sum", INT4, INT8),
        ("sum", INT8, derived_numeric(0)),
        ("sum", N10_2, derived_numeric(2)),
        ("sum", FLOAT4, FLOAT4),
        ("avg", INT4, NUMERIC),
        ("avg", FLOAT4, FLOAT8),
        ("min", DATE, DATE),
        ("max", ScalarType(Kind.VARCHAR, length=3), TEXT),
        ("every", BOOL, BOOL),
    ],
)
def test_aggregate_types(name: str, argument: ScalarType, result: ScalarType) -> None:
    assert resolve_aggregate(name, argument)[1] == result


def test_aggregates_that_do_not_exist() -> None:
    with pytest.raises(UndefinedFunction, match=r"function sum\(text\) does not exist"):
        resolve_aggregate("sum", TEXT)
    with pytest.raises(UndefinedFunction, match=r"function sum\(\) does not exist"):
        resolve_aggregate("sum", None)
    assert AGGREGATES["min"].kind is AggregateKind.HIERARCHICAL


@pytest.mark.parametrize("function", ["like", "not_like", "ilike", "not_ilike"])
@pytest.mark.parametrize(
    ("pattern", "escape", "fails"),
    [
        (Literal("%green\\_", TEXT), None, False),
        (Literal(None, TEXT), None, False),
        (Literal("green\\", TEXT), None, True),
        (ColumnRef(1, TEXT), None, True),
        (Literal("50!%", TEXT), Literal("!", TEXT), False),
        (Literal("50!", TEXT), Literal("!", TEXT), True),
        (Literal("50\\", TEXT), Literal("", TEXT), False),
        (Literal("50", TEXT), Literal("!!", TEXT), True),
        (Literal("50", TEXT), Literal(None, TEXT), True),
        (Literal("50", TEXT), ColumnRef(1, TEXT), True),
    ],
)
def test_a_pattern_that_is_known_to_be_well_formed_cannot_fail(
    function: str, pattern: Scalar, escape: Scalar | None, fails: bool
) -> None:
    args = (ColumnRef(0, TEXT), pattern) if escape is None else (ColumnRef(0, TEXT), pattern, escape)
    call = resolve_call(function, args)
    assert can_fail(call) == fails
    if not fails:
        texts, others = pa.array(["green_", None, "", "50%", "50\\"]), pa.array(["a\\", None, "b", "", "c"])
        assert evaluate(call, (texts, others), 5).errors is None
