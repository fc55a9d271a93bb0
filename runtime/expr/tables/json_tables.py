"""Table functions over `json`: the members of arrays and objects as rows, all of them and in their order."""

from __future__ import annotations

from collections.abc import Callable

from ...repr.types import JSON, TEXT, ScalarType
from ..text.json_text import listed, paired, shown

Members = Callable[[str], list[str | None]]


def _elements(name: str, show: Callable[[str], str | None]) -> Members:
    return lambda text: [show(value) for value in listed(text, name)]


def _keys(name: str) -> Members:
    return lambda text: [key for key, _ in paired(text, name)]


def _values(name: str, show: Callable[[str], str | None]) -> Members:
    return lambda text: [show(value) for _, value in paired(text, name)]


SINGLE: dict[str, tuple[Members, ScalarType]] = {
    "json_array_elements": (_elements("json_array_elements", str), JSON),
    "json_array_elements_text": (_elements("json_array_elements_text", shown), TEXT),
    "json_object_keys": (_keys("json_object_keys"), TEXT),
}
"""Functions of one column, and its type."""

PAIRS: dict[str, tuple[tuple[Members, ScalarType], tuple[Members, ScalarType]]] = {
    name: ((_keys(name), TEXT), (_values(name, show), type_))
    for name, show, type_ in (("json_each", str, JSON), ("json_each_text", shown, TEXT))
}
"""Functions of two columns, `key` and `value`."""
