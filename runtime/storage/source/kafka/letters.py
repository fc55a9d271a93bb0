"""Messages as dead letters keep them, and dead letters as the messages that they were."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from ....repr.batch import Indices
from ....repr.types import BYTEA, TIMESTAMP, map_of
from .headers import header_maps
from .messages import Messages

_HEADERS = map_of(BYTEA)


def letters_of(messages: Messages, rows: Indices) -> tuple[pa.Array, ...]:
    """The columns of dead letters, but for the reason, of the messages `rows`, which have keys, timestamps and headers."""
    index = pa.array(rows)
    return (
        pa.array(messages.partitions[rows].astype(np.int32)),
        pa.array(messages.offsets[rows]),
        pa.array(messages.timestamps[rows] * 1000).cast(TIMESTAMP.arrow),
        messages.keys.take(index).cast(BYTEA.arrow),
        messages.values.take(index).cast(BYTEA.arrow),
        header_maps([messages.headers[row] for row in rows.tolist()], _HEADERS),
    )


def messages_of(letters: Sequence[pa.Array]) -> Messages:
    """The messages that such columns are of.  Of several headers of one name the last is there, and nothing reads another."""
    partitions, offsets, timestamps, keys, values, headers = letters
    return Messages(
        partitions.to_numpy(zero_copy_only=False).astype(np.int64),
        offsets.to_numpy(zero_copy_only=False),
        keys.cast(pa.large_binary()),
        values.cast(pa.large_binary()),
        timestamps.cast(pa.int64()).to_numpy(zero_copy_only=False) // 1000,
        [tuple((entry["f0"], entry["f1"]) for entry in found) for found in headers.to_pylist()],
    )
