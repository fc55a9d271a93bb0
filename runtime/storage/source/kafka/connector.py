"""The connector of KAFKA sources: from a position to the messages behind it.

```
position ── is the topic still that one, and are the offsets there? ── assign ── read ── decode ── is it still? ── Polled
                                                                                   └─ asked for meanwhile ─┘
```

A topic is known by its id: what is read of one that was deleted and created again is never taken for what it was.  The id is asked for
behind each batch, as one that is given up does not come back: messages that were read before it was seen are of that topic.  The
answer takes as long as to decode some hundred messages, so they are decoded while it is awaited.

A large backlog is read by others, as shares: of a partition the messages from an offset to another, by a connector that has `only` these.

What cannot be read any more is a gap that nobody closes: the source stalls, and names it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from time import monotonic
from typing import Any

from ....clock import Clock
from ....errors import PtvcError
from ....interrupt import check_interrupt
from ...connections.values import Values
from ...dead_letters import DEAD_LETTERS
from ...decode import Decoded
from ...ingestion import PROGRESS, Outputs, Polled
from ...shares import Share, ShareRead, Sizes
from ...statistics import OutputId
from ..directory import SourceStalled
from .backlog import Backlog, Range
from .letters import letters_of
from .messages import Messages, columns_of
from .options import KafkaOptions, Part
from .position import Offsets, Position
from .progress import progress_changes
from .records import Records
from .topic import AHEAD, AHEAD_OF_SHARE, Description, OutOfRange, TopicReader

WAIT_S = 0.1
"""How long a message is waited for."""
RETRY_S = 1.0
"""After something went wrong."""
PATIENCE_S = 10.0
"""So long a share waits for a message."""
_FEWEST, _MOST = 1_000, 100_000
"""Messages of a batch."""


class KafkaConnector:
    """It waits for messages itself."""

    def __init__(
        self,
        options: KafkaOptions,
        records: Records,
        connections: Mapping[str, Values],
        clock: Clock,
        only: Range | None = None,
    ) -> None:
        """That of a share reads `only` these, and waits until they have come."""
        self._only = only
        self._options, self._records = options, records
        self._connections, self._clock = connections, clock
        parts = {column.part for column in options.columns}
        self._wanted = {
            "keys": options.key is not None,
            "timestamps": Part.TIMESTAMP in parts,
            "headers": bool(parts & {Part.HEADERS, Part.HEADER}) or options.may_name_schemas,
        }
        self._reader: TopicReader | None = None
        self._at: Offsets | None = None
        """Where the reader is; None: nowhere."""
        self._ended: set[int] = set()
        """Partitions that were read to their ends."""
        self._looked_at = 0.0
        self._failure: tuple[PtvcError, float] | None = None
        self._bytes_each = 100.0
        self._backlog = Backlog()
        self._snapshot: int | None = None
        """How many messages the source had to begin with, when this one went on."""

    def close(self) -> None:
        if self._reader is not None:
            self._reader.close()
            self._reader = None

    def poll(self, position: Mapping[str, Any] | None, outputs: Outputs, max_bytes: int) -> Polled | None:
        if self._failure is not None:
            error, until = self._failure
            if monotonic() < until:
                raise error
            self._failure = None
        try:
            return self._poll(position, outputs, max_bytes)
        except PtvcError as error:
            # What was taken from the reader is lost with it: it begins anew, at the position.
            self._at = None
            self._failure = error, monotonic() + RETRY_S
            raise

    def _poll(self, position: Mapping[str, Any] | None, outputs: Outputs, max_bytes: int) -> Polled | None:
        if self._reader is None:
            group = f"{self._options.group_id_prefix or ''}ptvc"
            ahead = AHEAD if self._only is None else AHEAD_OF_SHARE
            self._reader = TopicReader(
                self._connections[self._options.connection], self._options.topic, group, ahead
            )
        asked = tuple(sorted(id_ for id_, output in outputs.items() if output.reference == PROGRESS))
        if position is None:
            began = replace(self._beginning(self._reader), progress=asked)
            return self._polled(began, began, outputs, None)
        before = Position.from_json(position)
        now = self._settled(self._reader, before)
        found = described = None
        if self._only is not None and before.next[self._only.partition] >= self._only.end:
            return None
        if now == before:
            found, now, described = self._read(self._reader, before, outputs, max_bytes)
            until = monotonic() + PATIENCE_S
            while now == before and self._only is not None:
                if monotonic() > until:
                    raise SourceStalled(f"{self._only.described(self._options.topic)} does not come")
                check_interrupt()
                found, now, described = self._read(self._reader, before, outputs, max_bytes)
        now = replace(now, progress=asked)
        polled = None if now == before else self._polled(before, now, outputs, found)
        if described is not None:
            self._check_identity(described().id, before)
        return polled

    # -- where it begins, and goes on --

    def _beginning(self, reader: TopicReader) -> Position:
        """Of the source: as its options say."""
        options, topic = self._options, reader.describe()
        first, ends = reader.beginnings(topic.partitions), reader.ends(topic.partitions)
        found: dict[int, int] = {}
        times: Offsets = {}
        if (at := options.start_timestamp) is not None:
            times = reader.at_time(topic.partitions, at if at >= 0 else max(0, self._clock.now_ms() + at))
        for partition in topic.partitions:
            start = first[partition]
            if times:
                start = times[partition] if times[partition] >= 0 else ends[partition]
            elif partition < len(options.start_offsets):
                start = options.start_offsets[partition]
                start = start if start >= 0 else max(first[partition], ends[partition] + start)
            if start > ends[partition]:
                raise SourceStalled(
                    f'START OFFSET of topic "{options.topic}" is {start} in partition {partition}, which ends at {ends[partition]}',
                    hint="It goes on when the partition has come there.",
                )
            found[partition] = max(start, first[partition])
        until = {partition: end for partition, end in ends.items() if end > found[partition]}
        return Position(topic.id, found, until)

    def _settled(self, reader: TopicReader, at: Position) -> Position:
        """The position, with the partitions that are new; the reader is there."""
        if self._at == at.next and monotonic() < self._looked_at + self._options.refresh_ms / 1000:
            return at
        topic = reader.describe()
        self._check_identity(topic.id, at)
        self._looked_at = monotonic()
        new = [partition for partition in topic.partitions if partition not in at.next]
        if new and self._only is None:
            at = replace(at, next={**at.next, **reader.beginnings(new)})
        if self._at != at.next:
            first, ends = reader.beginnings(at.next), reader.ends(at.next)
            self._check_range(at.next, first, ends)
            reader.begin(at.next)
            self._at, self._ended = at.next, set()
        return at

    def _check_identity(self, found: str, at: Position) -> None:
        if found != at.topic_id:
            raise SourceStalled(
                f'topic "{self._options.topic}" is another one: it was deleted and created again',
                detail=f"The source has read the topic of the id {at.topic_id}; that of this one is {found}.",
                hint="Drop the source and create it again.",
            )

    def _check_range(self, at: Offsets, first: Offsets, ends: Offsets) -> None:
        topic = self._options.topic
        lost = [
            f"partition {partition} has lost offsets {offset} to {first[partition] - 1}"
            for partition, offset in at.items()
            if first[partition] > offset
        ]
        if lost:
            raise SourceStalled(
                f'topic "{topic}" does not hold any more what comes next: {", ".join(lost)}',
                hint="They expired or were deleted before they were read. Drop the source and create it again, or give the topic more retention.",
            )
        for partition, offset in at.items():
            if ends[partition] < offset:
                raise SourceStalled(
                    f'partition {partition} of topic "{topic}" ends at offset {ends[partition]}, and was read up to {offset}',
                    hint="The cluster has lost messages. Drop the source and create it again.",
                )

    # -- reading --

    def _read(
        self, reader: TopicReader, at: Position, outputs: Outputs, max_bytes: int
    ) -> tuple[Messages | None, Position, Callable[[], Description] | None]:
        """Messages, the position behind them, and what says which topic they are of: that is still to be checked."""
        most = int(min(max(max_bytes / self._bytes_each, _FEWEST), _MOST))
        if (only := self._only) is not None:
            most = max(1, min(most, only.end - at.next[only.partition]))
        try:
            read = reader.read(most, WAIT_S)
        except OutOfRange:
            self._check_range(at.next, reader.beginnings(at.next), reader.ends(at.next))
            raise SourceStalled(
                f'offsets of topic "{self._options.topic}" were not there for a moment'
            ) from None
        if not read.messages and not read.ends:
            if reader.noted:
                # The client tries again by itself; whether it gets through is seen by asking.
                self._check_identity(reader.describe().id, at)
                reader.noted.forget()
            return None, at, None
        reader.noted.forget()
        described = reader.ask() if read.messages else None
        whole = any(output.reference == DEAD_LETTERS for output in outputs.values())
        found = columns_of(read.messages, **{part: whole or wanted for part, wanted in self._wanted.items()})
        now = dict(at.next)
        if len(found):
            self._bytes_each = max(1.0, found.nbytes / len(found))
            self._backlog.measured = True
            for partition in set(found.partitions.tolist()):
                now[partition] = int(found.offsets[found.partitions == partition][-1]) + 1
                self._ended.discard(partition)
        for partition, end in read.ends.items():
            now[partition] = max(now[partition], end)
            self._ended.add(partition)
        if only is not None and now[only.partition] >= only.end:
            found, now[only.partition] = found.before(only.end), only.end
            self._ended.add(only.partition)
        self._at = now
        return found, at.moved(now), described

    # -- read by others --

    def shares(self, position: Mapping[str, Any] | None, min_bytes: int, sizes: Sizes) -> Sequence[Share]:
        """Once it is known how large messages are, and while there is nothing else to look at, as partitions that are new."""
        backlog, reader = self._backlog, self._reader
        if not sizes.messages or position is None or reader is None or not backlog.measured:
            return ()
        at = Position.from_json(position)
        if self._at == at.next:
            known = sum(self._known_end(*each) for each in at.next.items()) - sum(at.next.values())
            if known * self._bytes_each < min_bytes or monotonic() < backlog.asks_at:
                return ()
        elif backlog.end != at.next or monotonic() >= self._looked_at + self._options.refresh_ms / 1000:
            return ()
        try:
            ends = reader.ends(at.next)
        except PtvcError:
            return ()  # as `poll` will say
        # As long as a transaction is open what is behind its beginning is not there.
        ranges = backlog.ranges(at.next, ends, min_bytes, self._bytes_each, sizes)
        if not ranges:
            backlog.asks_at = monotonic() + RETRY_S
            return ()
        backlog.begin(at, ranges, ends)
        reader.begin({})  # what it has fetched ahead is theirs
        self._at = None
        return [
            Share(
                each,
                Position(at.topic_id, {each.partition: each.begin}).to_json(),
                int(self._bytes_each * (each.end - each.begin)),
            )
            for each in ranges
        ]

    def read_by_shares(self, reads: Sequence[ShareRead], outputs: Outputs) -> Polled:
        asked = tuple(sorted(id_ for id_, output in outputs.items() if output.reference == PROGRESS))
        before = self._backlog.at
        assert before is not None, "they were handed out"
        now = dict(before.next)
        for each, read in zip(self._backlog.out, reads, strict=True):
            if read.position is None or Position.from_json(read.position).next[each.partition] != each.end:
                raise SourceStalled(f"{each.described(self._options.topic)} was not read whole")
            now[each.partition] = each.end
        self._backlog.end, self._ended = now, set()
        polled = self._polled(before, replace(before.moved(now), progress=asked), outputs, None)
        written = {id_: changes for id_, changes in polled.contents.items() if id_ in asked}
        return replace(polled, contents=written, nbytes=sum(read.nbytes for read in reads))

    def _polled(self, before: Position, now: Position, outputs: Outputs, found: Messages | None) -> Polled:
        contents: dict[OutputId, Any] = {}
        snapshot: dict[OutputId, int] = {}
        staged: dict[OutputId, int] = {}
        if before.until or before is now:
            if self._snapshot is None:
                self._snapshot = _left(before)
            snapshot = {id_: self._snapshot for id_, output in outputs.items() if not output.reference}
            staged = dict.fromkeys(snapshot, self._snapshot - _left(now))
        for id_, output in outputs.items():
            if output.reference == PROGRESS:
                shown = before.next if before is not now and id_ in before.progress else {}
                contents[id_] = progress_changes(shown, now.next)
            elif not output.reference:
                contents[id_] = () if found is None or not len(found) else (self._decoded(found),)
        ends = [self._known_end(partition, offset) for partition, offset in now.next.items()]
        return Polled(
            contents,
            now.to_json(),
            at_end=self._ended >= set(now.next),
            lag_bytes=None,
            nbytes=0 if found is None else found.nbytes,
            snapshot=snapshot,
            snapshot_staged=staged,
            offset_known=sum(ends),
            offset_committed=sum(now.next.values()),
        )

    def _decoded(self, messages: Messages) -> Decoded:
        return replace(self._records.decode(messages), raw=partial(letters_of, messages))

    def _known_end(self, partition: int, offset: int) -> int:
        assert self._reader is not None, "something was read"
        found = self._reader.known_end(partition) or 0
        return max(found, offset, self._backlog.ends.get(partition, 0))


def _left(at: Position) -> int:
    """Offsets up to those at which the topic ended when the source began."""
    return sum(end - at.next[partition] for partition, end in at.until.items())
