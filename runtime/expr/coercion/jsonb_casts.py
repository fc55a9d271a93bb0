"""Casts of documents to numbers and booleans.  JSON's null becomes NULL; any other kind of document is 22023."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pyarrow as pa

from ...repr.types import JSONB, Kind, ScalarType
from ..columns.row_errors import Evaluated, merge_errors
from ..datetimes.datetime_input import InputError
from ..jsonb.columns import over_documents
from ..jsonb.document import ABSENT, Document, number_text, type_name, whole_number
from ..tree.function import CallInfo

_BITS = {Kind.INT2: 16, Kind.INT4: 32, Kind.INT8: 64}


def from_jsonb(array: pa.Array, target: ScalarType) -> Evaluated:
    """The scalars of a column of documents as `target`: boolean, an integer, a float or numeric."""
    if target.kind is Kind.BOOL or target.is_integer:
        one = _boolean if target.kind is Kind.BOOL else lambda document: _integer(document, target)
        result = over_documents(one)([array], CallInfo((JSONB,), target, len(array)))
        assert isinstance(result, Evaluated)
        return result
    from ..text.text_input import from_text  # a document's text becomes a number as any text does

    texts = over_documents(lambda document: _digits(document, target))(
        [array], CallInfo((JSONB,), ScalarType(Kind.TEXT), len(array))
    )
    assert isinstance(texts, Evaluated)
    numbers = from_text(texts.values, target)
    return Evaluated(numbers.values, merge_errors([texts.errors, numbers.errors]))


def _refused(document: Document, target: ScalarType) -> InputError:
    name = type_name(document).replace("number", "numeric")
    return InputError("22023", f"cannot cast jsonb {name} to type {ScalarType(target.kind)}")


def _boolean(document: Document) -> Any:
    if document is None:
        return ABSENT
    if not isinstance(document, bool):
        raise _refused(document, ScalarType(Kind.BOOL))
    return document


def _number(document: Document, target: ScalarType) -> Decimal | int:
    if isinstance(document, int | Decimal) and not isinstance(document, bool):
        return document
    raise _refused(document, target)


def _integer(document: Document, target: ScalarType) -> Any:
    if document is None:
        return ABSENT
    value = whole_number(_number(document, target))
    if value.bit_length() >= _BITS[target.kind] and value != -(1 << (_BITS[target.kind] - 1)):
        raise InputError("22003", f"{ScalarType(target.kind)} out of range")
    return value


def _digits(document: Document, target: ScalarType) -> Any:
    return ABSENT if document is None else number_text(_number(document, target))
