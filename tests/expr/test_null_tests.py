"""NULL tests of computed values: the same answers, from less."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest
from ptvc.errors import PtvcError
from ptvc.expr.coercion.type_rules import CastContext, can_cast
from ptvc.expr.evaluate import evaluate, fold
from ptvc.expr.null_tests import NULL_TESTS, null_test
from ptvc.expr.registry import FUNCTIONS, resolve_call
from ptvc.expr.tree.scalar import Call, Cast, ColumnRef, Literal, Scalar
from ptvc.repr.types import BOOL, FLOAT8, INT4, INT8, JSONB, NUMERIC, TEXT, Kind, ScalarType, array_of
from support import column, product
from values import EDGES

A, B, TEXTUAL = ColumnRef(0, INT8), ColumnRef(1, INT8), ColumnRef(2, TEXT)
MOST_ROWS = 200
BPCHAR3 = ScalarType(Kind.BPCHAR, length=3)
OF_ANY_TYPE = frozenset(("eq", "ne", "lt", "le", "gt", "ge", "concat_op"))


def call(function: str, *args: Scalar) -> Call:
    return resolve_call(function, args)


def missing(value: Scalar) -> Scalar:
    return fold(call("is_null", value))


def test_a_null_test_is_that_of_the_arguments() -> None:
    a, b, text = (call("is_null", source) for source in (A, B, TEXTUAL))
    assert missing(call("md5", Cast(A, TEXT))) == a
    assert missing(call("concat_op", Literal("x", TEXT), Cast(A, TEXT))) == a
    joined = call("concat_op", call("concat_op", Cast(A, TEXT), TEXTUAL), Cast(B, TEXT))
    assert set(missing(joined).args) == {a, b, text}
    present = fold(call("is_not_null", call("concat_op", Cast(A, TEXT), TEXTUAL)))
    assert set(present.args) == {call("is_not_null", A), call("is_not_null", TEXTUAL)}
    assert fold(call("is_null", call("lower", Literal(None, TEXT)))) == Literal(True, BOOL)


def test_what_may_fail_is_computed() -> None:
    for value in (call("add", A, B), Cast(TEXTUAL, INT4), call("chr", ColumnRef(0, INT4))):
        assert missing(value) == call("is_null", value)
    divided = call("divide", A, B)
    assert missing(call("md5", Cast(divided, TEXT))) == call("is_null", divided)


def test_what_makes_null_of_values_is_computed() -> None:
    documents, numbers = ColumnRef(0, JSONB), ColumnRef(0, array_of(INT4))
    for value in (
        call("nullif", A, B),
        call("substring", TEXTUAL, TEXTUAL),
        call("jsonb_typeof", documents),
        call("eq", numbers, numbers),
    ):
        assert missing(value) == call("is_null", value)


def _calls(name: str) -> Iterator[Call]:
    """Calls of the function on columns, as far as its arguments can be made up."""
    function = FUNCTIONS[name]
    if function.resolver is not None:
        shapes = {(type_, type_) for type_ in EDGES} if name in OF_ANY_TYPE else set()
    else:
        shapes = {overload.params for overload in function.overloads if overload.params is not None}
    for shape in sorted(shapes, key=repr):
        if set(shape) <= set(EDGES):
            try:
                yield resolve_call(name, tuple(ColumnRef(i, type_) for i, type_ in enumerate(shape)))
            except PtvcError:
                continue  # there is no such function


def _rows(call: Call) -> list[tuple[str | None, ...]]:
    types = _types(call)
    every = product(*(EDGES[types[i]] for i in range(len(types))))
    return Random(0).sample(every, min(len(every), MOST_ROWS))


CASTS = [
    (source, target)
    for source in EDGES
    for target in (*EDGES, JSONB, BPCHAR3)
    if can_cast(source, target, CastContext.EXPLICIT)
]


def test_a_cast_makes_null_where_it_says_so() -> None:
    for source, target in [
        *CASTS,
        *((JSONB, target) for target in (BOOL, INT4, FLOAT8, NUMERIC, TEXT, JSONB)),
    ]:
        texts: list[str | None] = ["null", "1", None] if source == JSONB else EDGES[source]
        cast = Cast(ColumnRef(0, source, False), target)
        for text in texts:
            values = (column([text], source),)
            made = evaluate(cast, values, 1)
            if text is not None and made.errors is None and made.values.null_count:
                assert cast.nullable, (source, target, text)
            for function in NULL_TESTS:
                wanted = evaluate(Call(function, (cast,), BOOL, False), values, 1)
                found = evaluate(null_test(Call(function, (cast,), BOOL, False)), values, 1)
                assert (wanted.errors is None) == (found.errors is None)
                assert wanted.errors is not None or found.values.equals(wanted.values), (source, target, text)


def _types(scalar: Scalar) -> dict[int, ScalarType]:
    """Of its columns, by their position."""
    if isinstance(scalar, ColumnRef):
        return {scalar.index: scalar.type}
    found: dict[int, ScalarType] = {}
    for child in scalar.args if isinstance(scalar, Call) else (scalar.arg,):
        found |= _types(child)
    return found


SIMPLIFIED = [
    (name, test)
    for name in sorted(FUNCTIONS)
    if " " not in name  # those are called by the planner only, with arguments that it has checked
    for value in _calls(name)
    for test in [Call("is_null", (value,), BOOL, False)]
    if null_test(test) is not test
]


def test_many_functions_are_covered() -> None:
    assert len({name for name, _ in SIMPLIFIED}) > 60


@pytest.mark.parametrize("name", sorted({name for name, _ in SIMPLIFIED}))
def test_the_answers_are_the_same(name: str) -> None:
    for test in (test for of, test in SIMPLIFIED if of == name):
        rows, types = _rows(test.args[0]), _types(test.args[0])
        columns = tuple(column(list(texts), types[i]) for i, texts in enumerate(zip(*rows, strict=True)))
        for function in NULL_TESTS:
            asked = Call(function, test.args, BOOL, False)
            wanted, found = (evaluate(s, columns, len(rows)) for s in (asked, null_test(asked)))
            assert wanted.errors is None, asked
            assert found.errors is None
            assert found.values.to_pylist() == wanted.values.to_pylist(), asked
