"""An Apache Kafka broker of the test run's own, on free ports of the loopback.  It listens in plain text, and in the ways of
`listeners`.

It can be killed, stopped and started again over the same data.  Its controller is a process of its own, which outlives a kill: a
broker that came back before the controller had missed it would first lead its partitions by the state of before, then none of
them, and would give up markers of transactions that it was to write meanwhile.  Topics have names of their own, so tests share
one broker.
"""

from __future__ import annotations

import shutil
import socket
import sys
import tempfile
import uuid
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from confluent_kafka import (
    OFFSET_BEGINNING,
    Consumer,
    KafkaError,
    KafkaException,
    Message,
    Producer,
    TopicCollection,
    TopicPartition,
)
from confluent_kafka.admin import AdminClient, NewPartitions, NewTopic

from ..maven_jars import KAFKA, java
from ..ports import free_ports
from .listeners import NAME, SECURED, SecuredListeners
from .node import KafkaNode

STARTED_WITHIN_S = 60.0
_SESSION_S = 2.0
"""After so long without a word from the broker its controller knows that it is gone."""

Record = tuple[bytes | None, bytes | None]
"""Key and value of a message."""


class KafkaBroker:
    def __init__(self, folder: Path) -> None:
        self.port, controller_port, *ports = free_ports(2 + len(SECURED))
        self.secured = SecuredListeners(ports)
        self.bootstrap = f"127.0.0.1:{self.port}"
        self._controller_address = f"127.0.0.1:{controller_port}"
        self._controller = KafkaNode(folder, "controller", self._of_controller(), "-Xmx256m")
        self._broker = KafkaNode(folder, "broker", self._of_broker(), "-Xmx512m")
        self.admin = AdminClient(
            {"bootstrap.servers": self.bootstrap, "log_level": 0, "reconnect.backoff.max.ms": 200}
        )
        self._format()
        self._controller.start()
        self._start()

    # -- the process --

    def start(self) -> None:
        """Over the data that is there, once its controller knows that it was gone; returns when it answers."""
        _await(self._is_missed, "the controller does not miss the broker")
        self._start()

    def kill(self) -> None:
        """As `kill -9` does."""
        self._broker.kill()

    def restart(self) -> None:
        self.kill()
        self.start()

    def close(self) -> None:
        self._broker.kill()
        self._controller.kill()

    def pause(self) -> None:
        """It holds its connections, and answers nothing; nor is it missed meanwhile."""
        self._controller.pause()
        self._broker.pause()

    def resume(self) -> None:
        self._broker.resume()
        self._controller.resume()

    def _start(self) -> None:
        self._broker.start()
        try:
            _await(self._answers, "the broker does not start")
        except AssertionError as error:
            self.close()
            raise AssertionError(f"{error}:\n{self.log()[-4000:]}") from None

    def _is_missed(self) -> bool:
        log = self._controller.log()
        return log.rfind("because its session has timed out") > log.rfind("to unfence has been granted")

    def log(self) -> str:
        return self._broker.log()

    def _answers(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
            self.admin.list_topics(timeout=2)
        except (OSError, KafkaException):
            return False
        return True

    def _format(self) -> None:
        # It must not begin with "-", which would be an option.
        cluster = urlsafe_b64encode(b"\0" + uuid.uuid4().bytes[1:]).rstrip(b"=").decode()
        users = self.secured.users()
        formatting = [node.formatting(cluster, users) for node in (self._controller, self._broker)]
        assert [process.wait(STARTED_WITHIN_S) for process in formatting] == [0, 0]

    def _of_both(self, node_id: int) -> dict[str, Any]:
        return {
            "node.id": node_id,
            "controller.quorum.voters": f"2@{self._controller_address}",
            "controller.listener.names": "CONTROLLER",
            "num.network.threads": 1,
            "num.io.threads": 2,
        }

    def _of_controller(self) -> dict[str, Any]:
        return {
            **self._of_both(2),
            "listeners": f"CONTROLLER://{self._controller_address}",
            "broker.session.timeout.ms": int(_SESSION_S * 1000),
        }

    def _of_broker(self) -> dict[str, Any]:
        at = self.bootstrap
        return {
            **self._of_both(1),
            "listeners": f"PLAINTEXT://{at},{self.secured.addresses('127.0.0.1')}",
            "advertised.listeners": f"PLAINTEXT://{at},{self.secured.addresses(NAME)}",
            "inter.broker.listener.name": "PLAINTEXT",
            "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,"
            + ",".join(f"{protocol}:{protocol}" for protocol in SECURED),
            **self.secured.properties(),
            "offsets.topic.replication.factor": 1,
            "offsets.topic.num.partitions": 1,
            "transaction.state.log.replication.factor": 1,
            "transaction.state.log.min.isr": 1,
            "transaction.state.log.num.partitions": 1,
            "transaction.abort.timed.out.transaction.cleanup.interval.ms": 1000,
            "share.coordinator.state.topic.replication.factor": 1,
            "share.coordinator.state.topic.min.isr": 1,
            "group.initial.rebalance.delay.ms": 0,
            "auto.create.topics.enable": "false",
            "broker.heartbeat.interval.ms": 200,
            "log.retention.check.interval.ms": 500,
            "log.initial.task.delay.ms": 500,
            "log.cleaner.backoff.ms": 200,
        }

    # -- topics --

    def topic(self, partitions: int = 1, **config: str) -> str:
        """A new one of a name of its own; settings have underscores for dots."""
        name = f"t-{uuid.uuid4().hex[:12]}"
        self.create_topic(name, partitions, {key.replace("_", "."): value for key, value in config.items()})
        return name

    def create_topic(self, name: str, partitions: int = 1, config: Mapping[str, str] | None = None) -> None:
        topic = NewTopic(name, num_partitions=partitions, replication_factor=1, config=dict(config or {}))
        deadline = monotonic() + 30
        while True:
            try:
                self.admin.create_topics([topic])[name].result(30)
            except KafkaException as error:
                # One of that name is still being deleted.
                if error.args[0].code() != KafkaError.TOPIC_ALREADY_EXISTS or monotonic() > deadline:
                    raise
                sleep(0.05)
            else:
                break
        while not self._has_leaders(name, partitions):
            assert monotonic() < deadline, f"topic {name} has no leaders"
            sleep(0.02)

    def delete_topic(self, name: str) -> None:
        """Returns when it is gone."""
        self.admin.delete_topics([name])[name].result(30)
        deadline = monotonic() + 30
        while name in self.admin.list_topics(timeout=10).topics:
            assert monotonic() < deadline
            sleep(0.02)

    def create_partitions(self, name: str, total: int) -> None:
        """So that there are that many."""
        self.admin.create_partitions([NewPartitions(name, total)])[name].result(30)
        deadline = monotonic() + 30
        while not self._has_leaders(name, total):
            assert monotonic() < deadline
            sleep(0.02)

    def delete_records(self, topic: str, before: int, partition: int = 0) -> None:
        """Of a partition: the offsets below `before` are gone."""
        at = TopicPartition(topic, partition, before)
        for future in self.admin.delete_records([at]).values():
            future.result(30)

    def topic_id(self, name: str) -> str:
        described = self.admin.describe_topics(TopicCollection([name]))[name].result(30)
        return str(described.topic_id)

    def _has_leaders(self, name: str, partitions: int) -> bool:
        found = self.admin.list_topics(name, timeout=10).topics[name].partitions
        return len(found) == partitions and all(partition.leader >= 0 for partition in found.values())

    # -- messages --

    def producer(self, **settings: Any) -> Producer:
        """Settings have underscores for dots."""
        own = {key.replace("_", "."): value for key, value in settings.items()}
        return Producer({"bootstrap.servers": self.bootstrap, "log_level": 0, "linger.ms": 0, **own})

    def produce(
        self,
        topic: str,
        records: Iterable[Record],
        partition: int | Sequence[int] = 0,
        *,
        headers: list[tuple[str, bytes | None]] | None = None,
        timestamp: int = 0,
    ) -> None:
        """In that order into the partition, or in turn into each of several; returns when all are there."""
        partitions = (partition,) if isinstance(partition, int) else tuple(partition)
        producer = self.producer(linger_ms=5, queue_buffering_max_messages=1_000_000)
        self._send(producer, topic, records, partitions, headers, timestamp)
        assert producer.flush(60) == 0

    @contextmanager
    def transaction(self, id: str | None = None, *, commit: bool = True) -> Iterator[Producer]:
        """What is produced in the block is committed at its end, or aborted."""
        producer = self.producer(transactional_id=id or uuid.uuid4().hex)
        producer.init_transactions(30)
        producer.begin_transaction()
        yield producer
        producer.flush(30)
        if commit:
            producer.commit_transaction(30)
        else:
            producer.abort_transaction(30)

    def produce_in_transaction(
        self, topic: str, records: Iterable[Record], partition: int = 0, *, commit: bool = True
    ) -> None:
        """Behind the records there is one more offset, that of the marker."""
        with self.transaction(commit=commit) as producer:
            self._send(producer, topic, records, (partition,), None, 0)

    def _send(
        self,
        producer: Producer,
        topic: str,
        records: Iterable[Record],
        partitions: tuple[int, ...],
        headers: list[tuple[str, bytes | None]] | None,
        timestamp: int,
    ) -> None:
        for index, (key, value) in enumerate(records):
            producer.produce(
                topic, value, key, partitions[index % len(partitions)], headers=headers, timestamp=timestamp
            )
            if index % 1000 == 999:
                producer.poll(0)

    def end(self, topic: str, partition: int = 0) -> int:
        """The offset that the partition's next message gets."""
        with self._consumer() as consumer:
            _, high = consumer.get_watermark_offsets(TopicPartition(topic, partition), timeout=30)
        return int(high)

    def messages(self, topic: str, *, isolation: str = "read_committed") -> list[Message]:
        """All that there are, by partition, in order."""
        found: list[Message] = []
        with self._consumer(isolation_level=isolation) as consumer:
            partitions = sorted(consumer.list_topics(topic, timeout=30).topics[topic].partitions)
            for partition in partitions:
                consumer.assign([TopicPartition(topic, partition, OFFSET_BEGINNING)])
                found += _to_the_end(consumer)
        return found

    @contextmanager
    def _consumer(self, **settings: Any) -> Iterator[Consumer]:
        own = {key.replace("_", "."): value for key, value in settings.items()}
        consumer = Consumer(
            {
                "bootstrap.servers": self.bootstrap,
                "log_level": 0,
                "group.id": "tests",
                "enable.auto.commit": False,
                "enable.partition.eof": True,
                "fetch.wait.max.ms": 10,  # where a partition ends is said with an answer
                **own,
            }
        )
        try:
            yield consumer
        finally:
            consumer.close()


def _to_the_end(consumer: Consumer) -> list[Message]:
    found: list[Message] = []
    deadline = monotonic() + 60
    while monotonic() < deadline:
        message = consumer.poll(1)  # of several that are asked for, the last one would be waited for
        error = None if message is None else message.error()
        if error is not None and error.code() == KafkaError._PARTITION_EOF:
            return found
        if error is not None:
            raise KafkaException(error)
        if message is not None:
            found.append(message)
    raise AssertionError("the end of a partition does not come")


def _await(condition: Callable[[], bool], what_else: str) -> None:
    deadline = monotonic() + STARTED_WITHIN_S
    while not condition():
        assert monotonic() < deadline, what_else
        sleep(0.05)


@contextmanager
def running_kafka() -> Iterator[KafkaBroker]:
    """A broker, gone on exit.  Raises Missing where one cannot be had."""
    java(), KAFKA.folder()
    folder = Path(tempfile.mkdtemp(prefix="ptvc-kafka-"))
    broker: KafkaBroker | None = None
    try:
        broker = KafkaBroker(folder)
        yield broker
    finally:
        if broker is not None:
            broker.close()
        shutil.rmtree(folder, ignore_errors=True)


def main() -> None:
    """Serves until standard input ends, and prints where: `python -m servers.kafka.broker`, in the tests' folder."""
    with running_kafka() as broker:
        print(broker.bootstrap, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
