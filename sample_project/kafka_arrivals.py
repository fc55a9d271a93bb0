"""The topic that `replay.py --kafka` writes flights to, in place of the directory."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from confluent_kafka import Consumer as _Consumer
from confluent_kafka import KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic
from flights_data import KEY

DEADLINE_S = 60.0


class TopicArrivals:
    """A topic of one partition, so that the order of events is that of messages; made unless it is there.

    `settings` are librdkafka's.  An event is a message: the key's columns as its key, the others as its value, and none to delete.
    """

    def __init__(self, settings: Mapping[str, str], topic: str) -> None:
        self._topic = topic
        self._make(settings)
        self.written = self._end(settings)
        self._failed: list[KafkaError] = []
        self._producer = Producer({**settings, "enable.idempotence": True, "linger.ms": 5})

    def _make(self, settings: Mapping[str, str]) -> None:
        admin = AdminClient(dict(settings))  # which is to outlive its answer
        made = admin.create_topics([NewTopic(self._topic, num_partitions=1)])
        try:
            made[self._topic].result(DEADLINE_S)
        except KafkaException as error:
            if error.args[0].code() != KafkaError.TOPIC_ALREADY_EXISTS:
                raise

    def _end(self, settings: Mapping[str, str]) -> int:
        """Messages that the topic has had: no transaction has written to it, so no offset is a marker's."""
        consumer = _Consumer({**settings, "group.id": "replay"})
        try:
            _, end = consumer.get_watermark_offsets(TopicPartition(self._topic, 0), timeout=DEADLINE_S)
        finally:
            consumer.close()
        return int(end)

    def append(self, lines: Sequence[str]) -> None:
        """Returns when the broker has them."""
        for line in lines:
            record = json.loads(line)
            key = {name: record.pop(name) for name in KEY}
            value = json.dumps(record).encode() if record else None
            self._produce(json.dumps(key).encode(), value)
        if self._producer.flush(DEADLINE_S) or self._failed:
            raise OSError(self._failed[0].str() if self._failed else "the broker does not answer")
        self.written += len(lines)

    def _produce(self, key: bytes, value: bytes | None) -> None:
        while True:
            try:
                self._producer.produce(self._topic, value, key, 0, on_delivery=self._delivered)
            except BufferError:
                self._producer.poll(0.1)
            else:
                return

    def _delivered(self, error: KafkaError | None, _: object) -> None:
        if error is not None:
            self._failed.append(error)

    def close(self) -> None:
        self._producer.flush(DEADLINE_S)
