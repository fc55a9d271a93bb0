"""Transactions of one transactional id: messages and a progress record, both or neither.

To make one of these fences whoever had the id before.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import repeat
from time import monotonic
from typing import TYPE_CHECKING, Any

from ...connections.kafka import client
from ..contract import SinkStalled
from .clients import REQUEST_S, KafkaClients
from .messages import Messages
from .progress import ProgressRecord

if TYPE_CHECKING:
    from confluent_kafka import KafkaError

COMMIT_S = 30.0
ABORT_S = 5.0
"""What is not ended by then ends by the transaction's timeout, or with the next writer."""
_ROOM_S = 0.1


class Transactions:
    """One after the other.  After any error it is to be closed: what became of a transaction is for the next one to find out."""

    def __init__(self, clients: KafkaClients, settings: Mapping[str, Any]) -> None:
        """Returns when what was open under the id has ended.  Raises SinkStalled."""
        self._clients = clients
        self._failed: list[KafkaError] = []
        self._open = False
        self._producer = clients.producer(settings, self._failed)
        with clients.explaining("cannot begin to write to Kafka"):
            self._producer.init_transactions(REQUEST_S)

    def begin(self) -> None:
        with self._clients.explaining("cannot begin a transaction"):
            self._producer.begin_transaction()
        self._open = True

    def produce(self, topic: str, messages: Messages) -> None:
        """Hands them to the client, in order; waits while its queue is full."""
        send = self._producer.produce
        keys = messages.keys.to_pylist() if messages.keys is not None else repeat(None)
        headers = messages.headers if messages.headers is not None else repeat(None)
        with self._clients.explaining(f'cannot write to topic "{topic}"'):
            for key, value, partition, header in zip(
                keys, messages.values.to_pylist(), messages.partitions.tolist(), headers, strict=False
            ):
                try:
                    send(topic, value, key, partition, headers=header)
                except BufferError:
                    self._wait_for_room()
                    send(topic, value, key, partition, headers=header)
            self._producer.poll(0)

    def _wait_for_room(self) -> None:
        """Until half of what is queued is gone."""
        queued = len(self._producer)
        deadline = monotonic() + COMMIT_S
        while len(self._producer) > queued // 2:
            self._producer.poll(_ROOM_S)
            if monotonic() > deadline:
                raise SinkStalled("Kafka takes no messages: those that wait for it are too many")

    def commit(self, progress_topic: str, identity: str, progress: ProgressRecord) -> None:
        """Raises SinkStalled; then it may have been committed, or not."""
        kafka = client()
        try:
            self._producer.produce(progress_topic, progress.to_bytes(), identity.encode(), 0)
            self._producer.commit_transaction(COMMIT_S)
        except kafka.KafkaException as error:
            reason = self._failed[0] if self._failed else error.args[0]
            raise self._clients.explained(reason, "cannot commit to Kafka") from None
        self._open = False

    def close(self) -> None:
        """Aborts what is open, within a bounded time."""
        if self._open:
            self._open = False
            self._producer.purge()
            try:
                self._producer.abort_transaction(ABORT_S)
            except client().KafkaException:
                pass  # it is fenced, or out of reach: the transaction ends with the next writer, or by its timeout
