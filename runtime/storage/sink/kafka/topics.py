"""The topics of a sink: found, or made with the settings that were asked for.  One that is there is left as it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from time import monotonic, sleep

from ....errors import StorageError
from ...connections.kafka import client
from ..contract import SinkStalled
from .clients import REQUEST_S, KafkaClients

PROGRESS_CONFIG: Mapping[str, str] = {"cleanup.policy": "compact", "segment.bytes": str(16 << 20)}
"""The last record of each sink stays for good; what is read at the start is little."""

_PAUSE_S = 0.05


@dataclass(frozen=True, slots=True)
class Topic:
    """`id` tells it from another of the same name, before or after."""

    name: str
    id: str
    partitions: int


@dataclass(frozen=True, slots=True)
class NewTopic:
    """What is None is the broker's to choose."""

    name: str
    partitions: int | None
    replication_factor: int | None
    config: Mapping[str, str]


def progress_topic(name: str) -> NewTopic:
    return NewTopic(name, 1, None, PROGRESS_CONFIG)


def find_topic(clients: KafkaClients, name: str) -> Topic | None:
    kafka = client()
    what = f'cannot look at topic "{name}"'
    try:
        described = clients.admin.describe_topics(kafka.TopicCollection([name]), request_timeout=REQUEST_S)[
            name
        ].result(REQUEST_S + 1)
    except kafka.KafkaException as error:
        if error.args[0].code() == kafka.KafkaError.UNKNOWN_TOPIC_OR_PART:
            return None
        raise clients.explained(error.args[0], what) from None
    return Topic(name, str(described.topic_id), len(described.partitions))


def found_or_made(clients: KafkaClients, wanted: NewTopic) -> Topic:
    found = find_topic(clients, wanted.name)
    if found is None:
        _make(clients, wanted)
        deadline = monotonic() + REQUEST_S
        while (found := find_topic(clients, wanted.name)) is None:  # brokers hear of it one after the other
            if monotonic() > deadline:
                raise SinkStalled(f'topic "{wanted.name}" was made, and is not there yet')
            sleep(_PAUSE_S)
    return found


def check_progress_topic(clients: KafkaClients, topic: Topic) -> None:
    """StorageError for one that would forget how far sinks are."""
    if topic.partitions != 1:
        raise StorageError(
            f'the progress topic "{topic.name}" has {topic.partitions} partitions',
            hint="It must have one: name another one by option PROGRESS TOPIC of a connection.",
        )
    kafka = client()
    resource = kafka.admin.ConfigResource(kafka.admin.ConfigResource.Type.TOPIC, topic.name)
    with clients.explaining(f'cannot look at topic "{topic.name}"'):
        found = clients.admin.describe_configs([resource], request_timeout=REQUEST_S)[resource].result(
            REQUEST_S + 1
        )
    if (policy := found["cleanup.policy"].value) != "compact":
        raise StorageError(
            f'the progress topic "{topic.name}" has cleanup.policy={policy}, and would forget how far sinks are',
            hint="Give it cleanup.policy=compact.",
        )


def _make(clients: KafkaClients, wanted: NewTopic) -> None:
    kafka = client()
    topic = kafka.admin.NewTopic(
        wanted.name,
        num_partitions=wanted.partitions if wanted.partitions is not None else -1,
        replication_factor=wanted.replication_factor if wanted.replication_factor is not None else -1,
        config=dict(wanted.config),
    )
    try:
        clients.admin.create_topics([topic], request_timeout=REQUEST_S)[wanted.name].result(REQUEST_S + 1)
    except kafka.KafkaException as error:
        if error.args[0].code() != kafka.KafkaError.TOPIC_ALREADY_EXISTS:
            raise clients.explained(error.args[0], f'cannot make topic "{wanted.name}"') from None
