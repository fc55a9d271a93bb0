"""An Apache Kafka broker of the test run's own: one node, KRaft, on free ports of the loopback.  It listens in plain text, and in
the ways of `kafka_listeners`.

It runs in a process group of its own, which ends with the process that has started it.  It can be killed, stopped and started
again over the same data.  Topics have names of their own, so tests share one broker.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import uuid
from base64 import urlsafe_b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
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

from .kafka_jars import jars, java
from .kafka_listeners import NAME, SECURED, SecuredListeners

STARTED_WITHIN_S = 60.0
_FORMAT = ("-Xmx256m", "-XX:TieredStopAtLevel=1", "-Xshare:auto")
_RUN = ("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto")
_UNTIL_PARENT_ENDS = '"$@" </dev/null & read -r _; kill -9 0'
"""A shell in the broker's group: its standard input ends with whoever has started it, however that ends."""

Record = tuple[bytes | None, bytes | None]
"""Key and value of a message."""


class KafkaBroker:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._java, self._jars = java(), jars()
        self.port, self._controller_port, *ports = _free_ports(2 + len(SECURED))
        self.secured = SecuredListeners(ports)
        self.bootstrap = f"127.0.0.1:{self.port}"
        self._process: subprocess.Popen[bytes] | None = None
        self.admin = AdminClient(
            {"bootstrap.servers": self.bootstrap, "log_level": 0, "reconnect.backoff.max.ms": 200}
        )
        (folder / "server.properties").write_text(self._properties())
        self._format()
        self.start()

    # -- the process --

    def start(self) -> None:
        """Over the data that is there; returns when it answers."""
        assert self._process is None, "it runs"
        with (self._folder / "broker.log").open("ab") as log:
            self._process = subprocess.Popen(
                ["sh", "-c", _UNTIL_PARENT_ENDS, "broker", *self._command(*_RUN, "kafka.Kafka")],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                start_new_session=True,
                env=self._environment(),
            )
        deadline = monotonic() + STARTED_WITHIN_S
        while not self._answers():
            if monotonic() > deadline:
                self.kill()
                raise AssertionError(f"the broker does not start:\n{self.log()[-4000:]}")
            sleep(0.05)

    def kill(self) -> None:
        """As `kill -9` does."""
        if self._process is not None:
            process, self._process = self._process, None
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            assert process.stdin is not None
            process.stdin.close()

    def restart(self) -> None:
        self.kill()
        self.start()

    def pause(self) -> None:
        """It holds its connections, and answers nothing."""
        assert self._process is not None, "it does not run"
        os.killpg(self._process.pid, signal.SIGSTOP)

    def resume(self) -> None:
        assert self._process is not None, "it does not run"
        os.killpg(self._process.pid, signal.SIGCONT)

    def log(self) -> str:
        return (self._folder / "broker.log").read_text(errors="replace")

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
        command = self._command(*_FORMAT, "kafka.tools.StorageTool", "format", "-t", cluster, "-c")
        command += self.secured.users()
        subprocess.run(command, check=True, capture_output=True, env=self._environment())

    def _command(self, *arguments: str) -> list[str]:
        return [
            self._java,
            "-cp",
            f"{self._jars}/*",
            *arguments,
            str(self._folder / "server.properties"),
        ]

    def _environment(self) -> dict[str, str]:
        return {
            name: value
            for name, value in os.environ.items()
            if name not in ("JAVA_TOOL_OPTIONS", "CLASSPATH")
        }

    def _properties(self) -> str:
        at, controller = self.bootstrap, f"127.0.0.1:{self._controller_port}"
        settings = {
            "process.roles": "broker,controller",
            "node.id": 1,
            "controller.quorum.voters": f"1@{controller}",
            "listeners": f"PLAINTEXT://{at},CONTROLLER://{controller},{self.secured.addresses('127.0.0.1')}",
            "advertised.listeners": f"PLAINTEXT://{at},{self.secured.addresses(NAME)}",
            "controller.listener.names": "CONTROLLER",
            "inter.broker.listener.name": "PLAINTEXT",
            "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,"
            + ",".join(f"{protocol}:{protocol}" for protocol in SECURED),
            **self.secured.properties(),
            "log.dirs": self._folder / "data",
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
            # One that was killed may come back as soon as the controller has missed it.
            "broker.session.timeout.ms": 2000,
            "broker.heartbeat.interval.ms": 200,
            "log.retention.check.interval.ms": 500,
            "log.initial.task.delay.ms": 500,
            "log.cleaner.backoff.ms": 200,
            "num.network.threads": 1,
            "num.io.threads": 2,
        }
        return "".join(f"{name}={value}\n" for name, value in settings.items())

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
        for message in consumer.consume(10_000, timeout=0.5):
            error = message.error()
            if error is None:
                found.append(message)
            elif error.code() == KafkaError._PARTITION_EOF:
                return found
            else:
                raise KafkaException(error)
    raise AssertionError("the end of a partition does not come")


def _free_ports(count: int) -> list[int]:
    """Below those that the system hands out, so that they are still free when the broker starts again."""
    random = Random()
    found: list[int] = []
    while len(found) < count:
        port = random.randrange(20_000, 32_000)
        with socket.socket() as tried:
            try:
                tried.bind(("127.0.0.1", port))
            except OSError:
                continue
        if port not in found:
            found.append(port)
    return found


@contextmanager
def running_kafka() -> Iterator[KafkaBroker]:
    """A broker, gone on exit.  Raises Missing where one cannot be had."""
    java(), jars()
    folder = Path(tempfile.mkdtemp(prefix="ptvc-kafka-"))
    broker: KafkaBroker | None = None
    try:
        broker = KafkaBroker(folder)
        yield broker
    finally:
        if broker is not None:
            broker.kill()
        shutil.rmtree(folder, ignore_errors=True)


def main() -> None:
    """Serves until standard input ends, and prints where: `python -m servers.kafka_broker`, in this folder's parent."""
    with running_kafka() as broker:
        print(broker.bootstrap, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
