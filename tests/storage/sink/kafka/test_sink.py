"""The KAFKA sink against a broker: what a reader of committed messages finds, whatever has happened."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator
from random import Random
from time import monotonic, sleep
from typing import Any

import pytest
from confluent_kafka import TopicPartition
from confluent_kafka.admin import ConfigResource
from ptvc.errors import PtvcError, StorageError
from ptvc.expr.tree.codec import scalar_to_json
from ptvc.expr.tree.scalar import ColumnRef
from ptvc.repr.batch import batch_from_rows
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import BYTEA, INT8, TEXT, map_of
from ptvc.storage.sink.change_records import KeyNotUnique, SinkEnvelope
from ptvc.storage.sink.contract import SinkFenced, SinkStalled, Unwritable
from ptvc.storage.sink.kafka import producing
from ptvc.storage.sink.kafka.clients import KafkaClients
from ptvc.storage.sink.kafka.options import KafkaSinkOptions
from ptvc.storage.sink.kafka.pieces import PieceSize
from ptvc.storage.sink.kafka.sink import IDLE_PROGRESS_MS, KafkaSink
from servers.kafka.broker import KafkaBroker

from .support import SCHEMA, batch, between, contents, folded_debezium, folded_upserts, history

FIRST = 1_000_000
"""The time of the contents that sinks begin with here."""


class Target:
    """A sink of one topic; `sink()` is its next writer."""

    def __init__(self, kafka: KafkaBroker, **options: Any) -> None:
        self.kafka = kafka
        self.envelope = options.pop("envelope", SinkEnvelope.UPSERT)
        self.key = options.pop("key", (0,))
        name = uuid.uuid4().hex[:12]
        defaults = {"partition_count": 3, "progress_topic": f"progress-{name}", "identity": f"s1-{name}"}
        self.options = KafkaSinkOptions("c1", f"out-{name}", **{**defaults, **options})
        self.made: list[KafkaSink] = []

    def sink(self, generation: int = 0, **settings: Any) -> KafkaSink:
        clients = KafkaClients({"bootstrap.servers": self.kafka.bootstrap, "reconnect.backoff.max.ms": 200})
        made = KafkaSink(
            "s1", self.options, SCHEMA, self.envelope, self.key, generation, FIRST, clients, **settings
        )
        self.made.append(made)
        return made

    def messages(self, isolation: str = "read_committed") -> list[Any]:
        return self.kafka.messages(self.options.topic, isolation=isolation)

    def upserts(self) -> Any:
        return folded_upserts(self.messages())


@pytest.fixture
def target(kafka: KafkaBroker) -> Iterator[Callable[..., Target]]:
    made: list[Target] = []

    def make(**options: Any) -> Target:
        made.append(Target(kafka, **options))
        return made[-1]

    yield make
    for one in made:
        for sink in one.made:
            sink.close()


def test_a_reader_has_the_contents_after_each_interval(target: Callable[..., Target]) -> None:
    out = target()
    changes = history(Random(1), FIRST, 12, 40, 15)
    sink = out.sink()
    assert sink.open() == 0
    sink.check_follows(FIRST + 1)
    lower = 0
    for upper in (FIRST + 1, FIRST + 2, FIRST + 6, FIRST + 7, FIRST + 12):
        sink.write(between(changes, lower, upper), lower, upper)
        assert sink.durable_upper == sink.upper == upper
        assert out.upserts() == contents(changes, upper)
        lower = upper
    assert len({message.partition() for message in out.messages()}) == 3
    assert sink.statistics.messages_committed == sink.statistics.messages_staged == len(out.messages())
    assert sink.statistics.bytes_committed == sum(
        len(m.key()) + len(m.value() or b"") for m in out.messages()
    )


@pytest.mark.parametrize("key", [(0,), ()])
def test_debezium(target: Callable[..., Target], key: tuple[int, ...]) -> None:
    out = target(envelope=SinkEnvelope.DEBEZIUM, key=key)
    changes = history(Random(2), FIRST, 10, 20, 10)
    sink = out.sink()
    sink.open()
    sink.write(between(changes, 0, FIRST + 1), 0, FIRST + 1)
    sink.write(between(changes, FIRST + 1, FIRST + 10), FIRST + 1, FIRST + 10)
    messages = out.messages()
    assert folded_debezium(messages) == contents(changes, FIRST + 10)
    for message in messages:
        assert (message.key() is None) == (key == ())
    updates = [json.loads(m.value()) for m in messages]
    both = sum(u["before"] is not None and u["after"] is not None for u in updates)
    assert (both > 0) == (key != ())


def test_a_sink_goes_on_where_the_progress_record_says(target: Callable[..., Target]) -> None:
    out = target()
    changes = history(Random(3), FIRST, 30, 30, 10)
    random, lower = Random(4), 0
    for _ in range(6):
        sink = out.sink()
        assert sink.open() == lower
        sink.check_follows(max(lower, FIRST + 1))
        for _ in range(random.randrange(3)):
            upper = max(lower, FIRST) + 1 + random.randrange(3)
            sink.write(between(changes, lower, upper), lower, upper)
            lower = upper
        if random.random() < 0.5:
            sink.close()
    assert out.upserts() == contents(changes, lower)


def test_progress_alone_is_written_now_and_then(target: Callable[..., Target]) -> None:
    out = target()
    sink = out.sink()
    sink.open()
    sink.write(batch([(1, "a", FIRST, 1)]), 0, FIRST + 1)
    lower = FIRST + 1
    for upper in (lower + 10, lower + IDLE_PROGRESS_MS - 1):
        sink.write(batch([]), sink.upper, upper)
        assert (sink.upper, sink.durable_upper) == (upper, FIRST + 1)
    sink.write(batch([]), sink.upper, lower + IDLE_PROGRESS_MS)
    assert sink.durable_upper == lower + IDLE_PROGRESS_MS
    assert (
        out.kafka.end(out.options.topic, 0)
        + out.kafka.end(out.options.topic, 1)
        + out.kafka.end(out.options.topic, 2)
        == 2
    ), "one message, and the marker of its transaction"


def test_the_contents_are_written_in_pieces_and_resumed(target: Callable[..., Target]) -> None:
    out = target()
    changes = history(Random(5), FIRST, 3, 1000, 30)
    small = PieceSize(300, 1 << 20)
    stopped = RuntimeError("killed")

    def die() -> None:
        raise stopped

    counts = []
    for _ in range(3):  # each writer has one piece written
        sink = out.sink(beginning=small)
        assert sink.open() == 0
        with pytest.raises(RuntimeError):
            sink.write(between(changes, 0, FIRST + 1), 0, FIRST + 1, between=die)
        counts.append(len(out.messages()))
        assert (sink.upper, sink.durable_upper) == (0, 0)
    assert counts == [300, 600, 900], "who reads sees pieces"
    sink = out.sink(beginning=small)
    assert sink.open() == 0
    # The next writer has more of the changes at once: the contents are what they were.
    sink.write(between(changes, 0, FIRST + 3), 0, FIRST + 3)
    assert out.upserts() == contents(changes, FIRST + 3)


def test_a_time_of_which_a_piece_is_there_comes_with_a_later_interval(target: Callable[..., Target]) -> None:
    out = target(partition_count=1)
    sink = out.sink()
    sink.open()
    sink.write(batch([(0, "x", FIRST, 1)]), 0, FIRST + 1)
    early = [(k, "early", FIRST + 1, 1) for k in range(1, 4)]
    late = [(k, "late", FIRST + 5, 1) for k in range(10, 40)]
    # Full by bytes, within the second time: what was written of it is said with the first one's lower end.
    cut = out.sink(following=PieceSize(1000, 400))
    cut.open()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ptvc.storage.sink.kafka.pieces.ENCODED_RECORDS", 8)
        with pytest.raises(RuntimeError):
            cut.write(batch(early + late), FIRST + 1, FIRST + 6, between=lambda: _raise(RuntimeError()))
    known = cut._known()
    assert known.partial is not None
    assert (known.upper, known.partial.time) == (FIRST + 1, FIRST + 5)
    again = out.sink()
    assert again.open() == FIRST + 1
    again.write(batch(early), FIRST + 1, FIRST + 4)
    assert (again.upper, again.durable_upper) == (FIRST + 4, FIRST + 1)
    again.write(batch(late), FIRST + 4, FIRST + 6)
    assert out.upserts() == contents([(0, "x", FIRST, 1), *early, *late], FIRST + 6)
    assert len(out.messages()) == 1 + len(early) + len(late)


def test_pieces_of_contents_that_are_gone_are_not_gone_on_with(target: Callable[..., Target]) -> None:
    out = target()
    sink = out.sink(beginning=PieceSize(10, 1 << 20))
    sink.open()
    with pytest.raises(RuntimeError):
        sink.write(
            batch(history(Random(7), FIRST, 1, 30, 0)), 0, FIRST + 1, between=lambda: _raise(RuntimeError())
        )
    again = out.sink()
    again.open()
    with pytest.raises(StorageError, match="which are others now"):
        again.write(batch([]), 0, FIRST + 20_000)


def test_pieces_of_contents_that_are_others_now_are_not_gone_on_with(target: Callable[..., Target]) -> None:
    out = target()
    changes = history(Random(6), FIRST, 1, 500, 0)
    sink = out.sink(beginning=PieceSize(100, 1 << 20))
    sink.open()
    with pytest.raises(RuntimeError):
        sink.write(batch(changes), 0, FIRST + 1, between=lambda: _raise(RuntimeError()))
    again = out.sink()
    again.open()
    changed = [(k, "other" if k == 5 else v, time, diff) for k, v, time, diff in changes]
    with pytest.raises(StorageError, match="which are others now"):
        again.write(batch(changed), 0, FIRST + 1)
    assert len(out.messages()) == 100
    again.write(batch(changes), 0, FIRST + 1)
    assert out.upserts() == contents(changes, FIRST + 1)


def _raise(error: BaseException) -> None:
    raise error


def test_a_time_is_in_one_transaction_unless_it_is_too_large(target: Callable[..., Target]) -> None:
    out = target(partition_count=1)
    sink = out.sink(following=PieceSize(10, 1 << 20))
    sink.open()
    sink.write(batch([(0, "x", FIRST, 1)]), 0, FIRST + 1)
    changes = [(k, "a", FIRST + 1 + k // 6, 1) for k in range(1, 13)] + [
        (k, "b", FIRST + 10, 1) for k in range(20, 45)
    ]
    sizes = []
    sink.write(
        batch(changes),
        FIRST + 1,
        FIRST + 11,
        between=lambda: sizes.append(len(out.messages()) - 1 - sum(sizes)),
    )
    assert sizes == [5, 6, 1, 10, 10] or sizes == [5, 7, 10, 10]
    assert len(out.messages()) == 1 + len(changes)


def test_without_the_snapshot(target: Callable[..., Target]) -> None:
    out = target(snapshot=False)
    changes = [(1, "a", FIRST, 1), (2, "b", FIRST, 1), (1, "a", FIRST + 1, -1), (1, "c", FIRST + 1, 1)]
    sink = out.sink()
    sink.open()
    sink.write(between(changes, 0, FIRST + 2), 0, FIRST + 2)
    again = out.sink()
    assert again.open() == FIRST + 2
    again.write(batch([(2, "b", FIRST + 2, -1)]), FIRST + 2, FIRST + 3)
    found = [(json.loads(m.key())["k"], m.value()) for m in out.messages()]
    assert sorted(found) == [(1, b'{"k":1,"v":"c"}'), (2, None)]


def test_key_and_value_formats(target: Callable[..., Target]) -> None:
    out = target(key_format="text", format="bytes", headers=None, key=(0,))
    with pytest.raises(PtvcError, match="VALUE FORMAT BYTES takes one column, and here are 2"):
        out.sink()
    out = target(key_format="text", compression="zstd")
    sink = out.sink()
    sink.open()
    sink.write(batch([(7, "a", FIRST, 1)]), 0, FIRST + 1)
    assert [(m.key(), m.value()) for m in out.messages()] == [(b"7", b'{"k":7,"v":"a"}')]


def test_a_key_that_is_not_unique_stalls(target: Callable[..., Target]) -> None:
    out = target()
    sink = out.sink()
    sink.open()
    for _ in range(2):
        with pytest.raises(KeyNotUnique):
            sink.write(batch([(1, "a", FIRST, 1), (1, "b", FIRST, 1)]), 0, FIRST + 1)
    assert out.messages() == []


# -- who writes --


def test_who_was_fenced_ends_and_writes_nothing(target: Callable[..., Target]) -> None:
    out = target()
    old, new = out.sink(), out.sink()
    old.open()
    old.write(batch([(1, "a", FIRST, 1)]), 0, FIRST + 1)
    assert new.open() == FIRST + 1
    with pytest.raises(SinkStalled):  # that it is fenced, or that its epoch is old, as it is told first
        old.write(batch([(2, "b", FIRST + 1, 1)]), FIRST + 1, FIRST + 2)
    with pytest.raises(SinkFenced):
        old.write(batch([(2, "b", FIRST + 1, 1)]), FIRST + 1, FIRST + 2)
    # It has looked, and by that fenced the other one, which finds itself in its rights.
    with pytest.raises(SinkStalled):
        new.write(batch([(3, "c", FIRST + 1, 1)]), FIRST + 1, FIRST + 2)
    new.write(batch([(3, "c", FIRST + 1, 1)]), FIRST + 1, FIRST + 2)
    assert out.upserts() == {(1, "a"): 1, (3, "c"): 1}


def test_one_that_was_replaced_before_it_was_open_does_not_take_over(target: Callable[..., Target]) -> None:
    """It may have hung, or waited for Kafka, while the later one was opened."""
    out = target()
    late, new = out.sink(term=1), out.sink(term=2)
    assert new.open() == 0
    with pytest.raises(SinkFenced):
        late.open()
    with pytest.raises(SinkStalled):  # as `late` had to fence it in order to look
        new.write(batch([(1, "a", FIRST, 1)]), 0, FIRST + 1)
    new.write(batch([(1, "a", FIRST, 1)]), 0, FIRST + 1)
    assert out.sink(term=2).open() == FIRST + 1  # as a copy of the runtime has
    assert out.upserts() == {(1, "a"): 1}


def test_a_transaction_that_has_timed_out_is_done_again(target: Callable[..., Target]) -> None:
    out = target(transaction_timeout_ms=1_000)
    sink = out.sink(beginning=PieceSize(100, 1 << 20))
    sink.open()
    changes = history(Random(8), FIRST, 2, 250, 10)
    transactions = sink._transactions
    assert transactions is not None
    # What a stopped process does: it begins, and is heard of again when Kafka has given the transaction up.
    transactions.begin()
    transactions._producer.produce(out.options.topic, b'{"k":1,"v":"lost"}', b'{"k":1}', 0)
    transactions._producer.flush(10)
    assert len(out.messages("read_uncommitted")) == 1
    _await(lambda: _is_stable(out))
    with pytest.raises(SinkStalled):
        transactions.commit(out.options.progress_topic, out.options.identity, sink._known())
    sink.close()
    sink.write(between(changes, 0, FIRST + 2), 0, FIRST + 2)
    assert out.upserts() == contents(changes, FIRST + 2)


def _is_stable(out: Target) -> bool:
    """Whether no transaction is open in the topic: what is behind it can be read."""
    probe = out.kafka.end(out.options.topic, 0)
    with out.kafka._consumer(isolation_level="read_committed") as consumer:
        _, high = consumer.get_watermark_offsets(TopicPartition(out.options.topic, 0), timeout=30)
    return high > 1 and probe > 1


def _await(condition: Callable[[], bool]) -> None:
    deadline = monotonic() + 30
    while not condition():
        assert monotonic() < deadline
        sleep(0.1)


@pytest.mark.parametrize("happened", [False, True])
def test_a_commit_that_was_not_heard_of(
    target: Callable[..., Target], monkeypatch: pytest.MonkeyPatch, happened: bool
) -> None:
    """Whether it has happened is found in Kafka."""
    out = target()
    sink = out.sink()
    sink.open()
    changes = history(Random(9), FIRST, 3, 30, 10)
    sink.write(between(changes, 0, FIRST + 1), 0, FIRST + 1)
    commit = producing.Transactions.commit

    def lost(self: producing.Transactions, *arguments: Any) -> None:
        if happened:
            commit(self, *arguments)
        raise SinkStalled("no answer")

    with monkeypatch.context() as patch:
        patch.setattr(producing.Transactions, "commit", lost)
        with pytest.raises(SinkStalled, match="no answer"):
            sink.write(between(changes, FIRST + 1, FIRST + 3), FIRST + 1, FIRST + 3)
    assert sink.upper == FIRST + 1
    sink.write(between(changes, FIRST + 1, FIRST + 3), FIRST + 1, FIRST + 3)
    assert sink.upper == FIRST + 3
    assert out.upserts() == contents(changes, FIRST + 3)


def test_nothing_is_written_before_progress_is_known_again(
    target: Callable[..., Target], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A commit that got no answer has happened, and then progress cannot be read at once."""
    out = target()
    sink = out.sink()
    sink.open()
    changes = history(Random(10), FIRST, 3, 30, 10)
    sink.write(between(changes, 0, FIRST + 1), 0, FIRST + 1)
    commit = producing.Transactions.commit

    def lost(self: producing.Transactions, *arguments: Any) -> None:
        commit(self, *arguments)
        raise SinkStalled("no answer")

    def unreadable(*_: Any) -> None:
        raise SinkStalled("no progress")

    rest = between(changes, FIRST + 1, FIRST + 3), FIRST + 1, FIRST + 3
    with monkeypatch.context() as patch:
        patch.setattr(producing.Transactions, "commit", lost)
        with pytest.raises(SinkStalled, match="no answer"):
            sink.write(*rest)
    with monkeypatch.context() as patch:
        patch.setattr("ptvc.storage.sink.kafka.sink.last_progress", unreadable)
        for _ in range(2):
            with pytest.raises(SinkStalled, match="no progress"):
                sink.write(*rest)
    sink.write(*rest)
    assert out.upserts() == contents(changes, FIRST + 3)


def test_progress_behind_anothers_open_transaction_is_waited_for(
    target: Callable[..., Target], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = target()
    sink = out.sink()
    sink.open()
    sink.write(batch([(1, "a", FIRST, 1)]), 0, FIRST + 1)
    other = out.kafka.producer(transactional_id=uuid.uuid4().hex)
    other.init_transactions(30)
    other.begin_transaction()
    other.produce(out.options.progress_topic, b"{}", b"other", 0)
    other.flush(30)
    sink.write(batch([(2, "b", FIRST + 1, 1)]), FIRST + 1, FIRST + 2)
    with monkeypatch.context() as patch:
        patch.setattr("ptvc.storage.sink.kafka.progress.READ_S", 1.0)
        with pytest.raises(SinkStalled, match="a transaction is open there"):
            out.sink().open()
    other.abort_transaction(30)
    assert out.sink().open() == FIRST + 2


# -- the topics --


def test_a_topic_that_is_there_keeps_its_partitions_and_a_key_its_own(target: Callable[..., Target]) -> None:
    out = target(partition_count=5)
    out.kafka.create_topic(out.options.topic, 2)
    changes = history(Random(10), FIRST, 3, 60, 30)
    sink = out.sink()
    sink.open()
    sink.write(between(changes, 0, FIRST + 1), 0, FIRST + 1)
    out.kafka.create_partitions(out.options.topic, 7)
    again = out.sink()
    again.open()
    again.write(between(changes, FIRST + 1, FIRST + 3), FIRST + 1, FIRST + 3)
    assert out.upserts() == contents(changes, FIRST + 3)
    assert {message.partition() for message in out.messages()} == {0, 1}


def test_a_topic_is_made_with_its_settings(target: Callable[..., Target]) -> None:
    out = target(partition_count=2, replication_factor=1, topic_config={"cleanup.policy": "compact"})
    out.sink().open()
    for topic in (out.options.topic, out.options.progress_topic):
        resource = ConfigResource(ConfigResource.Type.TOPIC, topic)
        found = out.kafka.admin.describe_configs([resource])[resource].result()
        assert found["cleanup.policy"].value == "compact"
    bad = target(topic_config={"no.such.setting": "1"})
    with pytest.raises(SinkStalled, match=r"cannot make topic .*no\.such\.setting"):
        bad.sink().open()


def test_a_topic_that_is_another_now_is_not_written_to(target: Callable[..., Target]) -> None:
    out = target()
    sink = out.sink()
    sink.open()
    sink.write(batch([(1, "a", FIRST, 1)]), 0, FIRST + 1)
    out.kafka.delete_topic(out.options.topic)
    with pytest.raises(SinkStalled, match="is gone"):
        out.sink().open()
    out.kafka.create_topic(out.options.topic, 3)
    with pytest.raises(SinkStalled, match="is not the one that the sink has written to"):
        out.sink().open()


def test_progress_that_was_lost_is_noticed(target: Callable[..., Target]) -> None:
    out = target()
    sink = out.sink()
    sink.open()
    sink.write(batch([(1, "a", FIRST, 1)]), 0, FIRST + 1)
    sink.close()
    out.kafka.delete_topic(out.options.progress_topic)
    again = out.sink()
    assert again.open() == 0
    again.check_follows(FIRST + 1)  # it may be the beginning
    with pytest.raises(StorageError, match="has no progress of the sink"):
        again.check_follows(FIRST + 2)


def test_a_progress_topic_must_keep_what_it_is_told(target: Callable[..., Target]) -> None:
    out = target()
    out.kafka.create_topic(out.options.progress_topic, 1)
    with pytest.raises(StorageError, match=r"cleanup\.policy=delete"):
        out.sink().open()
    out = target()
    out.kafka.create_topic(out.options.progress_topic, 2, {"cleanup.policy": "compact"})
    with pytest.raises(StorageError, match="has 2 partitions"):
        out.sink().open()


def test_the_generation_is_written_with_the_first_time_of_it(target: Callable[..., Target]) -> None:
    out = target(partition_count=1)
    sink = out.sink()
    sink.open()
    sink.write(batch([(1, "a", FIRST, 1)]), 0, FIRST + 1)
    switching = out.sink(generation=1, following=PieceSize(1, 1 << 20))
    assert (switching.open(), switching.written_generation) == (FIRST + 1, 0)
    changes = [(2, "b", FIRST + 2, 1), (1, "a", FIRST + 5, -1), (3, "c", FIRST + 7, 1)]
    generations = []
    switching.write(
        batch(changes),
        FIRST + 1,
        FIRST + 9,
        FIRST + 5,
        between=lambda: generations.append((switching.durable_upper, switching.written_generation)),
    )
    assert generations == [(FIRST + 5, 0), (FIRST + 7, 1)]
    assert switching.written_generation == 1
    assert out.upserts() == {(2, "b"): 1, (3, "c"): 1}


# -- faults --


def test_a_broker_that_is_killed_and_comes_back(target: Callable[..., Target]) -> None:
    out = target()
    changes = history(Random(11), FIRST, 6, 50, 20)
    sink = out.sink()
    sink.open()
    sink.write(between(changes, 0, FIRST + 1), 0, FIRST + 1)
    out.kafka.kill()
    try:
        with pytest.MonkeyPatch.context() as patch:
            for name in (
                "ptvc.storage.sink.kafka.producing.COMMIT_S",
                "ptvc.storage.sink.kafka.producing.ABORT_S",
            ):
                patch.setattr(name, 1.0)
            with pytest.raises(SinkStalled):
                sink.write(between(changes, FIRST + 1, FIRST + 3), FIRST + 1, FIRST + 3)
    finally:
        out.kafka.start()
    _await(lambda: _written(sink, changes, FIRST + 3))
    sink.write(between(changes, FIRST + 3, FIRST + 6), FIRST + 3, FIRST + 6)
    assert out.upserts() == contents(changes, FIRST + 6)


def _written(sink: KafkaSink, changes: Any, upper: int) -> bool:
    try:
        sink.write(between(changes, sink.upper, upper), sink.upper, upper)
    except SinkStalled:
        return False
    return True


def _one(target: Callable[..., Target], schema: Schema, rows: list[Any], **options: Any) -> list[Any]:
    """The messages of a sink of rows that come at the first time."""
    out = target(**options)
    sink = KafkaSink(
        "s1",
        out.options,
        schema,
        out.envelope,
        out.key,
        0,
        FIRST,
        KafkaClients({"bootstrap.servers": out.kafka.bootstrap}),
    )
    out.made.append(sink)
    sink.open()
    sink.write(batch_from_rows(schema, rows, FIRST), 0, FIRST + 1)
    return out.messages()


def test_headers(target: Callable[..., Target]) -> None:
    schema = Schema((Column("k", INT8), Column("h", map_of(BYTEA)), Column("v", TEXT)))
    rows = [
        (1, [{"key": "a", "value": b"\x00\x01"}, {"key": "b", "value": None}], "x"),
        (2, None, "y"),
        (3, [], "z"),
    ]
    found = {m.key(): (m.value(), m.headers()) for m in _one(target, schema, _maps(schema, rows), headers=1)}
    assert found == {
        b'{"k":1}': (b'{"k":1,"v":"x"}', [("a", b"\x00\x01"), ("b", None)]),
        b'{"k":2}': (b'{"k":2,"v":"y"}', None),
        b'{"k":3}': (b'{"k":3,"v":"z"}', None),
    }


def _maps(schema: Schema, rows: list[Any]) -> list[Any]:
    """Entries under the names that the type has for them."""
    names = [field.name for field in schema[1].type.arrow.value_type]
    return [
        (k, None if h is None else [dict(zip(names, e.values(), strict=True)) for e in h], v)
        for k, h, v in rows
    ]


def test_partition_by(target: Callable[..., Target]) -> None:
    schema = Schema((Column("k", INT8), Column("v", TEXT)))
    by = json.dumps(scalar_to_json(ColumnRef(0, INT8)))
    rows = [(5, "a"), (-1, "b"), (None, "c"), (3, "d")]
    found = {m.value(): m.partition() for m in _one(target, schema, rows, partition_by=by)}
    assert [found[f'{{"k":{k},"v":"{v}"}}'.encode()] for k, v in [(5, "a"), (-1, "b"), ("null", "c"), (3, "d")]] == [
        2, 2, 0, 0
    ]  # fmt: skip


def test_bytes(target: Callable[..., Target]) -> None:
    schema = Schema((Column("v", BYTEA),))
    found = _one(target, schema, [(b"\x00\xff",), (b"",)], format="bytes", key_format="bytes")
    assert sorted((m.key(), m.value()) for m in found) == [(b"", b""), (b"\x00\xff", b"\x00\xff")]
    with pytest.raises(Unwritable, match="is NULL, which FORMAT BYTES has no message for"):
        _one(target, schema, [(None,)], format="bytes", key_format="bytes")
