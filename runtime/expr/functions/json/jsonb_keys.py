"""What documents, and arrays of them, are compared and sorted by: texts.

`1.0` and `1.00` are equal documents of two texts, and documents are in another order than their texts.  So a comparison
of documents is one of keys that are computed of them, and whatever tells rows apart by a document (GROUP BY, joins,
constraints) does so by its key.  An *equality key* is the same text for equal documents, and for most documents is the document's own; an
*order key* sorts, too (see `expr/jsonb/order.py`).  The key of an array is the array of its elements' keys.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ....repr.buffers import over_leaves, truth
from ....repr.types import JSONB, TEXT, Kind, ScalarType, array_of, list_of, map_of
from ...columns.arrays import put
from ...columns.row_errors import Evaluated
from ...jsonb.columns import over_documents
from ...jsonb.order import order_key, without_zeros
from ...tree.function import CallInfo, Datum, Function, Kernel, Overload, as_array
from ...tree.scalar import Call, Scalar

_SPELLED = r"\.[0-9]*0(?:[],} ]|$)"
"""What a document has whose numbers end in zeros behind the point (or a string that looks so)."""


KEYS = ("jsonb equality key", "jsonb order key")


def holds_documents(type_: ScalarType) -> bool:
    """Whether the type is jsonb, or an array, a list or a map of it."""
    return type_.leaf.kind is Kind.JSONB


def equality_key(arg: Scalar) -> Scalar:
    """What is the same for equal documents.  Anything else is its own."""
    return _key("jsonb equality key", arg)


def sort_key(arg: Scalar) -> Scalar:
    """What a document sorts by.  Anything else sorts as it is."""
    return _key("jsonb order key", arg)


def _key(function: str, arg: Scalar) -> Scalar:
    if not holds_documents(arg.type):
        return arg
    return Call(function, (arg,), arg.type.with_leaf(TEXT), arg.nullable)


def equality_keys(column: pa.Array, type_: ScalarType) -> pa.Array:
    """As `equality_key`, of a column of values of the type."""
    return _equality_keys(column) if holds_documents(type_) else column


def order_keys(datum: Datum, type_: ScalarType) -> Datum:
    """As `sort_key`, of a datum of the type."""
    if not holds_documents(type_):
        return datum
    found = _order_keys(as_array(datum, 1) if isinstance(datum, pa.Scalar) else datum)
    return found[0] if isinstance(datum, pa.Scalar) else found


def _equality_keys(column: pa.Array) -> pa.Array:
    return over_leaves(column, _shortened)


def _shortened(column: pa.Array) -> pa.Array:
    """The text of each document; only one whose numbers end in zeros is parsed."""
    long = pc.match_substring_regex(column, _SPELLED)
    if not pc.any(long, min_count=0).as_py():
        return column
    rows = np.flatnonzero(truth(long))
    return put(column, rows, _made(_TRIM_ZEROS, column.take(pa.array(rows))))


def _order_keys(column: pa.Array) -> pa.Array:
    return over_leaves(column, lambda documents: _made(_ORDER, documents))


_TRIM_ZEROS = over_documents(without_zeros)
_ORDER = over_documents(order_key)


def _made(kernel: Kernel, documents: pa.Array) -> pa.Array:
    found = kernel([documents], CallInfo((JSONB,), TEXT, len(documents)))
    assert isinstance(found, Evaluated)
    return found.values


def _equality_kernel(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    return _equality_keys(as_array(args[0], info.length))


def _order_kernel(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    return _order_keys(as_array(args[0], info.length))


FUNCTIONS: tuple[Function, ...] = tuple(
    Function(
        name,
        tuple(
            Overload((type_,), type_.with_leaf(TEXT), kernel)
            for type_ in (JSONB, array_of(JSONB), list_of(JSONB), map_of(JSONB))
        ),
    )
    for name, kernel in (("jsonb equality key", _equality_kernel), ("jsonb order key", _order_kernel))
)
