"""A message that a dead letter keeps is that message again."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from ptvc.storage.dead_letters import MESSAGE_LETTERS
from ptvc.storage.source.kafka.letters import letters_of, messages_of
from ptvc.storage.source.kafka.messages import Messages

MESSAGES = Messages(
    np.array([0, 3, 3], np.int64),
    np.array([7, 1 << 40, 9], np.int64),
    pa.array([b"k", None, b""], pa.large_binary()),
    pa.array([None, b"\xff", b"v"], pa.large_binary()),
    np.array([0, 1_700_000_000_123, -1], np.int64),
    [(("a", b"1"), ("b", None), ("a", b"2")), (), (("c", b"\xff"),)],
)


def test_messages_come_back() -> None:
    columns = letters_of(MESSAGES, np.array([0, 2]))
    assert [column.type for column in columns] == [c.type.arrow for c in MESSAGE_LETTERS][:-1]
    found = messages_of(columns)
    assert found.partitions.tolist() == [0, 3]
    assert found.offsets.tolist() == [7, 9]
    assert found.keys.to_pylist() == [b"k", b""]
    assert found.values.to_pylist() == [None, b"v"]
    assert found.timestamps.tolist() == [0, -1]
    # Of several headers of a name the last is what a source shows.
    assert [dict(headers) for headers in found.headers] == [{"a": b"2", "b": None}, {"c": b"\xff"}]
