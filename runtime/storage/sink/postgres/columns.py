"""Columns of a PostgreSQL table: their types there, and rows as the lines of its COPY."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ....errors import Unsupported
from ....expr.text.copy_text import NULL, escaped
from ....expr.text.text_format import to_text
from ....repr.schema import Column
from ....repr.types import Kind, ScalarType

_OWN = {
    Kind.UINT2: "integer",
    Kind.UINT4: "bigint",
    Kind.UINT8: "numeric(20,0)",
    Kind.MZ_TIMESTAMP: "numeric(20,0)",
}
"""Types that PostgreSQL does not have, and the narrowest of its own that holds them."""
_ELSEWHERE = frozenset((Kind.LIST, Kind.MAP, Kind.RECORD))


def column_type(column: Column) -> str:
    """What PostgreSQL calls the type, as its format_type prints it.  Raises Unsupported for what it has no type for."""
    type_ = column.type
    inner = type_.element if type_.kind is Kind.ARRAY and type_.element is not None else type_
    if inner.kind in _ELSEWHERE or inner.is_function or type_.is_vector:
        raise Unsupported(
            f'column "{column.name}" is of type {type_}, which PostgreSQL does not have',
            hint="Write column::text or to_jsonb(column) in a view.",
        )
    name = _OWN.get(inner.kind, str(inner))
    return name if inner is type_ else f"{name}[]"


def copy_lines(columns: Sequence[pa.Array], types: Sequence[ScalarType]) -> memoryview:
    """The rows, of which there are some, in COPY's text format, a line each."""
    fields = [
        escaped(to_text(array, type_)).fill_null(NULL) for array, type_ in zip(columns, types, strict=True)
    ]
    parts = [part for field in fields for part in (field, pa.scalar("\t"))][:-1]
    lines = pc.binary_join_element_wise(*parts, pa.scalar("\n"), "")
    bounds = np.frombuffer(lines.buffers()[1], np.int32)[lines.offset : lines.offset + len(lines) + 1]
    return memoryview(lines.buffers()[2] or b"")[int(bounds[0]) : int(bounds[-1])]
