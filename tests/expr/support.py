"""Running one expression here and in PostgreSQL, over the same rows, and comparing every answer."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from decimal import Decimal

import psycopg
import pyarrow as pa
from oracle import Answer, answers
from ptvc.expr.coercion.casts import cast_array
from ptvc.expr.coercion.literals import python_value
from ptvc.expr.evaluate import evaluate
from ptvc.expr.text.text_format import from_text
from ptvc.expr.tree.scalar import ColumnRef, Literal, Scalar
from ptvc.repr.types import TEXT, Kind, ScalarType

Build = Callable[..., Scalar]
LIMIT_MESSAGE = "value overflows numeric format"


def column(texts: Sequence[str | None], type_: ScalarType) -> pa.Array:
    """Values of a type from their text; all must be valid."""
    parsed = from_text(pa.array(texts, pa.string()), type_)
    assert parsed.errors is None, parsed.errors.messages.to_pylist()
    return parsed.values


def product(*values: Sequence[str | None]) -> list[tuple[str | None, ...]]:
    return list(itertools.product(*values))


def ours(scalar: Scalar, columns: tuple[pa.Array, ...], length: int) -> list[Answer]:
    """Our answers, in the form of the oracle's."""
    result = evaluate(scalar, columns, length)
    assert result.values.type == scalar.type.arrow, (result.values.type, scalar)
    assert len(result.values) == length
    result.values.validate(full=True)
    texts = cast_array(result.values, scalar.type, TEXT).values.to_pylist()
    found = [Answer(text) for text in texts]
    if result.errors is not None:
        indices = result.errors.indices.tolist()
        assert indices == sorted(set(indices))
        for row, state, message in zip(
            indices, result.errors.sqlstates.to_pylist(), result.errors.messages.to_pylist(), strict=True
        ):
            assert texts[row] is None
            found[row] = Answer(None, state, message)
    return found


def agree(mine: Answer, theirs: Answer, type_: ScalarType, *, refusals: bool) -> bool:
    """Whether two answers are the same: errors by code and message, numbers by value, floats within 2 ulp."""
    if mine.sqlstate is not None:
        if (mine.sqlstate, mine.message) == (theirs.sqlstate, theirs.message):
            return True
        if mine.message == LIMIT_MESSAGE and theirs.sqlstate is None and theirs.text is not None:
            whole, _, fraction = theirs.text.lstrip("-").partition(".")
            return len(whole) > 38 or len(fraction.rstrip("0")) > 38 or len(whole) + len(fraction) > 38
        return refusals and mine.sqlstate == "0A000"
    if theirs.sqlstate is not None or mine.text is None or theirs.text is None:
        return mine == theirs
    if type_.kind is Kind.NUMERIC:
        if theirs.text in ("NaN", "Infinity", "-Infinity"):
            return False
        return Decimal(mine.text) == Decimal(theirs.text)
    if type_.is_float:
        a, b = float(mine.text), float(theirs.text)
        return (math.isnan(a) and math.isnan(b)) or a == b or abs(a - b) <= 2 * math.ulp(b)
    return mine.text == theirs.text


def check(
    connection: psycopg.Connection,
    expression: str,
    build: Build,
    types: Sequence[ScalarType],
    rows: Sequence[Sequence[str | None]],
    *,
    refusals: bool = False,
) -> None:
    """Every row's answer to `expression` (over c0, c1, ...) must be what `build(*columns)` evaluates to."""
    refs = [ColumnRef(i, type_) for i, type_ in enumerate(types)]
    scalar = build(*refs)
    columns = tuple(column([row[i] for row in rows], type_) for i, type_ in enumerate(types))
    mine = ours(scalar, columns, len(rows))
    theirs = answers(connection, expression, [pg_name(type_) for type_ in types], rows)
    wrong = [
        f"{expression} on {row}: ours {a}, PostgreSQL {b}"
        for row, a, b in zip(rows, mine, theirs, strict=True)
        if not agree(a, b, scalar.type, refusals=refusals)
    ]
    wrong += constants_differ(expression, build, types, columns, mine)
    assert not wrong, f"{len(wrong)} of {len(rows)} rows differ:\n" + "\n".join(wrong[:12])


def pg_name(type_: ScalarType) -> str:
    """The type in PostgreSQL's DDL."""
    return "numeric" if type_.kind is Kind.NUMERIC and type_.precision is None else str(type_)


def constants_differ(
    expression: str,
    build: Build,
    types: Sequence[ScalarType],
    columns: tuple[pa.Array, ...],
    mine: list[Answer],
) -> list[str]:
    """What goes wrong when arguments are constants: all of them, or all but the first, on a few rows."""
    wrong: list[str] = []
    for row in range(0, len(mine), max(1, len(mine) // 5)):
        try:
            literals = [
                Literal(python_value(array[row]), type_) for array, type_ in zip(columns, types, strict=True)
            ]
        except ValueError:
            continue  # a date that Python cannot hold is never a literal
        for scalar in (build(*literals), build(ColumnRef(0, types[0]), *literals[1:])):
            answer = ours(scalar, tuple(array.slice(row, 1) for array in columns), 1)[0]
            if not agree(answer, mine[row], scalar.type, refusals=False):
                wrong.append(f"{expression} on constants {literals}: {answer}, on columns {mine[row]}")
    return wrong
