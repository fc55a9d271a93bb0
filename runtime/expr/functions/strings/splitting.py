"""Text cut into parts, rows taken together by what they are cut by; string_to_array."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ....repr.buffers import present
from ....repr.types import TEXT, array_of
from ...columns.lists import counts_of, list_array, owners_of
from ...columns.row_errors import RowErrors, merge_errors, same_error
from ...datetimes.datetime_input import InputError
from ...tree.function import CallInfo, Datum, Function, Overload, as_array

Splitter = Callable[[pa.Array, str | None], pa.Array]


def split_by(text: pa.Array, by: Datum, split: Splitter) -> tuple[pa.Array, RowErrors | None]:
    """A list of parts for every row; rows are taken together by what they are split by."""
    length = len(text)
    if isinstance(by, pa.Scalar) or length == 0:
        groups = [(by.as_py() if isinstance(by, pa.Scalar) else None, np.arange(length))]
    else:
        encoded = by.dictionary_encode(null_encoding="encode")
        codes = encoded.indices.to_numpy(zero_copy_only=False)
        order = np.argsort(codes, kind="stable")
        ends = np.cumsum(np.bincount(codes, minlength=len(encoded.dictionary)))[:-1]
        groups = list(zip(encoded.dictionary.to_pylist(), np.split(order, ends), strict=True))
    parts, places, errors = [], [], []
    for value, rows in groups:
        try:
            parts.append(split(text.take(pa.array(rows)), value))
        except InputError as error:
            parts.append(pa.nulls(len(rows), pa.list_(pa.string())))
            errors.append(same_error(rows, error.sqlstate, error.message))
        places.append(rows)
    back = np.argsort(np.concatenate(places), kind="stable")
    lists = pa.concat_arrays([part.cast(pa.list_(pa.string())) for part in parts]).take(pa.array(back))
    return lists, merge_errors(errors)


def by_delimiter(text: pa.Array, delimiter: str | None) -> pa.Array:
    """As string_to_table: NULL divides into characters, an empty delimiter not at all; '' has no parts."""
    if delimiter is None:
        lists = pa.array([None if t is None else list(t) for t in text.to_pylist()], pa.list_(pa.string()))
    elif delimiter == "":
        offsets = np.concatenate(([0], np.cumsum(present(text))))
        lists = pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), text.drop_null())
    else:
        lists = pc.split_pattern(text, delimiter)
    return pc.if_else(pc.equal(text, ""), pa.scalar(None, lists.type), lists)


def _string_to_array(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    """The parts of each text; of an empty one none; those that are like the third argument are NULL."""
    text = as_array(args[0], info.length)
    parts, _ = split_by(text, args[1], by_delimiter)
    counts = counts_of(parts)
    values = parts.flatten()
    if len(args) > 2:
        null = args[2]
        if isinstance(null, pa.Array):
            null = null.take(pa.array(owners_of(counts)))
        values = pc.if_else(pc.equal(values, null).fill_null(False), pa.scalar(None, pa.string()), values)
    return list_array(values, counts, present(text))


FUNCTIONS: tuple[Function, ...] = (
    Function(
        "string_to_array",
        tuple(Overload((TEXT,) * n, array_of(TEXT), _string_to_array, strict=False) for n in (2, 3)),
    ),
)
