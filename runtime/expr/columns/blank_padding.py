"""char(n): text of n characters, padded with blanks.

Blanks at the end say nothing: `'a'::char(3)` equals `'a'::char(5)`, and its text is `'a'`.  So a value of a declared length
is kept without them, and equality, order and hashes are those of text; they are put back where it is printed, and
for what looks at them (LIKE, regular expressions, octet_length).

A `bpchar` without a length, which is what char(3) and char(5) have in common, keeps the blanks that it came with, as
its output shows them.  It is compared by its key, the value without them: see `functions/comparison_keys.py`.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...repr.buffers import truth
from ...repr.types import UNPADDED, Kind, ScalarType
from .arrays import with_nulls
from .row_errors import Evaluated, RowErrors, listed_errors


def padded(array: pa.Array, type_: ScalarType) -> pa.Array:
    """The characters of each value, those of its declared length."""
    if type_.length is None or type_.length == UNPADDED:
        return array
    return pc.utf8_rpad(array, type_.length, " ")


def unpadded(array: pa.Array, type_: ScalarType) -> pa.Array:
    """The text of each value."""
    return pc.utf8_rtrim(array, " ") if type_.length is None else array


def from_padded(array: pa.Array, type_: ScalarType, *, explicit: bool) -> Evaluated:
    """Texts as values of the type: cut to its length if `explicit`, else 22001 if more than blanks would be cut off."""
    if type_.length is None:
        return Evaluated(array)
    values, errors = limited(array, type_, explicit=explicit)
    return Evaluated(pc.utf8_rtrim(values, " "), errors)


def limited(array: pa.Array, type_: ScalarType, *, explicit: bool) -> tuple[pa.Array, RowErrors | None]:
    """Texts of at most the characters of a char or varchar, and the rows whose text is longer."""
    limit = type_.length
    longest = pc.max(pc.binary_length(array)).as_py()
    if limit is None or longest is None or longest <= limit:
        return array, None
    cut = pc.utf8_slice_codeunits(array, 0, limit)
    if explicit:
        return cut, None
    rest = pc.utf8_rtrim(pc.utf8_slice_codeunits(array, limit), " ")
    too_long = np.flatnonzero(truth(pc.not_equal(rest, "")))
    message = f"value too long for type {type_}"
    return with_nulls(cut, too_long), listed_errors([(row, "22001", message) for row in too_long.tolist()])


def is_padded(type_: ScalarType) -> bool:
    """Whether values of the type are equal however many blanks end them, and kept with these."""
    return type_.kind is Kind.BPCHAR and type_.length is None
