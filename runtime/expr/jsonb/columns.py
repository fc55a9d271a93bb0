"""Columns of documents: parsing whole columns, and kernels from functions of documents.

A column is parsed once per distinct document.  The last few small columns stay parsed for as long as they live, so that
`d ->> 'a', d ->> 'b'` over one batch parses `d` once; large ones are parsed as they are read and not kept.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ...repr.types import Kind
from ..columns.row_errors import Evaluated, listed_errors
from ..datetimes.datetime_input import InputError
from ..tree.function import CallInfo, Datum, Kernel, as_array
from .canonical import canonical
from .document import ABSENT, MAX_DEPTH, Document, encode, limited, load, shape

_KEPT_COLUMNS = 4
_KEPT_ROWS = 1 << 16
_kept = threading.local()

Distinct = tuple[Iterable[Document], npt.NDArray[np.int64] | None]
"""Documents, and which of them each row has (None: one each, in order)."""


def documents(array: pa.Array) -> Distinct:
    """The distinct documents of a jsonb column, ABSENT for NULL, and the place of each row's among them."""
    kept: list[tuple[weakref.ref[pa.Array], Distinct]] = _kept.__dict__.setdefault("columns", [])
    for reference, found in kept:
        if reference() is array:
            return found
    distinct, places = _distinct(array)
    parsed = (ABSENT if text is None else load(text) for text in distinct.to_pylist())
    if len(array) > _KEPT_ROWS:
        return parsed, places
    found = list(parsed), places
    kept[:] = [entry for entry in kept if entry[0]() is not None][1 - _KEPT_COLUMNS :]
    kept.append((weakref.ref(array), found))
    return found


def _distinct(array: pa.Array) -> tuple[pa.Array, npt.NDArray[np.int64] | None]:
    if len(array) < 2:
        return array, None
    encoded = array.dictionary_encode(null_encoding="encode")
    if len(encoded.dictionary) == len(array):
        return array, None
    return encoded.dictionary, encoded.indices.to_numpy().astype(np.int64)


def parse_column(texts: pa.Array) -> Evaluated:
    """The jsonb that each text denotes: canonical texts; 22P02 and others where it is none."""
    distinct, places = _distinct(texts)
    values: list[str | None] = []
    failures: list[tuple[int, str, str]] = []
    for index, text in enumerate(distinct.to_pylist()):
        try:
            values.append(None if text is None else canonical(text))
        except InputError as error:
            values.append(None)
            failures.append((index, error.sqlstate, error.message))
    return _spread(pa.array(values, pa.string()), failures, places)


def check_column(texts: pa.Array) -> Evaluated:
    """The texts that are JSON, as they are written; 22P02 where one is none."""
    distinct, places = _distinct(texts)
    values: list[str | None] = distinct.to_pylist()
    failures: list[tuple[int, str, str]] = []
    for index, text in enumerate(values):
        try:
            if text is not None:
                limited(shape(text, False))
        except InputError as error:
            failures.append((index, error.sqlstate, error.message))
            values[index] = None
    if not failures:
        return Evaluated(texts)
    return _spread(pa.array(values, pa.string()), failures, places)


def within_depth(texts: pa.Array) -> Evaluated:
    """Canonical texts that were joined from others: those that are nested too deeply are error 54001."""
    brackets = pc.add(pc.count_substring(texts, "["), pc.count_substring(texts, "{"))
    if (pc.max(brackets).as_py() or 0) <= MAX_DEPTH:
        return Evaluated(texts)
    return parse_column(texts)


def _spread(
    values: pa.Array, failures: list[tuple[int, str, str]], places: npt.NDArray[np.int64] | None
) -> Evaluated:
    """Results of distinct values to the rows that have them."""
    if places is None:
        return Evaluated(values, listed_errors(failures))
    spread = values.take(pa.array(places))
    if not failures:
        return Evaluated(spread)
    wrong = {index: (state, message) for index, state, message in failures}
    listed = [(row, *wrong[index]) for row, index in enumerate(places.tolist()) if index in wrong]
    return Evaluated(spread, listed_errors(listed))


def _column(datum: Datum, kind: Kind, length: int) -> list[Any]:
    """One Python value per row, ABSENT for NULL."""
    if kind is Kind.JSONB:
        found, places = documents(as_array(datum, 1 if isinstance(datum, pa.Scalar) else length))
        items = list(found)
        if places is not None:
            items = [items[place] for place in places.tolist()]
    else:
        items = [
            ABSENT if value is None else value
            for value in as_array(datum, 1 if isinstance(datum, pa.Scalar) else length).to_pylist()
        ]
    return items * length if isinstance(datum, pa.Scalar) else items


def applied(
    one: Callable[..., Any], args: Sequence[Datum], info: CallInfo
) -> tuple[list[Any], list[tuple[int, str, str]], npt.NDArray[np.int64] | None]:
    """`one` of every distinct combination of arguments: results (ABSENT where an argument is NULL or `one` fails),
    failures by result, and which result each row has.

    With one varying argument that is a document, combinations are its distinct documents; else they are the rows.
    """
    varying = [i for i, datum in enumerate(args) if isinstance(datum, pa.Array)]
    places: npt.NDArray[np.int64] | None = None
    rows: Iterable[tuple[Any, ...]]
    if len(varying) == 1 and info.types[varying[0]].kind is Kind.JSONB:
        position = varying[0]
        found, places = documents(args[position])
        fixed = [
            _column(datum, type_.kind, 1)[0] if isinstance(datum, pa.Scalar) else None
            for datum, type_ in zip(args, info.types, strict=True)
        ]
        before, after = tuple(fixed[:position]), tuple(fixed[position + 1 :])
        if ABSENT in before or ABSENT in after:
            return [ABSENT], [], np.zeros(info.length, np.int64)
        rows = ((*before, document, *after) for document in found)
    else:
        columns = [
            _column(datum, type_.kind, info.length) for datum, type_ in zip(args, info.types, strict=True)
        ]
        rows = zip(*columns, strict=True)
    results: list[Any] = []
    failures: list[tuple[int, str, str]] = []
    for index, row in enumerate(rows):
        if any(value is ABSENT for value in row):
            results.append(ABSENT)
            continue
        try:
            results.append(one(*row))
        except InputError as error:
            results.append(ABSENT)
            failures.append((index, error.sqlstate, error.message))
        except RecursionError:  # a path of hundreds of steps
            results.append(ABSENT)
            failures.append((index, "54001", "stack depth limit exceeded"))
    return results, failures, places


def growing(one: Callable[..., Document]) -> Callable[..., Document]:
    """`one`, whose results may be nested deeper than its arguments, with the check of their depth."""
    return lambda *args: limited(one(*args))


def over_documents(one: Callable[..., Any]) -> Kernel:
    """A strict kernel: `one` of documents (where an argument is jsonb) and Python values, to a document (where the result
    is jsonb) or a Python value; ABSENT is NULL.  It raises InputError where a row has no answer."""

    def kernel(args: Sequence[Datum], info: CallInfo) -> Evaluated:
        results, failures, places = applied(one, args, info)
        if info.result.kind is Kind.JSONB:
            values = [None if value is ABSENT else encode(value) for value in results]
        else:
            values = [None if value is ABSENT else value for value in results]
        return _spread(pa.array(values, info.result.arrow), failures, places)

    return kernel
