"""Documents from SQL values: to_jsonb, jsonb_build_object, jsonb_build_array and jsonb_object, whole columns at once.

A column becomes a column of canonical texts by Arrow's kernels; only strings that need escapes, and numbers with an
exponent, are looked at one by one.  Texts of parts are joined to texts of wholes: what is joined in canonical order
is canonical.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from json.encoder import encode_basestring

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ....repr.order import sort_indices
from ....repr.types import Kind, ScalarType
from ...columns.arrays import put
from ...jsonb.document import number_text, ordered
from ...text.text_output import to_text

_NULL = pa.scalar("null")
Show = Callable[[pa.Array, ScalarType], pa.Array]


def to_json(array: pa.Array, type_: ScalarType) -> pa.Array:
    """The document of each value, as canonical text; SQL's NULL stays NULL."""
    match type_.kind:
        case Kind.JSONB:
            return array
        case Kind.BOOL:
            return pc.if_else(array, pa.scalar("true"), pa.scalar("false"))
        case Kind.INT2 | Kind.INT4 | Kind.INT8 | Kind.UINT2 | Kind.UINT4 | Kind.UINT8 | Kind.NUMERIC:
            return to_text(array, type_)
        case Kind.FLOAT4 | Kind.FLOAT8:
            return _floats(to_text(array, type_))
        case Kind.TIMESTAMP:
            return _quoted(_with_t(to_text(array, type_)))
        case Kind.TIMESTAMPTZ:
            return _quoted(pc.replace_substring(_with_t(to_text(array, type_)), "+00", "+00:00"))
        case Kind.ARRAY | Kind.LIST:
            assert type_.element is not None
            return _array(array, type_.element)
        case Kind.MAP:
            return _map(array, type_, to_json, ": ", ", ")
        case Kind.RECORD:
            return _record(array, type_, to_json)
        case Kind.DATE | Kind.OID:
            return _quoted(to_text(array, type_))
        case _:
            return strings(to_text(array, type_))


def as_written(array: pa.Array, type_: ScalarType) -> pa.Array:
    """The `json` of each value: as `to_json`, but no white space in arrays, and documents and numbers as they print."""
    match type_.kind:
        case Kind.JSON:
            return array
        case Kind.FLOAT4 | Kind.FLOAT8:
            text = to_text(array, type_)
            odd = pc.match_substring_regex(text, "[NI]")
            return pc.if_else(odd, _quoted(text), text)
        case Kind.ARRAY | Kind.LIST:
            assert type_.element is not None
            return _array(array, type_.element, as_written, ",")
        case Kind.MAP:
            return _map(array, type_, as_written, ":", ",")
        case Kind.RECORD:
            return _record(array, type_, as_written)
        case _:
            return to_json(array, type_)


def _with_t(text: pa.Array) -> pa.Array:
    return pc.replace_substring(text, " ", "T", max_replacements=1)


def _quoted(text: pa.Array) -> pa.Array:
    return pc.binary_join_element_wise('"', text, '"', "")


def strings(text: pa.Array) -> pa.Array:
    """Texts as JSON strings."""
    quoted = _quoted(text)
    risky = pc.match_substring_regex(text, r'[\x00-\x1f"\\]').fill_null(False)
    rows = np.flatnonzero(risky.to_numpy(zero_copy_only=False))
    if not len(rows):
        return quoted
    escaped = [encode_basestring(part) for part in text.take(pa.array(rows)).to_pylist()]
    return put(quoted, rows, pa.array(escaped, pa.string()))


def _floats(text: pa.Array) -> pa.Array:
    """Numbers without exponents; NaN and infinities are strings."""
    odd = pc.match_substring_regex(text, "[eNI]|^-0$").fill_null(False)
    rows = np.flatnonzero(odd.to_numpy(zero_copy_only=False))
    if not len(rows):
        return text
    shown = [
        f'"{part}"' if "N" in part or "I" in part else number_text(Decimal(part))
        for part in text.take(pa.array(rows)).to_pylist()
    ]
    return put(text, rows, pa.array(shown, pa.string()))


def _array(
    array: pa.Array,
    element: ScalarType,
    show: Callable[[pa.Array, ScalarType], pa.Array] = to_json,
    separator: str = ", ",
) -> pa.Array:
    items = show(array.flatten(), element).fill_null(_NULL)
    counts = array.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
    offsets = pa.array(np.concatenate([[0], np.cumsum(counts)]).astype(np.int32))
    joined = pc.binary_join(pa.ListArray.from_arrays(offsets, items), separator)
    shown = pc.binary_join_element_wise("[", joined, "]", "")
    return pc.if_else(array.is_valid(), shown, pa.scalar(None, pa.string())) if array.null_count else shown


def _map(array: pa.Array, type_: ScalarType, show: Show, colon: str, comma: str) -> pa.Array:
    """Objects, whose members are in the order of the keys, the shorter first, as documents have them."""
    assert type_.element is not None
    keys, values = array.flatten().flatten()
    counts = array.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    owners = np.repeat(np.arange(len(array)), counts)
    order = sort_indices([pa.array(owners), pc.binary_length(keys), keys], [False] * 3, [False] * 3)
    members = pc.binary_join_element_wise(strings(keys), show(values, type_.element).fill_null(_NULL), colon)
    joined = pc.binary_join(pa.ListArray.from_arrays(pa.array(offsets), members.take(pa.array(order))), comma)
    return _where_valid(array, pc.binary_join_element_wise("{", joined, "}", ""))


def _record(array: pa.Array, type_: ScalarType, show: Show) -> pa.Array:
    """Objects by the names of the fields; those of `json` in their order, however often a name comes."""
    parts = [show(values, field) for values, (_, field) in zip(array.flatten(), type_.fields, strict=True)]
    names = [name for name, _ in type_.fields]
    if show is to_json:
        return _where_valid(array, object_of(names, parts, len(array)))
    pieces: list[pa.Array | str] = []
    for number, (name, part) in enumerate(zip(names, parts, strict=True)):
        pieces += [f"{',' if number else '{'}{encode_basestring(name)}:", part.fill_null(_NULL)]
    text = pc.binary_join_element_wise(*pieces, "}", "") if pieces else pa.repeat(pa.scalar("{}"), len(array))
    return _where_valid(array, text)


def _where_valid(array: pa.Array, text: pa.Array) -> pa.Array:
    return pc.if_else(array.is_valid(), text, pa.scalar(None, pa.string())) if array.null_count else text


def array_of(parts: Sequence[pa.Array], length: int) -> pa.Array:
    """One array a row, of one member of each of `parts` (canonical texts; NULL is null)."""
    if not parts:
        return pa.repeat(pa.scalar("[]"), length)
    joined = pc.binary_join_element_wise(*(part.fill_null(_NULL) for part in parts), ", ")
    return pc.binary_join_element_wise("[", joined, "]", "")


def object_of(keys: Sequence[str], values: Sequence[pa.Array], length: int) -> pa.Array:
    """One object a row with the same keys; of a key that repeats the last value counts."""
    last = dict(zip(keys, values, strict=True))
    if not last:
        return pa.repeat(pa.scalar("{}"), length)
    pieces: list[pa.Array | str] = []
    for number, key in enumerate(ordered(last)):
        pieces += [f"{', ' if number else '{'}{encode_basestring(key)}: ", last[key].fill_null(_NULL)]
    return pc.binary_join_element_wise(*pieces, "}", "")
