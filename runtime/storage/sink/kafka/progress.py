"""The progress of a sink: a record in the transaction that has the messages, so that there are both or neither.

Everything below `upper` is in the topic; with `partial`, also what is between `upper` and the time of that, and of that time
the first `done` records.  The order of records within a time depends on the changes alone; `digest`, of what was sent of that
time, proves it when the sink goes on.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from time import monotonic

from ....errors import StorageError
from ...connections.kafka import client
from ..contract import SinkStalled
from .clients import KafkaClients

VERSION = 1
READ_S = 20.0
"""How long what others have under way may be in the way."""


@dataclass(frozen=True, slots=True)
class Partial:
    time: int
    done: int
    digest: tuple[int, int]


@dataclass(frozen=True, slots=True)
class ProgressRecord:
    """`writer` is who has opened the sink last, as the `term`-th installation of it; `topic` the id of the topic,
    `partitions` how many of it are written to."""

    sink: str
    writer: str
    upper: int
    generation: int
    topic: str
    partitions: int
    partial: Partial | None = None
    term: int = 0

    def to_bytes(self) -> bytes:
        return json.dumps({"version": VERSION, **asdict(self)}, separators=(",", ":")).encode()

    @classmethod
    def from_bytes(cls, value: bytes) -> ProgressRecord:
        """Raises StorageError for what this version does not know."""
        try:
            found = json.loads(value)
            if found.pop("version") == VERSION:
                partial = found.pop("partial")
                if partial is not None:
                    partial = Partial(partial["time"], partial["done"], tuple(partial["digest"]))
                return cls(partial=partial, **found)
        except (ValueError, KeyError, TypeError, AttributeError):
            pass
        raise StorageError(
            "the sink's progress record is not one that this version can read",
            hint="It was written by a newer version: use that one.",
        )


def last_progress(clients: KafkaClients, topic: str, identity: str, group: str) -> ProgressRecord | None:
    """The last one of the sink that was committed.

    All that is in the topic by now is read: a record may lie behind one of a transaction that is still open, which hides both
    until it ends.  Raises SinkStalled where that takes too long.
    """
    kafka = client()
    begin, end = clients.offsets(topic)
    consumer = clients.consumer(group)
    found: bytes | None = None
    key = identity.encode()
    deadline = monotonic() + READ_S
    try:
        # The client would look for a beginning that has no number after half a second only.
        consumer.assign([kafka.TopicPartition(topic, 0, begin)])
        while True:
            for message in consumer.consume(10_000, timeout=0.02):
                if (error := message.error()) is None:
                    if message.key() == key:
                        found = message.value()
                elif error.code() != kafka.KafkaError._PARTITION_EOF:
                    raise clients.explained(error, f'cannot read topic "{topic}"')
                elif (message.offset() or 0) >= end:
                    return ProgressRecord.from_bytes(found) if found is not None else None
            if monotonic() > deadline:
                raise SinkStalled(
                    f'topic "{topic}" cannot be read to its end: a transaction is open there',
                    sqlstate="55006",
                    hint="It ends with the sink that has begun it, or by Kafka's timeout of transactions. One that hangs is ended by `kafka-transactions.sh abort`.",
                )
    except kafka.KafkaException as error:
        raise clients.explained(error.args[0], f'cannot read topic "{topic}"') from None
    finally:
        consumer.close()
