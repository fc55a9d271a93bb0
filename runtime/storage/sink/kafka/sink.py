"""KAFKA sink: the changes of each interval in a transaction, with the progress that they make.

```
open      init_transactions: whoever wrote before is fenced, what was open is ended
          progress is read up to the end of its topic ── the sink goes on there, exactly
          a record that names this writer: one that was fenced finds it, and ends
write     begin ── messages ── progress record ── commit        once, or piece by piece
```

Nothing is known from memory when something has failed: a commit that timed out may have happened.  The producer is given up,
and the next `write` begins as `open` does; what it finds to be written already is not written again.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from ....errors import StorageError
from ....repr.batch import Batch
from ....repr.consolidate import consolidate
from ....repr.schema import Schema
from ...formats.registry import Registry
from ..change_records import ChangeRecords, SinkEnvelope, change_records
from ..contract import SinkStalled, fenced, nothing, refuse_lost
from ..resumed import ResumedSink
from .clients import KafkaClients
from .messages import EMPTY_DIGEST, Encoder
from .options import KafkaSinkOptions, check_options
from .pieces import BEGINNING, FOLLOWING, Cuts, PieceSize, records_at_once
from .producing import Transactions
from .progress import Partial, ProgressRecord, last_progress
from .subjects import registered
from .topics import (
    NewTopic,
    Topic,
    check_progress_topic,
    find_topic,
    found_or_made,
    progress_topic,
)

IDLE_PROGRESS_MS = 10_000
"""How far the progress record may stay behind while nothing changes: what was read is held for it that long."""
NO_REGISTRIES: Mapping[str, Registry] = {}


class KafkaSink(ResumedSink):
    """One writer of one sink.  Not thread-safe."""

    def __init__(
        self,
        sink_id: str,
        options: KafkaSinkOptions,
        schema: Schema,
        envelope: SinkEnvelope,
        key: Sequence[int],
        generation: int,
        as_of: int,
        clients: KafkaClients,
        registries: Mapping[str, Registry] = NO_REGISTRIES,
        *,
        term: int = 0,
        beginning: PieceSize = BEGINNING,
        following: PieceSize = FOLLOWING,
    ) -> None:
        """`as_of` is the time of the contents that the sink begins with, `registries` are those of the options' connections.
        Of two that write as this sink the one with the lower `term` has been replaced, and gives way.  Raises
        InvalidParameter or Unsupported for options and columns that do not go together."""
        check_options(options, schema, envelope, key)
        super().__init__(schema, generation)
        self._id = sink_id
        self._options = options
        self._envelope = envelope
        self._key = tuple(key)
        self._as_of = as_of
        self._clients = clients
        self._registries = registries
        self._sizes = beginning, following
        self._term = term
        self._writer = secrets.token_hex(8)
        self._claimed = False
        self._transactions: Transactions | None = None
        self._encoder: Encoder | None = None
        self._progress: ProgressRecord | None = None

    @property
    def writes_net(self) -> bool:
        """Each time's records are of their own."""
        return False

    @property
    def durable_upper(self) -> int:
        return self._progress.upper if self._progress is not None else 0

    @property
    def written_generation(self) -> int:
        return self._progress.generation if self._progress is not None else 0

    # -- taking the target --

    def open(self) -> int:
        """Raises SinkStalled where Kafka does not let the sink write, StorageError where it cannot go on with what is there, and
        SinkFenced where a later one has been here: one that was replaced may have hung until then."""
        self._connect()
        if not self._claimed:
            self._commit(replace(self._known(), writer=self._writer, term=self._term))
            self._claimed = True
        return self._resume()

    def check_follows(self, acknowledged: int) -> None:
        place = f'topic "{self._options.progress_topic}"'
        hint = "It was emptied, or made anew: drop the sink, and create it with a topic of its own."
        refuse_lost(place, self.durable_upper, acknowledged, self._as_of, hint)

    def close(self) -> None:
        """Ends what is open, so that nobody waits for it."""
        if self._transactions is not None:
            self._transactions.close()
            self._transactions = None

    def _connect(self) -> None:
        """A new producer, and what the topics say now.  Nothing is written before all of that is known: where a step fails, the next
        attempt begins anew."""
        self.close()
        options = self._options
        ids = registered(options, self._schema, self._envelope, self._key, self._registries)
        self._clients.check_addresses()
        kept = found_or_made(self._clients, progress_topic(options.progress_topic))
        check_progress_topic(self._clients, kept)
        transactions = Transactions(
            self._clients,
            {
                "transactional.id": f"{options.transactional_id_prefix}-{options.identity}",
                "transaction.timeout.ms": options.transaction_timeout_ms,
                "compression.type": options.compression,
            },
        )
        known = self._read_progress()
        self._progress = known
        self._encoder = Encoder(options, self._schema, self._envelope, self._key, known.partitions, ids)
        self._transactions = transactions

    def _read_progress(self) -> ProgressRecord:
        """That of whoever has written as this sink so far; where nobody has, the topic is made if it is not there."""
        options = self._options
        progress = last_progress(
            self._clients,
            options.progress_topic,
            options.identity,
            f"{options.progress_group_id_prefix}-{options.identity}",
        )
        if self._is_replaced(progress):
            raise fenced(f'topic "{options.topic}"')
        topic = self._topic(progress)
        if progress is not None and progress.upper < self.durable_upper:
            raise StorageError(
                f'topic "{options.progress_topic}" has forgotten that all below {self.durable_upper} was written',
                hint="It was emptied, or made anew: drop the sink, and create it with a topic of its own.",
            )
        return progress or ProgressRecord(self._id, "", 0, 0, topic.id, topic.partitions)

    def _is_replaced(self, progress: ProgressRecord | None) -> bool:
        if self._claimed:
            return progress is None or progress.writer != self._writer
        return progress is not None and progress.term > self._term

    def _topic(self, progress: ProgressRecord | None) -> Topic:
        options = self._options
        if progress is None:
            wanted = NewTopic(
                options.topic, options.partition_count, options.replication_factor, options.topic_config
            )
            return found_or_made(self._clients, wanted)
        found = find_topic(self._clients, options.topic)
        if found is None or found.id != progress.topic:
            raise SinkStalled(
                f'topic "{options.topic}" '
                + ("is gone" if found is None else "is not the one that the sink has written to"),
                sqlstate="55000",
                hint="Drop the sink, and create it again: it begins with the contents as they are then.",
            )
        return found

    # -- writing --

    def write(
        self,
        changes: Batch,
        lower: int,
        upper: int,
        switched_at: int = 0,
        between: Callable[[], None] = nothing,
    ) -> None:
        """Raises also KeyNotUnique and Unwritable, for good: the past does not change."""
        self._check_next(lower, upper)
        if self._transactions is None:
            self._connect()
        if self.durable_upper < upper:
            self._write(self._wanted(consolidate(changes)), upper, switched_at, between)
        self._upper = upper

    def _wanted(self, changes: Batch) -> Batch:
        """With SNAPSHOT = false, without the contents that the sink begins with."""
        if self._options.snapshot or self.durable_upper > 0 or not len(changes):
            return changes
        return changes.filter(changes.times > self._as_of)

    def _write(self, changes: Batch, upper: int, switched_at: int, between: Callable[[], None]) -> None:
        known = self._known()
        if known.partial is not None and upper <= known.partial.time:
            return  # all of it is there: a piece of a later time is
        if not len(changes) and known.partial is None:
            if upper - known.upper >= IDLE_PROGRESS_MS or known.generation != self._generation:
                self._commit(self._at(upper, switched_at))
            return
        records = change_records(self._schema, changes, self._envelope, self._key)
        position = self._go_on(changes, records, known)
        cuts = Cuts(records.times, records_at_once(len(changes), changes.nbytes))
        size = self._sizes[known.upper > 0]
        while position < len(records):
            position = self._write_piece(changes, records, cuts, size, position, upper, switched_at)
            if position < len(records):
                between()
        if self.durable_upper < upper:  # all of it was there already
            self._commit(self._at(upper, switched_at))

    def _go_on(self, changes: Batch, records: ChangeRecords, known: ProgressRecord) -> int:
        """The first record that is not in the topic.  Raises StorageError if what is there is something else."""
        if known.partial is None:
            return int(np.searchsorted(records.times, known.upper))
        partial = known.partial
        start = int(np.searchsorted(records.times, partial.time))
        position = start + partial.done
        digest = EMPTY_DIGEST
        if position <= int(np.searchsorted(records.times, partial.time, side="right")):
            assert self._encoder is not None
            at = start
            at_once = records_at_once(len(changes), changes.nbytes)
            while at < position:
                stop = min(at + at_once, position)
                digest = self._encoder.encode(changes, records.slice(at, stop)).digest(digest)
                at = stop
            if digest == partial.digest:
                return position
        raise StorageError(
            f'topic "{self._options.topic}" has {partial.done} messages of the contents at {partial.time}, '
            "which are others now",
            hint="Drop the sink, and create it again with a topic of its own.",
        )

    def _write_piece(
        self,
        changes: Batch,
        records: ChangeRecords,
        cuts: Cuts,
        size: PieceSize,
        position: int,
        upper: int,
        switched_at: int,
    ) -> int:
        """One transaction, from the record there on; returns where the next one begins."""
        known = self._known()
        begun = known.partial if not cuts.between_times(position) else None
        done, digest = (begun.done, begun.digest) if begun is not None else (0, EMPTY_DIGEST)
        count, nbytes = 0, 0
        assert self._encoder is not None
        with self._transaction() as transaction:
            while position < len(records) and not size.full(count, nbytes):
                if cuts.between_times(position):
                    if count and count + cuts.end_of_time(position) - position > size.records:
                        break  # the next time has a transaction of its own
                    done, digest = 0, EMPTY_DIGEST
                stop = cuts.next(position, max(size.records - count, 1))
                messages = self._encoder.encode(changes, records.slice(position, stop))
                transaction.produce(self._options.topic, messages)
                done, digest = done + stop - position, messages.digest(digest)
                count, nbytes = count + stop - position, nbytes + messages.nbytes
                position = stop
            self._count(staged=count, staged_bytes=nbytes)
            if position == len(records):
                progress = self._at(upper, switched_at)
            elif cuts.between_times(position):
                progress = self._at(int(records.times[position]), switched_at)
            else:
                progress = replace(known, partial=Partial(int(records.times[position]), done, digest))
            transaction.commit(self._options.progress_topic, self._options.identity, progress)
        self._progress = progress
        self._count(committed=count, committed_bytes=nbytes)
        return position

    def _known(self) -> ProgressRecord:
        assert self._progress is not None, "open the sink first"
        return self._progress

    def _at(self, upper: int, switched_at: int) -> ProgressRecord:
        """The progress of who has written all below `upper`."""
        known = self._known()
        generation = self._generation_at(upper, switched_at)
        return replace(known, upper=upper, generation=generation, partial=None)

    def _commit(self, progress: ProgressRecord) -> None:
        with self._transaction() as transaction:
            transaction.commit(self._options.progress_topic, self._options.identity, progress)
        self._progress = progress

    @contextmanager
    def _transaction(self) -> Iterator[Transactions]:
        """What fails in the block leaves nothing open, and nothing that is relied on."""
        transactions = self._transactions
        assert transactions is not None, "open the sink first"
        try:
            transactions.begin()
            yield transactions
        except BaseException:
            self.close()
            raise
