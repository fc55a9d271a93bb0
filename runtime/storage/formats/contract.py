"""What a format is: a function of payloads, whole keys or values of messages, to columns.

It knows neither where a message lies nor what the columns are for: who reads messages names the place in errors, and an envelope
says what a record does.  Decoding is a function of each payload alone: how messages were cut into batches does not show.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import pyarrow as pa

from ...repr.batch import Indices
from ...repr.schema import Schema


@dataclass(frozen=True, slots=True)
class PayloadErrors:
    """k errors: of payload `rows[i]`, in column `columns[i]` (`WHOLE_RECORD` where none could be read).  A payload may have
    several.  `reasons` are texts that say what is wrong, not where."""

    rows: Indices
    columns: Indices
    sqlstates: pa.Array
    reasons: pa.Array

    def __len__(self) -> int:
        return len(self.rows)


@dataclass(frozen=True, slots=True)
class DecodedPayloads:
    """Of n payloads: columns of the format's schema, of length n; a value that is in error is NULL."""

    columns: tuple[pa.Array, ...]
    errors: PayloadErrors


class PayloadFormat(Protocol):
    @property
    def schema(self) -> Schema:
        """The columns that it makes."""

    def decode(self, payloads: pa.LargeBinaryArray) -> DecodedPayloads:
        """`payloads` has no NULL: a message without a key or a value is not the format's matter.

        Raises PtvcError where something else than the payload is in the way, such as a registry that does not answer: the
        source stalls, and the same payloads come again.
        """
