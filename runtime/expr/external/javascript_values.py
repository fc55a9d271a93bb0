"""Values of SQL as they cross to and from a JavaScript context: see javascript_prelude.py, which goes on from there.

A value that JavaScript does not hold exactly is an error: of `jsonb`, which is JSON's numbers, those with more digits than a
double has.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pyarrow as pa

from ...repr.types import Kind, ScalarType
from . import python_values
from .transport import Convert, Misfit, lists, records

TYPES = frozenset(
    (
        Kind.BOOL, Kind.INT2, Kind.INT4, Kind.INT8, Kind.FLOAT4, Kind.FLOAT8, Kind.TEXT, Kind.VARCHAR, Kind.JSONB,
    )
)  # fmt: skip
"""Kinds that have a form in JavaScript; so have arrays of them."""

_ARGUMENTS = {Kind.INT8: "bigint", Kind.JSONB: "json"}
_ELEMENTS = {Kind.INT8: "bigint", Kind.FLOAT4: "number", Kind.FLOAT8: "number"}
_RESULTS = {
    Kind.BOOL: "boolean",
    Kind.INT2: "integer",
    Kind.INT4: "integer",
    Kind.INT8: "integer",
    Kind.FLOAT4: "number",
    Kind.FLOAT8: "number",
    Kind.TEXT: "text",
    Kind.VARCHAR: "text",
    Kind.JSONB: "json",
}

_LONG_NUMBER = re.compile(r"[0-9.]{16}")
"""Shorter ones are exact: a double holds any 15 digits."""


def argument_name(type_: ScalarType) -> str:
    """What the prelude calls the conversion of an argument."""
    if type_.element is not None:
        return f"{_ELEMENTS.get(type_.element.kind, 'plain')}[]"
    return _ARGUMENTS.get(type_.kind, "plain")


def result_name(type_: ScalarType) -> str:
    return f"{_RESULTS[type_.element.kind]}[]" if type_.element is not None else _RESULTS[type_.kind]


# --- arguments -------------------------------------------------------------------------------------------------------


def read(array: pa.Array, type_: ScalarType) -> list[Any]:
    """What crosses; `Misfit` objects in the place of what JavaScript does not hold."""
    match type_.kind:
        case Kind.INT8:
            return _plain(array.cast(pa.string()))
        case Kind.JSONB:
            return [None if value is None else _document(value) for value in array.to_pylist()]
        case Kind.ARRAY:
            assert type_.element is not None
            texts = _element_texts(array.flatten(), type_.element)
            return [f"[{','.join(row)}]" if isinstance(row, list) else row for row in lists(array, texts)]
        case _:
            return _plain(array)


def _plain(array: pa.Array) -> list[Any]:
    values: list[Any] = array.to_pylist()
    return values


def read_inputs(array: pa.Array, type_: ScalarType) -> list[Any]:
    """The inputs of groups, as lists; of records the fields cross each by itself."""
    assert type_.element is not None
    inputs = array.flatten()
    if type_.element.kind is not Kind.RECORD:
        return lists(
            array, [value if isinstance(value, Misfit) else (value,) for value in read(inputs, type_.element)]
        )
    fields = [
        read(part, field) for part, (_, field) in zip(inputs.flatten(), type_.element.fields, strict=True)
    ]
    return lists(array, records(fields))


def _document(text: str) -> str | Misfit:
    """Its text, as it is."""
    if _LONG_NUMBER.search(text):
        try:
            json.loads(text, parse_float=_check_exact, parse_int=_check_exact)
        except Misfit as misfit:
            return misfit
        except RecursionError:
            return Misfit("the document is nested too deeply", "54001")
    return text


def _check_exact(digits: str) -> None:
    number = float(digits)
    if not math.isfinite(number) or Decimal(repr(number)) != Decimal(digits):
        raise Misfit(f"JavaScript has no number {_shortened(digits)}", "22003")


def _shortened(digits: str) -> str:
    return digits if len(digits) <= 40 else f"{digits[:40]}..."


def _element_texts(array: pa.Array, type_: ScalarType) -> list[Any]:
    """JSON of each element; `Misfit` objects among them."""
    spelled = _SPELLED.get(type_.kind, str)
    return [
        value if isinstance(value, Misfit) else "null" if value is None else spelled(value)
        for value in read(array, type_)
    ]


def _number(value: float) -> str:
    if math.isfinite(value):
        return repr(value)
    return '"NaN"' if math.isnan(value) else '"Infinity"' if value > 0 else '"-Infinity"'


_SPELLED: dict[Kind, Callable[[Any], str]] = {
    Kind.BOOL: json.dumps,
    Kind.INT8: lambda value: f'"{value}"',
    Kind.FLOAT4: _number,
    Kind.FLOAT8: _number,
    Kind.TEXT: json.dumps,
    Kind.VARCHAR: json.dumps,
}


# --- results ---------------------------------------------------------------------------------------------------------


def writer(type_: ScalarType) -> Convert:
    """From what the prelude's conversion of a result gives to what pyarrow takes for `transport(type_)`; raises Misfit."""
    if type_.element is not None:
        element = _writer(type_.element)

        def convert(value: str | None) -> list[Any] | None:
            return None if value is None else [element(member) for member in json.loads(value)]

        return convert
    return _writer(type_)


def _writer(type_: ScalarType) -> Convert:
    if type_.kind is Kind.JSONB:
        return lambda value: value
    checked = python_values.writer(type_)
    if type_.is_integer:
        return lambda value: checked(int(value) if isinstance(value, str) else value)
    if type_.kind in (Kind.FLOAT4, Kind.FLOAT8):
        return lambda value: checked(None if value is None else float(value))
    return checked
