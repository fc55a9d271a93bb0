"""Messages as columns.

The client hands out an object for each message: what is needed of them is taken here, and nowhere else, by calls that the
interpreter does not see.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from ....repr.batch import Indices

Header = tuple[str, bytes | None]


@dataclass(frozen=True, slots=True)
class Messages:
    """n messages, those of a partition in the order of their offsets.  A key or a value may be NULL.  `timestamps` are milliseconds
    since 1970, `headers` those of each message; both are there if they were asked for."""

    partitions: Indices
    offsets: Indices
    keys: pa.LargeBinaryArray
    values: pa.LargeBinaryArray
    timestamps: Indices
    headers: Sequence[Sequence[Header]]

    def __len__(self) -> int:
        return len(self.offsets)

    def before(self, offset: int) -> Messages:
        """Those of one partition, up to the offset."""
        count = int(np.searchsorted(self.offsets, offset))
        return Messages(
            self.partitions[:count],
            self.offsets[:count],
            self.keys.slice(0, count),
            self.values.slice(0, count),
            self.timestamps[:count],
            self.headers[:count],
        )

    @property
    def nbytes(self) -> int:
        return sum(_bytes(payloads) for payloads in (self.keys, self.values))


def columns_of(messages: Sequence[Any], *, keys: bool, timestamps: bool, headers: bool) -> Messages:
    """Of confluent_kafka's messages, none of which is an error."""
    count = len(messages)
    if not count:
        none, empty = np.empty(0, np.int64), pa.array([], pa.large_binary())
        return Messages(none, none, empty, empty, none, [])
    kind = type(messages[0])
    return Messages(
        _numbers(map(kind.partition, messages), count),
        _numbers(map(kind.offset, messages), count),
        pa.array(list(map(kind.key, messages)), pa.large_binary())
        if keys
        else pa.nulls(count, pa.large_binary()),
        pa.array(list(map(kind.value, messages)), pa.large_binary()),
        _numbers((at for _, at in map(kind.timestamp, messages)), count)
        if timestamps
        else np.empty(0, np.int64),
        [found or () for found in map(kind.headers, messages)] if headers else [],
    )


def _numbers(values: Iterable[int], count: int) -> Indices:
    return np.fromiter(values, np.int64, count)


def _bytes(payloads: pa.LargeBinaryArray) -> int:
    _, offsets, _ = payloads.buffers()
    bounds = np.frombuffer(offsets, np.int64)[payloads.offset : payloads.offset + len(payloads) + 1]
    return int(bounds[-1] - bounds[0])
