"""What JavaScript of users may do to its worker and to its next call, and what comes of it: values, or errors of rows."""

from __future__ import annotations

import importlib.metadata
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from external_calls import answers, called
from ptvc.errors import PtvcError
from ptvc.expr.external import javascript_code, process
from ptvc.expr.external.javascript_code import check_engine, check_source
from ptvc.expr.tree.codec import scalar_from_json, scalar_to_json
from ptvc.expr.tree.external_function import ExternalFunction
from ptvc.expr.tree.scalar import ExternalCall, Literal
from ptvc.repr.types import (
    BOOL,
    FLOAT4,
    FLOAT8,
    INT2,
    INT4,
    INT8,
    JSONB,
    TEXT,
    Kind,
    ScalarType,
    array_of,
    record_of,
)

TIMEOUT_MS = 500


def function(source: str, *types: ScalarType, returns: ScalarType = INT4, **more: Any) -> ExternalFunction:
    given = {
        "strict": False,
        "volatile": False,
        "aggregate": False,
        "timeout_ms": 10_000,
        "language": "javascript",
        "parameters": tuple("xyz"[: len(types)]),
        "pure": True,
    }
    return ExternalFunction("f", "f", source, types, returns, **(given | more))


def shown(expression: str, value: Any, type_: ScalarType) -> Any:
    """What the text of an expression of `x` is."""
    (found,) = answers(
        called(function(f"return String({expression})", type_, returns=TEXT)), [value], types=[type_]
    )
    return found


# --- errors ----------------------------------------------------------------------------------------------------------


def test_an_exception_is_an_error_of_its_row() -> None:
    source = "function inverse(x) {\n  if (x === 0) throw new RangeError('no inverse');\n  return 10 / x | 0;\n}\nreturn inverse(x)"
    message = "function f failed at line 2: RangeError: no inverse"
    assert answers(called(function(source, INT4)), [5, 0, 2]) == [2, ("38000", message), 5]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("throw 'text'", "failed: text"),
        ("throw null", "failed: null"),
        ("throw Symbol('s')", "failed: Symbol(s)"),
        ("throw {toString() { throw 1 }}", "failed: an exception without a text"),
        ("throw new Error('a\\0\\ud800b')", "failed at line 1: Error: a?b"),
        ("\n\nreturn x.y.z", "failed at line 3: TypeError: cannot read property 'z' of undefined"),
        ("\nundeclared = 1", "failed at line 2: ReferenceError: undeclared is not defined"),
        (
            "return (function g() { return g() + 1 })()",
            "failed at line 1: RangeError: Maximum call stack size",
        ),
        ("return require('fs')", "failed at line 1: ReferenceError: require is not defined"),
        (
            "const e = new Error('m'); Object.defineProperty(e, 'stack', {get() { throw 1 }}); throw e",
            "failed: Error: m",
        ),
    ],
)
def test_whatever_is_thrown_has_a_message(body: str, message: str) -> None:
    ((sqlstate, said), same) = answers(called(function(body, INT4)), [1, 1])
    assert sqlstate == "38000"
    assert said.startswith(f"function f {message}")
    assert same == (sqlstate, said)


@pytest.mark.parametrize("body", ["while (x == 2);", "if (x == 2) /^(a+)+$/.test('a'.repeat(40) + 'b');"])
def test_an_endless_loop_ends(body: str) -> None:
    late = ("38000", "function f took longer than its TIMEOUT")
    found = answers(called(function(f"{body} return x", INT4, timeout_ms=TIMEOUT_MS)), [1, 2, 3])
    assert found == [1, late, 3]


@pytest.mark.parametrize(
    "body",
    [
        "const found = []; for (;;) found.push('x'.repeat(1000) + found.length)",
        "return 'x'.repeat(2 ** 29).length",
        "return new Uint8Array(2 ** 30).length",
    ],
)
def test_memory_has_a_limit(body: str) -> None:
    """Of the context: its worker goes on, and so does the function."""
    started = len(process._idle["javascript"])
    found = answers(called(function(f"if (x == 2) {{ {body} }} return x", INT4)), [1, 2, 3])
    assert (found[0], found[2]) == (1, 3)
    assert found[1] == ("38000", "function f failed at line 1: InternalError: out of memory")
    assert len(process._idle["javascript"]) == max(started, 1)


def test_a_source_that_cannot_be_loaded_is_no_error_of_a_row() -> None:
    with pytest.raises(PtvcError, match="could not be loaded at line 1: TypeError") as error:
        answers(
            called(function(f"null.x;{SUM}".replace(";", ";\n", 1), array_of(INT4), aggregate=True)),
            [[1]],
            types=[array_of(INT4)],
        )
    assert error.value.sqlstate == "38000"


# --- nothing is left of a call, and nothing else is there ------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        "globalThis.kept = x",
        "Object.prototype.kept = x",
        "Array.prototype.push = () => x",
        "Math.max = () => x",
        "JSON.parse.kept = x",
        "''.__proto__.kept = x",
        "(function* () {}).constructor.prototype.kept = x",
        "Object.getPrototypeOf([].values()).next = () => x",
        "Object.setPrototypeOf(Array.prototype, {})",
        "Object.defineProperty(globalThis, 'Map', {value: x})",
        "delete Array.prototype.map",
        "Error.stackTraceLimit = x; Error.prepareStackTrace = () => x",
        "(0, eval)('var kept = 1')",
        "arguments.callee.kept = x",
    ],
)
def test_a_call_leaves_nothing_for_the_next(body: str) -> None:
    """It is an error to try; without one something else would have to be the same."""
    (found, again) = answers(called(function(f"{body}; return 1", INT4)), [1, 1])
    assert found == again
    assert isinstance(found, tuple)
    assert found[0] == "38000"


def test_a_call_leaves_no_global() -> None:
    """What is not strict fails silently."""
    body = "const before = typeof kept; Function('kept = 1')(); return before + typeof kept"
    assert answers(called(function(body, INT4, returns=TEXT)), [1, 1]) == ["undefinedundefined"] * 2


def test_what_is_frozen_is_inherited_and_overridden() -> None:
    source = """
        class Mine extends Error { toString() { return "mine" } }
        const error = new Error("a");
        error.name = "Renamed";
        error.message = "b";
        const object = {};
        object.toString = () => "own";
        object.constructor = 1;
        function F() {}
        F.prototype.toString = function () { return "made" };
        return [new Mine(), error, object, new F(), object.constructor, Object.keys(object)].map(String).join()"""
    assert shown(f"(() => {{{source}}})()", 1, INT4) == "mine,Renamed: b,own,made,1,toString,constructor"


def test_functions_share_no_context() -> None:
    """Not even of the same source: another name or type is another one."""
    module = "let n = 0; export function initialState() { n += 1; return {} } export function aggregate() {} export function finalize() { return n }"
    first = function(module, array_of(INT4), aggregate=True)
    second = function(f"{module}\n", array_of(INT4), aggregate=True)
    for made in (first, second):
        assert answers(called(made), [[1]], types=[array_of(INT4)]) == [1]


def test_there_is_the_language_and_nothing_else(tmp_path: Path) -> None:
    names = "['require', 'process', 'std', 'os', 'print', 'console', 'fetch', 'setTimeout', 'load', 'gc', 'scriptArgs']"
    assert shown(f"{names}.filter((name) => name in globalThis)", 1, INT4) == ""
    module = tmp_path / "module.js"
    module.write_text("export const initialState = () => ({}), aggregate = () => {}, finalize = () => 1")
    source = f"export {{ initialState, aggregate, finalize }} from '{module}'"
    made = function(source, array_of(INT4), aggregate=True)
    with pytest.raises(PtvcError, match="could not load module"):
        answers(called(made), [[1]], types=[array_of(INT4)])


@pytest.mark.parametrize(
    "expression",
    [
        "Math.random()",
        "Date.now()",
        "new Date()",
        "Date()",
        "new (class extends Date {})()",
        "new (new Date(0).constructor)()",
        "new WeakRef({})",
        "performance.now()",
        "Reflect.construct(Date, [])",
    ],
)
def test_an_immutable_function_has_no_clock_and_no_chance(expression: str) -> None:
    sqlstate, message = shown(expression, 1, INT4)
    assert (sqlstate, message[:28]) == ("38000", "function f failed at line 1:")
    other = function(f"{expression}; return 1", INT4, pure=False, volatile=True)
    if "performance" not in expression:
        assert answers(called(other), [1]) == [1]


def test_dates_are_the_same_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Pacific/Auckland")
    monkeypatch.setattr(process, "_idle", {"python": process.deque(), "javascript": process.deque()})
    assert shown("new Date(2024, 5, 1).toISOString()", 1, INT4) == "2024-06-01T00:00:00.000Z"
    assert shown("new Date(1717200000000)", 1, INT4) == "Sat Jun 01 2024 00:00:00 GMT+0000"
    assert shown("new Date(2024, 0) instanceof Date && Date.UTC(1970, 0)", 1, INT4) == "0"
    process._end_idle()


def test_what_nobody_waits_for_does_not_gather(monkeypatch: pytest.MonkeyPatch) -> None:
    source = "(async () => { await 1; throw 1 })(); Promise.resolve().then(() => 1); return x"
    monkeypatch.setattr(process, "CHUNK_ROWS", 1000)
    values = list(range(5000))
    assert answers(called(function(source, INT4)), values) == values


# --- values ----------------------------------------------------------------------------------------------------------


SAME = [
    (BOOL, [True, False]),
    (INT2, [-5, -32768, 32767]),
    (INT4, [0, -(1 << 31), (1 << 31) - 1]),
    (INT8, [1, (1 << 53) + 1, -(1 << 63), (1 << 63) - 1]),
    (FLOAT4, [0.5, float("inf")]),
    (FLOAT8, [1e300, 5e-324, 0.1, 4294967296.0, 2.0**53, float("inf"), float("-inf")]),
    (TEXT, ["", "é\n'", "\U0001f600\uffff\u2028", "x" * 70_000, '"\\u0041']),
    (ScalarType(Kind.VARCHAR), ["a"]),
    (JSONB, ['{"a": [1.5, null, "é"]}', "[]", '"\U0001f600"', "true", '{"__proto__": 1}']),
]


@pytest.mark.parametrize(("type_", "values"), SAME, ids=[str(type_) for type_, _ in SAME])
def test_values_go_there_and_back(type_: ScalarType, values: list[Any]) -> None:
    same = function("return x", type_, returns=type_)
    assert answers(called(same), [*values, None], types=[type_]) == [*values, None]
    listed = function("return x", array_of(type_), returns=array_of(type_))
    lists = [[*values, None], [], None, values[:1]]
    assert answers(called(listed), lists, types=[array_of(type_)]) == lists


def test_zero_and_nan_are_kept() -> None:
    values = [-0.0, 0.0, float("nan")]
    assert list(
        map(str, answers(called(function("return x", FLOAT8, returns=FLOAT8)), values, types=[FLOAT8]))
    ) == list(map(str, values))
    listed = function("return x", array_of(FLOAT8), returns=array_of(FLOAT8))
    (found,) = answers(called(listed), [values], types=[array_of(FLOAT8)])
    assert list(map(str, found)) == list(map(str, values))
    assert answers(called(function("return -0", INT4)), [1]) == [0]


@pytest.mark.parametrize(
    ("type_", "value", "expression", "text"),
    [
        (BOOL, True, "typeof x", "boolean"),
        (INT4, 7, "typeof x + x * 2", "number14"),
        (INT8, 7, "typeof x + x * 2n", "bigint14"),
        (INT8, (1 << 62) + 1, "x", str((1 << 62) + 1)),
        (FLOAT8, 0.1, "x + 0.2", "0.30000000000000004"),
        (FLOAT8, 3000000000.0, "x", "3000000000"),
        (FLOAT4, 0.1, "x", "0.10000000149011612"),
        (TEXT, "\U0001f600", "x.length + [...x].length", "3"),
        (JSONB, '{"a": [1, 2.5]}', "x.a[1] + x.a.length", "4.5"),
        (JSONB, "null", "x === null", "true"),
        (TEXT, None, "x === null", "true"),
        (array_of(INT8), [1, None], "x.map((n) => typeof n)", "bigint,object"),
        (array_of(FLOAT8), [float("nan"), -0.0], "[typeof x[0], x[0], 1 / x[1]]", "number,NaN,-Infinity"),
        (array_of(JSONB), ['{"a": 1}', "null"], "Array.isArray(x) && JSON.stringify(x)", '[{"a":1},null]'),
        (array_of(BOOL), [True, None], "x", "true,"),
    ],
)
def test_what_a_function_is_given(type_: ScalarType, value: Any, expression: str, text: str) -> None:
    assert shown(expression, value, type_) == text


def test_a_number_that_is_not_exact_is_refused() -> None:
    """JSON's have any number of digits; a double has not."""
    same = called(function("return x", JSONB, returns=JSONB))
    for digits in ("12345678901234567891", "0.12345678901234567891", "1" + "0" * 400):
        ((sqlstate, message),) = answers(same, [f'{{"a": [{digits}]}}'], types=[JSONB])
        assert sqlstate == "22003"
        assert "JavaScript has no number" in message
    for fine in ("1234567890123456", "0.1234567890123456", '"12345678901234567891"', "100000000000000000000"):
        assert answers(same, [f"[{fine}]"], types=[JSONB]) == [f"[{fine}]"]
    inside = called(function("return x.length", array_of(JSONB)))
    assert answers(inside, [["12345678901234567891"]], types=[array_of(JSONB)])[0][0] == "22003"


@pytest.mark.parametrize(
    ("returns", "expression", "sqlstate"),
    [
        (INT4, "1.5", "22000"),
        (INT4, "NaN", "22000"),
        (INT4, "true", "22000"),
        (INT4, "'1'", "22000"),
        (INT4, "[1]", "22000"),
        (INT4, "2 ** 31", "22003"),
        (INT4, "2n ** 80n", "22003"),
        (INT2, "40000", "22003"),
        (INT8, "2 ** 53", "22000"),
        (INT8, "2n ** 63n", "22003"),
        (BOOL, "1", "22000"),
        (FLOAT8, "'1'", "22000"),
        (FLOAT8, "1n", "22000"),
        (FLOAT8, "new Date(0)", "22000"),
        (FLOAT4, "1e300", "22003"),
        (TEXT, "1", "22000"),
        (TEXT, "new String('a')", "22000"),
        (TEXT, "'a\\0b'", "22021"),
        (TEXT, "'\\ud83d'", "22021"),
        (JSONB, "() => 1", "22000"),
        (JSONB, "Symbol()", "22000"),
        (JSONB, "[NaN]", "22P02"),
        (JSONB, "({a: {b: -Infinity}})", "22P02"),
        (JSONB, "({a: 1n})", "38000"),
        (JSONB, "['\\0']", "22P05"),
        (JSONB, "['\\ud800']", "22P02"),
        (JSONB, "(() => { const a = []; a.push(a); return a })()", "38000"),
        (array_of(INT4), "'12'", "22000"),
        (array_of(INT4), "({length: 1})", "22000"),
        (array_of(INT4), "[1, 'a']", "22000"),
        (array_of(INT4), "[[1]]", "22000"),
        (array_of(INT2), "[1, 40000]", "22003"),
        (array_of(TEXT), "['\\ud800']", "22021"),
        (array_of(JSONB), "[1, {a: NaN}]", "22P02"),
        (INT4, "Promise.resolve(1)", "22000"),
    ],
)
def test_a_result_of_another_type_is_an_error(returns: ScalarType, expression: str, sqlstate: str) -> None:
    wrong = function(f"return x ? {expression} : null", INT4, returns=returns)
    found = answers(called(wrong), [1, 0])
    assert found[1] is None
    assert found[0][0] == sqlstate
    assert found[0][1].startswith("function f")


@pytest.mark.parametrize(
    ("returns", "expression", "value"),
    [
        (INT4, "5n", 5),
        (INT8, "5", 5),
        (INT8, "-(2 ** 53 - 1)", -(2**53 - 1)),
        (FLOAT8, "1", 1.0),
        (TEXT, "undefined", None),
        (JSONB, "null", None),
        (JSONB, "[null, undefined]", "[null, null]"),
        (JSONB, "({b: 'null', a: undefined})", '{"b": "null"}'),
        (JSONB, "new Date(0)", '"1970-01-01T00:00:00.000Z"'),
        (JSONB, "1e21", "1000000000000000000000"),
        (array_of(INT8), "[1, 2n ** 60n,, undefined]", [1, 1 << 60, None, None]),
        (array_of(FLOAT8), "[1, NaN, -Infinity].slice(0, 1)", [1.0]),
        (array_of(JSONB), "[{a: 1}, null]", ['{"a": 1}', None]),
    ],
)
def test_results(returns: ScalarType, expression: str, value: Any) -> None:
    assert answers(called(function(f"return {expression}", INT4, returns=returns)), [1]) == [value]


def test_arguments_have_their_names() -> None:
    made = function(
        "return String(userId) + $2 + naïve",
        INT4,
        INT4,
        TEXT,
        returns=TEXT,
        parameters=("userId", "$2", "naïve"),
    )
    assert answers(called(made), [1], [2], ["z"], types=[INT4, INT4, TEXT]) == ["12z"]


def test_many_rows_are_in_order() -> None:
    values = list(range(40_000))
    assert answers(called(function("return x + 1", INT4)), values) == [value + 1 for value in values]


# --- aggregates ------------------------------------------------------------------------------------------------------

SUM = """
export function initialState() { return {sum: 0, seen: []} }
export function aggregate(state, x) {
  if (x === 13) throw new Error("unlucky");
  state.sum += x;
}
export function merge(state, other) { state.sum += other.sum }
export const finalize = (state) => state.sum;
"""


def test_an_aggregate() -> None:
    made = function(SUM, array_of(INT4), aggregate=True)
    assert answers(called(made), [[1, 2], [], None, [3, None]], types=[array_of(INT4)]) == [3, 0, 0, 3]
    (error, after) = answers(called(made), [[1, 13], [5]], types=[array_of(INT4)])
    assert error == ("38000", "function f failed at line 4: Error: unlucky")
    assert after == 5


def test_an_aggregate_of_several() -> None:
    pairs = array_of(record_of((("a", INT8), ("b", JSONB))))
    source = "export const initialState = () => [], aggregate = (s, a, b) => s.push(String(a) + b.c), finalize = (s) => s.join()"
    made = function(source, pairs, returns=TEXT, aggregate=True)
    rows = [[{"f0": 1, "f1": '{"c": 2}'}, {"f0": 1 << 60, "f1": '{"c": "x"}'}]]
    assert answers(called(made), rows, types=[pairs]) == [f"12,{1 << 60}x"]


def test_an_endless_aggregate_ends() -> None:
    source = SUM.replace("state.sum += x;", "while (x === 2);", 1)
    made = function(source, array_of(INT4), aggregate=True, timeout_ms=TIMEOUT_MS)
    late = ("38000", "function f took longer than its TIMEOUT")
    assert answers(called(made), [[1], [1, 2]], types=[array_of(INT4)]) == [0, late]


# --- creating --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "parameters", "aggregate", "sqlstate", "message"),
    [
        ("\nreturn x +* 1", ["x"], False, "42601", "at line 2"),
        ("return 1 }, function () { return 2", [], False, "42601", "ends before its end"),
        ("return 1", ["default"], False, "42601", "syntax error"),
        ("return 1", ["a b"], False, "42601", "no name that JavaScript could use"),
        ("return 1", ["a) { throw 1 } function g(b"], False, "42601", "no name that JavaScript could use"),
        ("with (x) {}", ["x"], False, "42601", "at line 1"),
        ("\n\nexport functio", ["x"], True, "42601", "at line 3"),
        (SUM.replace("finalize", "done"), ["x"], True, "42883", 'does not export "finalize"'),
    ],
)
def test_a_source_is_checked(
    source: str, parameters: list[str], aggregate: bool, sqlstate: str, message: str
) -> None:
    with pytest.raises(PtvcError, match=message) as error:
        check_source("f", source, parameters, aggregate=aggregate)
    assert error.value.sqlstate == sqlstate


@pytest.mark.parametrize(
    "source",
    [
        "return 1\r\n// é \U0001f600 \u2028 -->",
        "// only a comment",
        "'use strict'; return `}, function () {`",
        "/* } */ return {a: {b: x}}",
        "return x\n//",
        "",
    ],
)
def test_any_body_is_taken_whole(source: str) -> None:
    check_source("f", source, ["x"], aggregate=False)


def test_a_source_that_is_nested_too_deeply_is_refused() -> None:
    for aggregate, before in ((False, "return "), (True, f"{SUM}; export const deep = ")):
        with pytest.raises(PtvcError) as error:
            check_source("f", before + "(" * 200_000 + "1" + ")" * 200_000, ["x"], aggregate=aggregate)
        assert error.value.sqlstate == "42601"


def test_checking_runs_nothing() -> None:
    check_source("f", "for (;;);", ["x"], aggregate=False)
    check_source("f", f"{SUM}\nfor (;;);", ["x"], aggregate=True)
    assert "ptvc.expr.external.worker" not in sys.modules


def test_the_engine_is_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(javascript_code, "version", missing)
    with pytest.raises(PtvcError) as error:
        check_engine()
    assert error.value.sqlstate == "58P01"
    assert error.value.hint is not None
    assert "dbt-ptvc[javascript]" in error.value.hint


def test_calls_are_stored() -> None:
    call = ExternalCall(function("return x + 1", INT4), (Literal(3, INT4),))
    stored = json.loads(json.dumps(scalar_to_json(call)))
    assert scalar_from_json(stored) == call


def test_plans_of_before_there_was_javascript_are_read() -> None:
    """They are in catalogs."""
    call = ExternalCall(
        ExternalFunction("f", "f", "def f(x): return x", (INT4,), INT4, True, False, False),
        (Literal(3, INT4),),
    )
    stored = scalar_to_json(call)
    old = stored | {"!": "PythonCall", "function": stored["function"] | {"!": "PythonFunction"}}
    for added in ("language", "parameters", "pure"):
        del old["function"][added]
    assert scalar_from_json(json.loads(json.dumps(old))) == call
