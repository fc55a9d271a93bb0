"""What a worker makes of rows whatever the language: the form in which results come back, and values that do not fit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa

from ...repr.types import Kind, ScalarType

AS_TEXT = frozenset((Kind.NUMERIC, Kind.JSONB))
"""Kinds whose results come back as text, which is read by the rules of the type's input."""

Convert = Callable[[Any], Any]


class Misfit(Exception):
    """A value that does not fit the type."""

    def __init__(self, message: str, sqlstate: str = "22000") -> None:
        super().__init__(message)
        self.sqlstate = sqlstate


def transport(type_: ScalarType) -> pa.DataType:
    """The Arrow type in which results come back."""
    if type_.kind is Kind.ARRAY:
        assert type_.element is not None
        return pa.list_(transport(type_.element))
    return pa.string() if type_.kind in AS_TEXT else type_.arrow


def unless_misfit(values: Any) -> Any:
    """What is made of several values; the first `Misfit` object among them instead."""
    return next((value for value in values if isinstance(value, Misfit)), values)


def lists(array: pa.Array, elements: list[Any]) -> list[Any]:
    """What `elements` are of the elements of all lists, by list; None for NULL."""
    found: list[Any] = []
    start = 0
    for length in array.value_lengths().to_pylist():
        if length is None:
            found.append(None)
            continue
        found.append(unless_misfit(elements[start : start + length]))
        start += length
    return found


def records(fields: list[list[Any]]) -> list[Any]:
    return [unless_misfit(row) for row in zip(*fields, strict=True)]
