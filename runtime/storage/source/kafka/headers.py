"""Headers of messages: as columns, all of them as a map or the last of a name; and the ids of schemas that they hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from ....expr.columns.maps import keyed
from ....repr.types import ScalarType
from .messages import Header
from .options import MessageColumn


def with_schema_ids(
    payloads: pa.LargeBinaryArray, headers: Sequence[Sequence[Header]], name: str
) -> pa.LargeBinaryArray:
    """Payloads behind the id of their schema, where a header has it: serializers may leave it there, in the same bytes."""
    ids = [dict(found).get(name) for found in headers]
    if not any(ids):
        return payloads
    prefixes = pa.array([id_ or b"" for id_ in ids], pa.large_binary())
    return pc.binary_join_element_wise(prefixes, payloads, pa.scalar(b"", pa.large_binary()))


def header_maps(headers: Sequence[Sequence[Header]], type_: ScalarType) -> pa.Array:
    """By name; of several headers of a name the last."""
    listed = [[{"f0": name, "f1": value} for name, value in found] for found in headers]
    return keyed(pa.array(listed, type_.arrow))


def header_values(
    headers: Sequence[Sequence[Header]], column: MessageColumn, report: Callable[[int, str], None]
) -> pa.Array:
    """The value of the last header of that name, NULL where there is none; `report` is told of those that are no text."""
    found = [dict(listed).get(column.name) for listed in headers]
    if column.raw:
        return pa.array(found, pa.binary())
    texts: list[str | None] = []
    for row, value in enumerate(found):
        try:
            text = None if value is None else value.decode()
        except UnicodeDecodeError:
            text = "\0"
        if text is not None and "\0" in text:
            report(row, f'header "{column.name}": invalid byte sequence for encoding "UTF8"')
            text = None
        texts.append(text)
    return pa.array(texts, pa.string())
