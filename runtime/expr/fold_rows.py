"""Constant expressions of many rows, computed by columns: `VALUES (1 + 1, 'a' || 1), (2 + 1, 'a' || 2), ...`.

```
1 + 1, 2 + 1, 3 + 1  ──>  $0 + $1 over ($0: 1, 2, 3  $1: 1, 1, 1)  ──>  2, 3, 4
```

Cells that differ in their literals only are one expression over columns, evaluated once: to compute a cell by itself takes
half a millisecond.  What fails, and whatever is made of anything but calls, casts and literals, is folded cell by cell, as
`evaluate.fold` does it; the result is the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from ..errors import PtvcError
from .coercion.literals import python_value
from .cost import is_cheap
from .evaluate import evaluate, fold
from .tree.scalar import Call, Cast, ColumnRef, Literal, Scalar

MIN_CELLS = 16
"""Of fewer cells, each is folded by itself."""


def fold_rows(cells: Sequence[Scalar]) -> list[Scalar]:
    """Each of the expressions, which read no columns, folded."""
    if len(cells) < MIN_CELLS:
        return [fold(cell) for cell in cells]
    alike: dict[Scalar, list[tuple[int, list[Any]]]] = {}
    found: dict[int, Scalar] = {}
    for number, cell in enumerate(cells):
        values: list[Any] = []
        template = _template(cell, values)
        if template is not None and values and not isinstance(cell, Literal) and is_cheap(cell):
            alike.setdefault(template, []).append((number, values))
    for template, rows in alike.items():
        if len(rows) >= MIN_CELLS:
            found |= _folded(template, rows)
    return [found[number] if number in found else fold(cell) for number, cell in enumerate(cells)]


def _template(scalar: Scalar, values: list[Any]) -> Scalar | None:
    """The expression with a column for each of its literals, whose values are appended; None for one that is not so simple."""
    match scalar:
        case Literal(value=value, type=type_) if value is not None:
            values.append(value)
            return ColumnRef(len(values) - 1, type_, False)
        case Call(function=function, args=args, type=type_, nullable=nullable):
            parts = [_template(arg, values) for arg in args]
            if any(part is None for part in parts):
                return None
            return Call(function, tuple(part for part in parts if part is not None), type_, nullable)
        case Cast(arg=arg, type=type_, explicit=explicit):
            part = _template(arg, values)
            return None if part is None else Cast(part, type_, explicit)
        case _:
            return None


def _folded(template: Scalar, rows: Sequence[tuple[int, list[Any]]]) -> dict[int, Scalar]:
    """The literals by cell; without those that have none."""
    types = _types(template)
    try:
        columns = tuple(
            pa.array([values[index] for _, values in rows], type_) for index, type_ in enumerate(types)
        )
        result = evaluate(template, columns, len(rows))
        failed = set() if result.errors is None else set(result.errors.indices.tolist())
        return {
            number: Literal(python_value(value), template.type)
            for row, ((number, _), value) in enumerate(zip(rows, result.values, strict=True))
            if row not in failed
        }
    except (ValueError, PtvcError, pa.ArrowException):
        return {}  # each by itself tells which


def _types(template: Scalar) -> list[pa.DataType]:
    """Of the columns, in order."""
    match template:
        case ColumnRef(type=type_):
            return [type_.arrow]
        case Call(args=args):
            return [type_ for arg in args for type_ in _types(arg)]
        case Cast(arg=arg):
            return _types(arg)
        case _:
            raise AssertionError(f"{template} is no template")
