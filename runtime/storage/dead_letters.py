"""Dead letters: the records that could not be decoded, as rows of a relation of their own beside the source.

| source | columns |
|---|---|
| KAFKA | `partition, offset, timestamp, key, payload, headers`, `reason` |
| FILE, S3 | `file, line, payload`, `reason` |

A source has them if it has an output with the reference DEAD_LETTERS.  Then no record in error is an error of the source: rows, dead letters
and position are of one commit.  What a dead letter holds is all that decoding it again needs.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..repr.batch import Indices
from ..repr.schema import Column, Schema
from ..repr.types import BYTEA, INT4, INT8, TEXT, TIMESTAMP, map_of
from .changes import Changes

DEAD_LETTERS = "mz_dead_letters"
"""What the output is called, of what a source has."""

_KEY, _PAYLOAD = REPAIRED = "key", "payload"
"""Columns that may be repaired before a record is decoded again; the others say which record it was, and when."""

_REASON = Column("reason", TEXT, False)

MESSAGE_LETTERS = Schema(
    (
        Column("partition", INT4, False),
        Column("offset", INT8, False),
        Column("timestamp", TIMESTAMP, False),
        Column(_KEY, BYTEA),
        Column(_PAYLOAD, BYTEA),
        Column("headers", map_of(BYTEA), False),
        _REASON,
    )
)
LINE_LETTERS = Schema(
    (Column("file", TEXT, False), Column("line", INT8, False), Column(_PAYLOAD, BYTEA, False), _REASON)
)

Raw = Callable[[Indices], tuple[pa.Array, ...]]
"""Of some of the records that were decoded, the columns of dead letters but for the reason."""


def letters_schema(connector: str) -> Schema | None:
    """The columns of dead letters, by the word that the catalog knows the connector by; None where there are none."""
    return {"kafka": MESSAGE_LETTERS, "file": LINE_LETTERS, "s3": LINE_LETTERS}.get(connector)


def letters_name(source: str) -> str:
    """What the table is called, unless it is said."""
    return f"{source}_dead_letters"


def with_label(label: str, messages: pa.Array) -> pa.Array:
    """Messages that begin with what names the source."""
    return pc.binary_join_element_wise(label, messages, "") if len(messages) else messages


def dead_letters(raw: Raw, rows: Indices, messages: pa.Array, label: str) -> Changes:
    """Those of records `rows`, which may be there several times: the first of their messages is the reason."""
    bad, first = np.unique(rows, return_index=True)
    reasons = with_label(label, messages.take(pa.array(first)))
    return Changes((*raw(bad), reasons), np.ones(len(bad), np.int64))
