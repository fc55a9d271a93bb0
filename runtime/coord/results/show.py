"""Results of SHOW: variables as rows."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping

import pyarrow as pa

from ...repr.schema import Column, Schema
from ...repr.types import TEXT
from ..settings import SETTINGS
from .results import Columns, Rows


def show_one(name: str, value: str) -> Rows:
    return _rows((name,), [[value]])


def show_all(values: Mapping[str, str]) -> Rows:
    names = sorted(values, key=str.lower)
    described = {setting.name: setting.description for setting in SETTINGS}
    descriptions = [described.get(name, "") for name in names]  # one that a session has made up has none
    return _rows(("name", "setting", "description"), [names, [values[name] for name in names], descriptions])


def text_lines(title: str, lines: list[str], tag: str) -> Rows:
    """One column of text, as EXPLAIN answers."""
    return _rows((title,), [lines], tag)


def text_rows(names: tuple[str, ...], rows: list[list[str]], tag: str) -> Rows:
    """Rows of text."""
    return _rows(names, [[row[i] for row in rows] for i in range(len(names))], tag)


def _rows(names: tuple[str, ...], columns: list[list[str]], tag: str = "SHOW") -> Rows:
    arrays = tuple(pa.array(values, pa.string()) for values in columns)

    async def chunks() -> AsyncIterator[Columns]:
        yield arrays

    return Rows(Schema(tuple(Column(name, TEXT) for name in names)), chunks(), tag, fixed_tag=True)
