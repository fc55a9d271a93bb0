"""Keyed errors as texts: which error takes the place of which key's row.

A source's errors say what is wrong and where it stands, not of which key.  So each one that has a key is recorded a second
time, as a row of the shard of the source's positions, in the transaction that adds or removes it: a JSON array of its
SQLSTATE, its message, and the key's values as PostgreSQL prints them.  A position is a JSON object; what a connector records is an
array of arrays.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from ...errors import StorageError
from ...expr.text.text_input import from_text
from ...expr.text.text_output import to_text
from ...repr.types import ScalarType
from .block import Columns


def error_rows(
    keys: Columns, types: Sequence[ScalarType], sqlstates: pa.Array, messages: pa.Array
) -> pa.Array:
    """string[n]: a pure function of the values, so that a removed error takes its row with it."""
    texts = [sqlstates, messages, *(to_text(key, type_) for key, type_ in zip(keys, types, strict=True))]
    values = pc.binary_join_element_wise(*map(_json, texts), ",")
    return pc.binary_join_element_wise("[", values, "]", "")


def is_error_row(rows: pa.Array) -> pa.Array:
    """Which rows of a shard of positions are such texts."""
    return pc.starts_with(rows, '["')


def read_error_rows(rows: pa.Array, types: Sequence[ScalarType]) -> tuple[Columns, pa.Array, pa.Array]:
    """(keys, SQLSTATEs, messages); the inverse of `error_rows`."""
    values = json.loads(f"[{','.join(rows.to_pylist())}]", strict=False)
    columns = list(zip(*values, strict=True)) if values else [()] * (2 + len(types))
    sqlstates, messages, *keys = (pa.array(column, pa.string()) for column in columns)
    read = [from_text(key, type_) for key, type_ in zip(keys, types, strict=True)]
    if any(evaluated.errors is not None for evaluated in read):
        raise StorageError("the keys of an upsert source's errors are not those of its columns")
    return tuple(e.values.cast(t.arrow) for e, t in zip(read, types, strict=True)), sqlstates, messages


def read_former(payload: str, types: Sequence[ScalarType]) -> tuple[Columns, pa.Array, pa.Array]:
    """As `read_error_rows`, of what positions had in them before errors were rows."""
    table = pa.ipc.open_stream(base64.b64decode(payload)).read_all().combine_chunks()
    columns = [column.combine_chunks() for column in table.columns]
    keys = tuple(c.cast(t.arrow) for c, t in zip(columns[:-2], types, strict=True))
    return keys, columns[-2], columns[-1]


def _json(texts: pa.Array) -> pa.Array:
    """string[n]: each text as JSON (but for control characters, which stand for themselves), NULL as null."""
    escaped = pc.replace_substring(pc.replace_substring(texts, "\\", "\\\\"), '"', '\\"')
    return pc.fill_null(pc.binary_join_element_wise('"', escaped, '"', ""), "null")
