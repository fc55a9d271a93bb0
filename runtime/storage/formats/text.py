"""FORMAT TEXT and FORMAT BYTES: a payload is one value, as it is."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...repr.batch import Mask
from ...repr.schema import Schema
from ...repr.types import Kind, ScalarType
from ..decode import read_text
from .contract import DecodedPayloads, PayloadErrors

_NOT_UTF8 = 'invalid byte sequence for encoding "UTF8"'


class Text:
    """UTF-8 without the character 0, in one column of type `text`, or of a type whose input it is."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema

    def decode(self, payloads: pa.LargeBinaryArray) -> DecodedPayloads:
        return decode_typed(payloads, self.schema[0].type)


class Bytes:
    """Whatever it is, in one column of type `bytea`."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema

    def decode(self, payloads: pa.LargeBinaryArray) -> DecodedPayloads:
        return DecodedPayloads((payloads.cast(pa.binary()),), no_errors())


def decode_typed(payloads: pa.LargeBinaryArray, type_: ScalarType) -> DecodedPayloads:
    """One column, of the values that the payloads denote as input of the type."""
    bad = not_text(payloads)
    if bad.any():
        payloads = pc.if_else(pa.array(bad), pa.scalar(None, payloads.type), payloads)
    texts = payloads.cast(pa.string())
    rows = np.flatnonzero(bad)
    errors = PayloadErrors(
        rows,
        np.zeros(len(rows), np.int64),
        pa.array(["22021"] * len(rows), pa.string()),
        pa.array([_NOT_UTF8] * len(rows), pa.string()),
    )
    if type_.kind is Kind.TEXT:
        return DecodedPayloads((texts,), errors)
    read = read_text(texts, type_)
    if read.errors is None:
        return DecodedPayloads((read.values,), errors)
    failed = read.errors
    return DecodedPayloads(
        (read.values,),
        PayloadErrors(
            np.concatenate([rows, failed.indices]),
            np.zeros(len(rows) + len(failed.indices), np.int64),
            pa.concat_arrays([errors.sqlstates, failed.sqlstates]),
            pa.concat_arrays([errors.reasons, failed.messages]),
        ),
    )


def not_text(payloads: pa.LargeBinaryArray) -> Mask:
    """Which payloads are not UTF-8, or have the character 0."""
    bad = np.zeros(len(payloads), np.bool_)
    zero = pc.match_substring(payloads, b"\0")
    if pc.any(zero, min_count=0).as_py():
        bad = zero.to_numpy(zero_copy_only=False).copy()
    pending = [(0, len(payloads))]
    while pending:  # halves that hold a bad one are looked into
        low, high = pending.pop()
        part = payloads.slice(low, high - low)
        try:
            part.cast(pa.large_string())
        except pa.ArrowInvalid:
            if high - low == 1:
                bad[low] = True
            else:
                middle = (low + high) // 2
                pending += [(low, middle), (middle, high)]
    return bad


def no_errors() -> PayloadErrors:
    none = np.empty(0, np.int64)
    return PayloadErrors(none, none, pa.array([], pa.string()), pa.array([], pa.string()))
