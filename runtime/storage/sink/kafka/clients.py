"""Clients of a Kafka cluster as a sink needs them, and what they say in words of ours."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ...connections.addresses import Addresses
from ...connections.failures import scrubbed
from ...connections.kafka import SILENT, Noted, client, settings
from ...connections.options import host_and_port
from ...connections.values import Values
from ..contract import SinkStalled

if TYPE_CHECKING:
    from confluent_kafka import Consumer, KafkaError, Producer
    from confluent_kafka.admin import AdminClient

REQUEST_S = 15.0
"""For one request, or one that is tried again within it."""

_MESSAGE_BYTES = 100 << 20
"""The topic's own limit is what counts."""


class KafkaClients:
    """`settings` are librdkafka's, of the connection; no error shows any of `secrets`.  `addresses` says where brokers may be."""

    def __init__(
        self,
        settings: Mapping[str, Any],
        secrets: Collection[bytes] = (),
        addresses: Addresses | None = None,
    ) -> None:
        self._secrets = tuple(secrets)
        self._addresses = addresses
        self._noted = Noted()
        self._settings = {**settings, "logger": SILENT, "log_level": 0, "error_cb": self._noted}
        self._admin: AdminClient | None = None
        self._producer: Producer | None = None

    @classmethod
    def of(cls, values: Values) -> KafkaClients:
        """Those of a connection."""
        return cls(settings(values), values.secrets.values(), Addresses(link_local=values.link_local))

    def check_addresses(self) -> None:
        """ConnectionFailed where the connection, or a broker that the cluster names, is where connections may not lead."""
        if self._addresses is None:
            return
        for broker in self._settings["bootstrap.servers"].split(","):
            self._addresses.resolve(*host_and_port(broker))
        with self.explaining("cannot ask for the brokers"):
            named = self.admin.list_topics(timeout=REQUEST_S).brokers
        for found in named.values():
            self._addresses.resolve(str(found.host), int(found.port or 0))

    @property
    def admin(self) -> AdminClient:
        if self._admin is None:
            self._admin = client().admin.AdminClient(self._settings)
        assert self._admin is not None
        return self._admin

    def consumer(self, group: str) -> Consumer:
        """One that reads what was committed, and says where a partition ends.  It commits no offsets."""
        own = {
            "group.id": group,
            "isolation.level": "read_committed",
            "enable.auto.commit": False,
            "enable.partition.eof": True,
            "auto.offset.reset": "error",
            "fetch.wait.max.ms": 10,  # where it ends is said with an answer
        }
        made: Consumer = client().Consumer({**self._settings, **own})
        return made

    def producer(self, settings: Mapping[str, Any], failed: list[KafkaError]) -> Producer:
        """`failed` gets why messages could not be delivered."""
        own = {
            "linger.ms": 20,
            "batch.size": 1_000_000,
            "message.max.bytes": _MESSAGE_BYTES,
            "queue.buffering.max.messages": 200_000,
            "queue.buffering.max.kbytes": 256 << 10,
            "delivery.report.only.error": True,
            "on_delivery": lambda error, message: failed.append(error) if error is not None else None,
        }
        self._producer = client().Producer({**self._settings, **own, **settings})
        assert self._producer is not None
        return self._producer

    def offsets(self, topic: str) -> tuple[int, int]:
        """Where the topic's only partition begins, and where it ends with what is in transactions that are open."""
        spec = client().admin.OffsetSpec
        with self.explaining(f'cannot read topic "{topic}"'):
            return self._offset(topic, spec.earliest()), self._offset(topic, spec.latest())

    def _offset(self, topic: str, spec: Any) -> int:
        kafka = client()
        at = kafka.TopicPartition(topic, 0)
        asked = self.admin.list_offsets(
            {at: spec}, isolation_level=kafka.IsolationLevel.READ_UNCOMMITTED, request_timeout=REQUEST_S
        )
        return int(asked[at].result(REQUEST_S + 1).offset)

    @contextmanager
    def explaining(self, what: str) -> Iterator[None]:
        """Errors of Kafka as errors that say what could not be done, and why."""
        kafka = client()
        try:
            yield
        except kafka.KafkaException as error:
            raise self.explained(error.args[0], what) from None

    def explained(self, error: KafkaError, what: str) -> SinkStalled:
        """A transport that fails says less than what a client has noted, which it tells when it is polled."""
        kafka = client()
        for polled in (self._admin, self._producer):
            if polled is not None:
                try:
                    polled.poll(0)
                except kafka.KafkaException as fatal:  # a client that is fenced says so whatever it is asked
                    error = fatal.args[0]
        error = self._noted.instead_of(error)
        reason = scrubbed(error.str(), self._secrets) or error.name()
        return SinkStalled(f"{what}: {reason}", hint=_hint(error, kafka))


def _hint(error: KafkaError, kafka: Any) -> str | None:
    match error.code():
        case (
            kafka.KafkaError.TOPIC_AUTHORIZATION_FAILED
            | kafka.KafkaError.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
            | kafka.KafkaError.CLUSTER_AUTHORIZATION_FAILED
            | kafka.KafkaError.GROUP_AUTHORIZATION_FAILED
        ):
            return "The connection's user needs rights on the topic, the progress topic and the transactional id."
        case kafka.KafkaError.MSG_SIZE_TOO_LARGE:
            return "Raise the topic's max.message.bytes."
        case _:
            return None
