"""Table functions over documents: the members of arrays and objects as rows.

Of `jsonb_each` each of the two columns is a call of its own over the same rows, in the same order; the document is parsed
once for both (see `columns.documents`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ...repr.types import JSONB, TEXT, ScalarType
from ..columns.row_errors import RowErrors, listed_errors
from ..datetimes.datetime_input import InputError
from ..jsonb.columns import applied
from ..jsonb.document import ABSENT, Document, as_text, encode, ordered
from ..tree.function import CallInfo, Datum, as_array

Members = Callable[[Document], list[str | None]]


def members(
    one: Callable[..., list[str | None]], args: Sequence[Datum], types: Sequence[ScalarType], length: int
) -> tuple[npt.NDArray[np.int64], pa.Array, RowErrors | None]:
    """The texts that `one` gives for each row: how many, and all of them; rows that fail have none."""
    data = [as_array(args[0], length), *args[1:]]
    results, failures, places = applied(one, data, CallInfo(tuple(types), TEXT, length))
    lists: list[list[str | None]] = [[] if found is ABSENT else found for found in results]
    if places is not None:
        order = places.tolist()
        lists = [lists[place] for place in order]
        wrong = {index: (state, message) for index, state, message in failures}
        failures = [(row, *wrong[place]) for row, place in enumerate(order) if place in wrong]
    counts = np.fromiter(map(len, lists), np.int64, len(lists))
    values = pa.array([value for found in lists for value in found], pa.string())
    return counts, values, listed_errors(failures)


def _shown(document: Document) -> str:
    return encode(document)


def _text(document: Document) -> str | None:
    text = as_text(document)
    return None if text is ABSENT else str(text)


def _of_array(show: Callable[[Document], str | None]) -> Members:
    def elements(document: Document) -> list[str | None]:
        if isinstance(document, list):
            return [show(item) for item in document]
        what = "an object" if isinstance(document, dict) else "a scalar"
        raise InputError("22023", f"cannot extract elements from {what}")

    return elements


def _keys(document: Document) -> list[str | None]:
    if isinstance(document, dict):
        return list(ordered(document))
    what = "an array" if isinstance(document, list) else "a scalar"
    raise InputError("22023", f"cannot call jsonb_object_keys on {what}")


def _of_object(name: str, show: Callable[[Document], str | None] | None) -> Members:
    """The keys, or the values as `show` has them."""

    def each(document: Document) -> list[str | None]:
        if not isinstance(document, dict):
            raise InputError("22023", f"cannot call {name} on a non-object")
        return [key if show is None else show(document[key]) for key in ordered(document)]

    return each


SINGLE: dict[str, tuple[Members, ScalarType]] = {
    "jsonb_array_elements": (_of_array(_shown), JSONB),
    "jsonb_array_elements_text": (_of_array(_text), TEXT),
    "jsonb_object_keys": (_keys, TEXT),
}
"""Functions of one column, and its type."""

PAIRS: dict[str, tuple[tuple[Members, ScalarType], tuple[Members, ScalarType]]] = {
    name: ((_of_object(name, None), TEXT), (_of_object(name, show), type_))
    for name, show, type_ in (("jsonb_each", _shown, JSONB), ("jsonb_each_text", _text, TEXT))
}
"""Functions of two columns, `key` and `value`."""
