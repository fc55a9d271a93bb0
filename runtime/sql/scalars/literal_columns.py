"""Columns of literals as they are written (`syntax/literal_rows.py`), typed and parsed as a whole."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from ...expr.coercion.session_zone import read_text
from ...expr.digits import whole
from ...repr.types import BOOL, INT4, INT8, TEXT, Kind, ScalarType


def natural_type(cells: tuple[str, ...]) -> ScalarType | None:
    """The type that the column has by itself, text for untyped literals; None where it takes the ordinary way."""
    kind = _kind(cells)
    if kind == "integer":
        largest = max(abs(whole(cell)) for cell in cells if cell[0] not in "nN")
        return INT4 if largest < 2**31 else INT8 if largest < 2**63 else None
    return {"string": TEXT, "boolean": BOOL}.get(kind or "")


def is_untyped(cells: tuple[str, ...]) -> bool:
    return _kind(cells) in ("string", "null")


def values(cells: tuple[str, ...], type_: ScalarType) -> list[object] | None:
    """The column assigned to `type_`, as Python values; None where it takes the ordinary way."""
    kind = _kind(cells)
    if kind == "null":
        return [None] * len(cells)
    if kind == "boolean":
        known = {"t": True, "f": False, "n": None}
        return [known[cell[0].lower()] for cell in cells] if type_ == BOOL else None
    if kind == "string":
        texts = [cell[1:-1].replace("''", "'") if cell[0] == "'" else None for cell in cells]
        return _parsed(pa.array(texts, pa.string()), type_)
    number = type_.is_integer if kind == "integer" else False
    if not (number or type_.is_float or type_.kind is Kind.NUMERIC) or kind is None:
        return None
    if type_.is_float and any(cell[0] == "-" and not cell.strip("-0.") for cell in cells):
        return None  # the number -0.0 is zero, the text is not
    return _parsed(pa.array([None if cell[0] in "nN" else cell for cell in cells], pa.string()), type_)


def _kind(cells: tuple[str, ...]) -> str | None:
    """integer, decimal, string, boolean, null; None for a mixture."""
    first = {cell[0] for cell in cells}
    if first <= {"n", "N"}:
        return "null"
    if first <= set("'nN"):
        return "string"
    if first <= set("tTfFnN"):
        return "boolean"
    if first <= set("-0123456789nN"):
        return "decimal" if any("." in cell for cell in cells) else "integer"
    return None


def _parsed(texts: pa.Array, type_: ScalarType) -> list[object] | None:
    if type_.kind in (Kind.NAME, Kind.CHAR):
        return None
    if type_.element is not None and type_.element.length is not None:
        return None
    if type_.length is not None and (pc.max(pc.utf8_length(texts)).as_py() or 0) > type_.length:
        return None
    result = read_text(texts, type_)
    if result.errors is not None:
        return None
    try:
        return result.values.to_pylist()  # type: ignore[no-any-return]
    except (ValueError, OverflowError):  # a date that Python cannot hold
        return None
