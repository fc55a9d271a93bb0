"""A topic, read by partition: what it is, where its partitions begin and end, and its messages from given offsets on.

No group is joined and no offset committed: which offsets are read is the caller's matter.  Only what is committed is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from time import monotonic
from typing import Any

from ....errors import PtvcError
from ...connections.addresses import Addresses
from ...connections.kafka import SILENT, Noted, client, failure, settings
from ...connections.options import host_and_port
from ...connections.values import Values
from ..directory import SourceStalled
from .position import Offsets

REQUEST_S = 5.0
"""How long an answer may take."""
_AT_ONCE = 100_000
"""Messages that are taken from the client in one call."""
_DAY_MS = 86_400_000
_RESOLVED_S = 10.0


@dataclass(frozen=True, slots=True)
class Ahead:
    """So much is fetched before it is asked for."""

    messages: int
    kbytes: int


AHEAD = Ahead(200_000, 65_536)
AHEAD_OF_SHARE = Ahead(50_000, 16_384)
"""What it fetches behind its end is in vain."""


@dataclass(frozen=True, slots=True)
class Description:
    """`id` is that of the topic: one that is deleted and created again has another."""

    id: str
    partitions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Read:
    """Messages, and the partitions whose end was come to, with the offset of what comes next there: behind the last message there may
    be markers of transactions, and gaps."""

    messages: list[Any]
    ends: Offsets


class OutOfRange(Exception):
    """The next offset of a partition is not there."""


class TopicReader:
    """Blocking, of one thread."""

    def __init__(self, values: Values, topic: str, group_id: str, ahead: Ahead = AHEAD) -> None:
        """Raises PtvcError for a client that is missing, or that refuses its settings."""
        self._kafka = client()
        self._values, self._topic = values, topic
        self._addresses = Addresses(link_local=values.link_local)
        self.noted = Noted()
        self._resolved: dict[str, float] = {}
        self._resolve(values.list("BROKERS"))
        common = {
            **settings(values),
            "logger": SILENT,
            "error_cb": self.noted,
            "reconnect.backoff.max.ms": 1000,
        }
        own = {
            "group.id": group_id,
            "enable.auto.commit": False,
            "enable.auto.offset.store": False,
            "enable.partition.eof": True,
            "auto.offset.reset": "error",
            "isolation.level": "read_committed",
            "max.poll.interval.ms": _DAY_MS,
            "socket.timeout.ms": 10_000,
            "fetch.wait.max.ms": 100,
            "fetch.error.backoff.ms": 100,
            "queued.min.messages": ahead.messages,
            "queued.max.messages.kbytes": ahead.kbytes,
            "check.crcs": True,
        }
        try:
            self._consumer = self._kafka.Consumer({**common, **own})
            self._admin = self._kafka.admin.AdminClient({**common, "socket.timeout.ms": 10_000})
        except self._kafka.KafkaException as error:
            raise failure(error.args[0], values, self._kafka) from None

    def close(self) -> None:
        self._consumer.close()

    def describe(self) -> Description:
        """Raises SourceStalled where there is no such topic."""
        return self.ask()()

    def ask(self) -> Callable[[], Description]:
        """Asks what the topic is now; what is returned waits for the answer, as `describe` does."""
        asked = self._kafka.TopicCollection([self._topic])
        future = self._admin.describe_topics(asked, request_timeout=REQUEST_S)[self._topic]
        return lambda: self._described(future)

    def _described(self, future: Any) -> Description:
        try:
            found = future.result(REQUEST_S + 1)
        except self._kafka.KafkaException as error:
            code = error.args[0].code()
            if code == self._kafka.KafkaError.UNKNOWN_TOPIC_OR_PART:
                raise SourceStalled(
                    f'topic "{self._topic}" does not exist',
                    hint="Create it; a topic of that name that is another one is not read.",
                ) from None
            raise self._explained(error.args[0]) from None
        except TimeoutError:
            raise self.unreachable() from None
        self._resolve(
            f"{node.host}:{node.port}" for partition in found.partitions for node in partition.replicas
        )
        return Description(str(found.topic_id), tuple(sorted(partition.id for partition in found.partitions)))

    def beginnings(self, partitions: Iterable[int]) -> Offsets:
        return self._offsets(partitions, self._kafka.admin.OffsetSpec.earliest())

    def ends(self, partitions: Iterable[int]) -> Offsets:
        """Behind what is committed: as long as a transaction is open, where it begins."""
        return self._offsets(partitions, self._kafka.admin.OffsetSpec.latest())

    def at_time(self, partitions: Iterable[int], milliseconds: int) -> Offsets:
        """Of the first message of that time or later; -1 where there is none."""
        return self._offsets(partitions, self._kafka.admin.OffsetSpec.for_timestamp(milliseconds))

    def known_end(self, partition: int) -> int | None:
        """Where the partition ended when something of it was last read."""
        at = self._kafka.TopicPartition(self._topic, partition)
        found = self._consumer.get_watermark_offsets(at, cached=True)
        return None if found is None or found[1] < 0 else int(found[1])

    def begin(self, at: Offsets) -> None:
        """What is read next begins there."""
        self._consumer.assign(
            [self._kafka.TopicPartition(self._topic, partition, offset) for partition, offset in at.items()]
        )

    def read(self, most: int, timeout_s: float) -> Read:
        """What has come, in the order of each partition: about `most` messages at most; the first is waited for."""
        messages = self._consumer.consume(1, timeout_s)
        if messages:
            messages += self._consumer.consume(min(most, _AT_ONCE), 0)
        if not messages:
            return Read([], {})
        kind = type(messages[0])
        if not any(map(kind.error, messages)):
            return Read(messages, {})
        good: list[Any] = []
        ends: dict[int, int] = {}
        for message in messages:
            error = message.error()
            if error is None:
                good.append(message)
            elif error.code() == self._kafka.KafkaError._PARTITION_EOF:
                ends[message.partition()] = message.offset()
            elif error.code() == self._kafka.KafkaError._AUTO_OFFSET_RESET:
                raise OutOfRange
            else:
                raise self._explained(error)
        return Read(good, ends)

    def unreachable(self) -> PtvcError:
        """Why nothing is answered."""
        return self._explained(self._kafka.KafkaError(self._kafka.KafkaError._TIMED_OUT))

    def _explained(self, error: Any) -> PtvcError:
        self._admin.poll(0)
        return failure(self.noted.instead_of(error), self._values, self._kafka)

    def _offsets(self, partitions: Iterable[int], wanted: Any) -> Offsets:
        asked = {self._kafka.TopicPartition(self._topic, partition): wanted for partition in partitions}
        if not asked:
            return {}
        futures = self._admin.list_offsets(
            asked,
            isolation_level=self._kafka.IsolationLevel.READ_COMMITTED,
            request_timeout=REQUEST_S,
        )
        try:
            return {at.partition: future.result(REQUEST_S + 1).offset for at, future in futures.items()}
        except self._kafka.KafkaException as error:
            raise self._explained(error.args[0]) from None
        except TimeoutError:
            raise self.unreachable() from None

    def _resolve(self, brokers: Iterable[str]) -> None:
        """Raises where one of them is where connections may not lead.  A name is looked up from time to time, not at each batch."""
        for broker in dict.fromkeys(brokers):
            if monotonic() > self._resolved.get(broker, 0.0):
                self._addresses.resolve(*host_and_port(broker))
                self._resolved[broker] = monotonic() + _RESOLVED_S
