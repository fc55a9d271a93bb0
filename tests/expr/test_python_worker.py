"""What code of users may do to its worker, and what comes of it: values, or errors of the rows that it happened on."""

from __future__ import annotations

import datetime
import uuid
from collections.abc import Callable
from decimal import Decimal
from time import monotonic
from typing import Any

import pyarrow as pa
import pytest
from external_calls import answers, called
from ptvc.errors import PtvcError, QueryCanceled, Unsupported
from ptvc.expr.evaluate import evaluate, fold
from ptvc.expr.external import process
from ptvc.expr.external.python_source import check_packages, check_source, check_version
from ptvc.expr.registry import resolve_call
from ptvc.expr.tree.codec import scalar_from_json, scalar_to_json
from ptvc.expr.tree.external_function import ExternalFunction
from ptvc.expr.tree.scalar import And, Case, Coalesce, ColumnRef, ExternalCall, Literal, Scalar
from ptvc.interrupt import Interrupt, interruptible
from ptvc.repr.types import (
    BOOL,
    BYTEA,
    DATE,
    FLOAT4,
    FLOAT8,
    INT2,
    INT4,
    INT8,
    JSONB,
    NUMERIC,
    TEXT,
    TIME,
    TIMESTAMP,
    TIMESTAMPTZ,
    UUID,
    Kind,
    ScalarType,
    array_of,
)

X = ColumnRef(0, INT4)
TIMEOUT_MS = 500


def function(source: str, *types: ScalarType, returns: ScalarType = INT4, **more: Any) -> ExternalFunction:
    given = {"strict": False, "volatile": False, "aggregate": False, "timeout_ms": 10_000} | more
    return ExternalFunction("f", "f", source, types, returns, **given)


def test_an_exception_is_an_error_of_its_row() -> None:
    source = "\ndef f(x):\n    print(x)\n    return inverse(x)\n\ndef inverse(x):\n    return 10 // x\n"
    message = "function f failed at line 7: ZeroDivisionError: integer division or modulo by zero"
    assert answers(called(function(source, INT4)), [5, 0, 2]) == [2, ("38000", message), 5]


ENDS = """
import os, sys
def f(x):
    if x == 1: os._exit(0)
    if x == 2: sys.exit("bye")
    if x == 3: raise KeyboardInterrupt
    if x == 4: os.kill(os.getpid(), 9)
    if x == 5 and not os.fork(): return 0
    if x == 6: raise ValueError(f"at {object()!r}")
    return x
"""


def test_the_end_of_the_process_is_one_too() -> None:
    ended = ("38000", "function f ended the process that it ran in")
    found = answers(called(function(ENDS, INT4)), range(8))
    assert found == [
        0,
        ended,
        ("38000", "function f failed at line 5: SystemExit: bye"),
        ("38000", "function f failed at line 6: KeyboardInterrupt"),
        ended,
        5,
        ("38000", "function f failed at line 9: ValueError: at <object object at 0x...>"),
        7,
    ]


def test_an_endless_loop_ends() -> None:
    source = "def f(x):\n    while x == 2: pass\n    return x"
    late = ("38000", "function f took longer than its TIMEOUT")
    assert answers(called(function(source, INT4, timeout_ms=TIMEOUT_MS)), [1, 2, 3]) == [1, late, 3]


def test_many_lost_workers_are_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "MOST_LOST", 1)
    with pytest.raises(PtvcError, match="ended the process") as error:
        answers(called(function("import os\ndef f(x): os._exit(1)", INT4)), range(4))
    assert error.value.sqlstate == "38000"


def test_whoever_no_longer_wants_the_answer_does_not_wait() -> None:
    interrupt = Interrupt()
    interrupt.set()
    before = monotonic()
    with interruptible(interrupt), pytest.raises(QueryCanceled):
        answers(called(function("def f(x):\n    while True: pass", INT4)), [1])
    assert monotonic() - before < 8


def test_a_source_that_cannot_be_loaded_is_no_error_of_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "START_S", 1.0)
    for source, sqlstate, message in (
        (
            "import nothing_of_the_kind\ndef f(x): return x",
            "38000",
            "could not be loaded at line 1: ModuleNotFoundError: No module named 'nothing_of_the_kind'",
        ),
        ("def f(x): return x\ndel f", "42883", 'its source defines no "f"'),
        ("import os\nos._exit(1)", "38000", "ended the process that it ran in when its source was loaded"),
        ("while True: pass", "38000", "took longer than its TIMEOUT when its source was loaded"),
    ):
        with pytest.raises(PtvcError, match=message) as error:
            answers(called(function(source, INT4, timeout_ms=TIMEOUT_MS)), [1, 2])
        assert error.value.sqlstate == sqlstate


UTC = datetime.UTC
DAY = datetime.date(2024, 2, 29)
MOMENT = datetime.datetime(2024, 2, 29, 12, 30, 1, 250)
SAME = [
    (BOOL, True),
    (INT2, -5),
    (INT8, 1 << 62),
    (FLOAT4, 0.5),
    (FLOAT8, 1e300),
    (TEXT, "é\n'"),
    (BYTEA, b"\0\xff"),
    (DATE, DAY),
    (TIMESTAMP, MOMENT),
    (TIMESTAMPTZ, MOMENT.replace(tzinfo=UTC)),
    (JSONB, '{"a": [1.50, null, "é"]}'),
    (NUMERIC, Decimal("1.5")),
    (ScalarType(Kind.NUMERIC, 10, 2), Decimal("1.50")),
    (TIME, 86_399_999_999),
    (UUID, uuid.UUID(int=7).bytes),
]


@pytest.mark.parametrize(("type_", "value"), SAME, ids=[str(type_) for type_, _ in SAME])
def test_values_go_there_and_back(type_: ScalarType, value: Any) -> None:
    same = function("def f(x): return x", type_, returns=type_)
    assert answers(called(same), [value, None], types=[type_]) == [value, None]
    listed = function("def f(x): return x", array_of(type_), returns=array_of(type_))
    values = [[value, None], [], None, [value]]
    assert answers(called(listed), values, types=[array_of(type_)]) == values


KINDS = """
import datetime, decimal, uuid
def f(x):
    assert type(x).__name__ == {name!r}, type(x)
    return repr(x)
"""


@pytest.mark.parametrize(
    ("type_", "value", "name", "shown"),
    [
        (NUMERIC, Decimal("100"), "Decimal", "Decimal('100')"),
        (NUMERIC, Decimal("0.10"), "Decimal", "Decimal('0.1')"),
        (TIME, 3_600_000_001, "time", "datetime.time(1, 0, 0, 1)"),
        (UUID, bytes(16), "UUID", "UUID('00000000-0000-0000-0000-000000000000')"),
        (JSONB, '{"a": [1, 2.5]}', "dict", "{'a': [1, Decimal('2.5')]}"),
        (array_of(DATE), [DAY, None], "list", "[datetime.date(2024, 2, 29), None]"),
        (
            TIMESTAMPTZ,
            MOMENT.replace(tzinfo=UTC),
            "datetime",
            "datetime.datetime(2024, 2, 29, 12, 30, 1, 250, tzinfo=datetime.timezone.utc)",
        ),
    ],
)
def test_what_a_function_is_given(type_: ScalarType, value: Any, name: str, shown: str) -> None:
    told = function(KINDS.format(name=name), type_, returns=TEXT)
    assert answers(called(told), [value], types=[type_]) == [shown]


@pytest.mark.parametrize(
    ("returns", "expression", "sqlstate"),
    [
        (INT4, "1.0", "22000"),
        (INT4, "True", "22000"),
        (INT4, "'1'", "22000"),
        (INT2, "40000", "22003"),
        (BOOL, "1", "22000"),
        (FLOAT8, "'1'", "22000"),
        (FLOAT8, "10 ** 400", "22003"),
        (FLOAT4, "1e300", "22003"),
        (NUMERIC, "'1'", "22000"),
        (ScalarType(Kind.NUMERIC, 4, 2), "100", "22003"),
        (TEXT, "1", "22000"),
        (TEXT, "chr(0)", "22021"),
        (TEXT, "chr(0xd800)", "22021"),
        (BYTEA, "'a'", "22000"),
        (DATE, "datetime.datetime.min", "22000"),
        (TIMESTAMP, "datetime.datetime.now(datetime.UTC)", "22000"),
        (TIMESTAMPTZ, "datetime.datetime.min", "22000"),
        (UUID, "'a'", "22000"),
        (JSONB, "{1: 2}", "22000"),
        (JSONB, "float('nan')", "22P02"),
        (JSONB, "object()", "22000"),
        (array_of(INT4), "'12'", "22000"),
        (array_of(INT4), "[1, 'a']", "22000"),
        (array_of(ScalarType(Kind.NUMERIC, 4, 2)), "[1, 100]", "22003"),
    ],
)
def test_a_result_of_another_type_is_an_error(returns: ScalarType, expression: str, sqlstate: str) -> None:
    wrong = function(f"import datetime\ndef f(x): return {expression} if x else None", INT4, returns=returns)
    first, second = answers(called(wrong), [1, 0])
    assert first[0] == sqlstate
    assert first[1].startswith("function f: ")
    assert second is None


@pytest.mark.parametrize(
    ("returns", "expression", "value"),
    [
        (FLOAT8, "1", 1.0),
        (FLOAT8, "Decimal('0.1')", 0.1),
        (NUMERIC, "1", Decimal(1)),
        (NUMERIC, "0.1", Decimal("0.1")),
        (ScalarType(Kind.NUMERIC, 10, 2), "Decimal('1.005')", Decimal("1.01")),
        (INT8, "numpy.int64(3)", 3),
        (FLOAT8, "numpy.float32(0.5)", 0.5),
        (BOOL, "numpy.bool_(True)", True),
        (array_of(INT4), "(1, None)", [1, None]),
        (JSONB, "{'b': (1, True), 'a': 1.5}", '{"a": 1.5, "b": [1, true]}'),
    ],
)
def test_what_is_taken_for_the_type(returns: ScalarType, expression: str, value: Any) -> None:
    made = function(
        f"import numpy\nfrom decimal import Decimal\ndef f(x): return {expression}", INT4, returns=returns
    )
    assert answers(called(made), [1]) == [value]


def test_what_python_has_no_value_for_is_an_error() -> None:
    same = function("def f(x): return x", TIME, returns=TIME)
    assert answers(called(same), [86_400_000_000, 0], types=[TIME]) == [
        ("22008", "function f: Python has no time 24:00:00"),
        0,
    ]
    dates = pa.array([2**31 - 1, 0], pa.int32()).view(pa.date32())
    result = evaluate(called(function("def f(x): return x", DATE, returns=DATE)), (dates,), 2)
    assert result.errors is not None
    assert (result.errors.indices.tolist(), result.errors.sqlstates.to_pylist()) == ([0], ["22008"])


COUNTED = "seen = []\ndef f(x):\n    seen.append(x)\n    return len(seen)"


def test_null_is_none_or_no_call() -> None:
    given = function("def f(x, y): return (x is None) + 2 * (y is None)", INT4, INT4)
    columns = [1, None, None], [None, 1, None]
    assert answers(called(given), *columns, types=[INT4, INT4]) == [2, 1, 3]
    strict = function(COUNTED, INT4, strict=True)
    assert answers(called(strict), [None, 5, None, 6]) == [None, 1, None, 2]


def test_it_is_called_for_rows_that_need_it_only() -> None:
    positive = resolve_call("gt", [X, Literal(0, INT4)])

    def scalars() -> dict[str, Callable[[ExternalCall], Scalar]]:
        one = Literal(1, INT4)
        return {
            "case": lambda call: Case(((positive, call),), one, INT4),
            "else": lambda call: Case(((resolve_call("le", [X, Literal(0, INT4)]), one),), call, INT4),
            "coalesce": lambda call: Coalesce(
                (Case(((positive, Literal(None, INT4)),), one, INT4), call), INT4
            ),
            "and": lambda call: And((positive, resolve_call("gt", [call, Literal(0, INT4)]))),
        }

    for name, make in scalars().items():
        # Another source each, so that nothing has been counted.
        counted = function(f"{COUNTED}\n# {name}", INT4)
        found = answers(make(called(counted)), [0, 7, -1, 8])
        expected = [False, True, False, True] if name == "and" else [1, 1, 1, 2]
        assert found == expected, name


def test_constants_are_called_once_and_never_while_planning() -> None:
    call = ExternalCall(function(f"{COUNTED}\n# constant", INT4), (Literal(3, INT4),))
    assert fold(call) == call
    assert answers(call, [0, 0, 0]) == [1, 1, 1]
    volatile = ExternalCall(function(f"{COUNTED}\n# volatile", volatile=True), ())
    again = ExternalCall(
        function("seen = []\ndef f():\n    seen.append(1)\n    return len(seen)", volatile=True), ()
    )
    assert answers(again, [0, 0, 0]) == [1, 2, 3]
    assert answers(volatile, [0])[0][0] == "38000"


def test_errors_of_arguments_go_before() -> None:
    inverse = resolve_call("divide", [Literal(6, INT4), X])
    call = ExternalCall(function("def f(x): return x + 1", INT4), (inverse,))
    assert answers(call, [2, 0, 3]) == [4, ("22012", "division by zero"), 3]


def test_many_rows_in_order() -> None:
    rows = 3 * process.CHUNK_ROWS + 5
    found = answers(called(function("def f(x): return x + 1 if x % 1000 else 1 // x", INT4)), range(rows))
    assert found[:3] == [
        ("38000", "function f failed at line 1: ZeroDivisionError: integer division or modulo by zero"),
        2,
        3,
    ]
    assert found[1001:] == [x + 1 if x % 1000 else 0 for x in range(1001, rows)]


CLASS = """
class f:
    def __init__(self):
        self.parts = []
    def accumulate(self, *values):
        self.parts.append("-".join(map(str, values)))
    def finish(self):
        return ",".join(self.parts)
"""


def test_an_aggregate_is_of_the_array_of_inputs() -> None:
    one = function(CLASS, array_of(INT4), returns=TEXT, aggregate=True)
    assert answers(called(one), [[1, None, 3], [], None], types=[array_of(INT4)]) == ["1,None,3", "", ""]
    pair = array_of(ScalarType(Kind.RECORD, fields=(("a", INT4), ("b", TEXT))))
    two = function(CLASS, pair, returns=TEXT, aggregate=True)
    values = [[{"f0": 1, "f1": "x"}, {"f0": 2, "f1": None}], [{"f0": 3, "f1": "y"}]]
    assert answers(called(two), values, types=[pair]) == ["1-x,2-None", "3-y"]


def test_a_call_is_a_value() -> None:
    call = called(function("def f(x): return x", INT4, strict=True))
    assert scalar_from_json(scalar_to_json(call)) == call


async def evaluated_on_the_loop() -> None:
    answers(called(function("def f(x): return x", INT4)), [1])


def test_a_loop_is_never_held_up() -> None:
    import asyncio

    with pytest.raises(Unsupported, match="is in Python, which is not supported here"):
        asyncio.run(evaluated_on_the_loop())


def test_what_is_checked_when_a_function_is_created() -> None:
    check_source("f", "try:\n    from math import sqrt as f\nexcept ImportError:\n    f = None", "f")
    for source, sqlstate, message in (
        ("x = 1\ndef f(:\n  pass", "42601", "at line 2"),
        ("def f():\nreturn 1", "42601", "at line 2"),
        ("def g(): pass", "42883", 'defines no "f"'),
        ("a = \0", "42601", "null bytes"),
    ):
        with pytest.raises(PtvcError, match=message) as error:
            check_source("f", source, "f")
        assert error.value.sqlstate == sqlstate
    check_version("3.11")
    check_version("3.9.1")
    for version in ("3.99", "4.0", "2.7", "new"):
        with pytest.raises(PtvcError) as error:
            check_version(version)
        assert error.value.sqlstate == "22023"
    check_packages(["numpy", "json", f"pyarrow=={pa.__version__}"])
    for package, sqlstate in (("no-such-thing", "58P01"), ("pyarrow==0.0.1", "58P01"), ("numpy>=1", "0A000")):
        with pytest.raises(PtvcError) as error:
            check_packages([package])
        assert error.value.sqlstate == sqlstate
