"""An ingestion: one source, from its connector to updates of its outputs that await a time.

`advance` hands out at most one `Ingest` at a time: the updates of a transaction, or of a piece of one, and the position
after it.  The committer writes the updates of all outputs and the position together, at one time.  `committed` or
`aborted` settles it; after `aborted` the same records are read again.  So what is durable is always the position and
exactly what lies before it, in every output.

    poll(position) -> decode -> envelope -> Ingest -> [committer] -> committed(time) | aborted()
                                              └ a piece: [its parts are written] -> staged(), the rest follows
"""

from __future__ import annotations

import enum
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from ..clock import Clock
from ..errors import DiskFull, PtvcError
from ..repr.schema import Column, Schema
from ..repr.types import TEXT
from .changes import NO_ERROR_CHANGES, Changes, no_changes, together
from .dead_letters import DEAD_LETTERS, dead_letters, with_label
from .decode import Decoded, concat_decoded
from .envelope import Envelope
from .kept import changes_kept, records_kept
from .projection import Projection
from .row_filter import RowFilter
from .row_retention import RowRetention
from .shares import OF_JOBS, Divisible, Share, ShareRead, Sizes
from .statistics import OutputId, OutputStatistics, Statistics, Status

DEFAULT_CHUNK_BYTES = 8 << 20
PROGRESS = "mz_progress"
"""What the output is called that has the source's position, of what a source offers."""

_RECORDED = Schema((Column("position", TEXT, False),))


@dataclass(frozen=True, slots=True)
class Output:
    """A collection that a source writes.  `reference` is what it is of what upstream offers, "" of a source that is its only output;
    `upstream` what was known of that when the output was made, in the connector's own words.  Of `where` see row_filter.py; with a
    `projection` other columns are read."""

    reference: str
    schema: Schema
    envelope: Envelope
    upstream: str = ""
    where: RowFilter | None = None
    projection: Projection | None = None
    retention: RowRetention | None = None


Outputs = Mapping[OutputId, Output]


@dataclass(frozen=True, slots=True)
class OutputChanges:
    oks: Changes
    errs: Changes


@dataclass(frozen=True, slots=True)
class Polled:
    """Whole upstream transactions, or a piece of one, by output: as records (a part per file) or as changes, of rows
    alone or of errors, too; and the connector's position after it.

    Unless it is `complete` more of the same transaction follows: pieces are changes, and their positions are never
    durable.  `snapshot` says of outputs of which this is (a piece of) the snapshot how many records that has, `snapshot_staged` how
    many of them there are with this, where that is more than the transaction has.  `lag_bytes` is what is there to read, None
    where nobody knows.  The offsets are upstream's own count of what there is, and of what lies before the position, where it
    has one.  `recorded` are changes of rows beside the position, a text each that does not begin as a position does.
    """

    contents: Mapping[OutputId, tuple[Decoded, ...] | Changes | OutputChanges]
    position: Mapping[str, Any]
    at_end: bool
    lag_bytes: int | None
    nbytes: int
    complete: bool = True
    snapshot: Mapping[OutputId, int] = field(default_factory=dict)
    snapshot_staged: Mapping[OutputId, int] = field(default_factory=dict)
    offset_known: int | None = None
    offset_committed: int | None = None
    recorded: Changes | None = None


class Pending(enum.Enum):
    """What comes next is not there yet, though something is to come."""

    PENDING = enum.auto()


@dataclass(frozen=True, slots=True)
class Waiting:
    """There is nothing to read, and something that is there is not read: the `reason`."""

    reason: str


class Connector(Protocol):
    def poll(
        self, position: Mapping[str, Any] | None, outputs: Outputs, max_bytes: int
    ) -> Polled | Pending | Waiting | None:
        """What comes after `position`; None when there is nothing.  Raises PtvcError when it cannot go on; then the durable position
        comes again.

        The position says which outputs it speaks of, if there may be several.  One that is asked for and that it does
        not speak of is new: next comes its snapshot, consistent with the position that is handed out with it.
        Between the pieces of a transaction `outputs` do not change; after an abort the durable position comes again.
        """


@dataclass(frozen=True, slots=True)
class Ingest:
    """One unit of work: updates of rows and errors by output, and the position to record with them.

    Unless it is `complete` it is a piece, to be committed with those that follow.  `at_end`: everything that was there
    when it was read is included.  `records` and `nbytes` of input.  `recorded` are changes of
    what stands beside the position: those of the connector, and of `Envelope.keyed_errors`.
    """

    outputs: Mapping[OutputId, OutputChanges]
    position: str
    complete: bool
    at_end: bool
    records: int
    nbytes: int
    lag_bytes: int | None
    recorded: Changes | None = None


@dataclass(slots=True)
class _Staged:
    """What the transaction has so far that is being read."""

    records: int = 0
    nbytes: int = 0
    errors: int = 0
    updates: Counter[OutputId] = field(default_factory=Counter)
    left_out: Counter[OutputId] = field(default_factory=Counter)


def _whole(polled: Polled, id: OutputId) -> bool:
    """Whether the output has its snapshot with this."""
    known = polled.snapshot[id]
    return polled.snapshot_staged.get(id, known) >= known


def position_text(position: Mapping[str, Any]) -> str:
    """A connector's position as it is recorded."""
    return json.dumps({"read": position}, separators=(",", ":"), sort_keys=True)


def former_keyed_errors(position: str) -> str | None:
    """What a position has of keyed errors if an earlier version wrote it: they are recorded beside it now."""
    errors: str | None = json.loads(position).get("errors")
    return errors


class Ingestion:
    """Drives one source.  Not thread-safe."""

    def __init__(
        self,
        connector: Connector,
        outputs: Mapping[OutputId, Output],
        position: str | None,
        clock: Clock,
        *,
        chunk_bytes: int = DEFAULT_CHUNK_BYTES,
        waits: bool = False,
        close: Callable[[], None] = lambda: None,
        label: str = "",
    ) -> None:
        """`waits`: where nothing is there the connector waits a little itself.  `close` lets go of what it holds.  `label` names the
        source in messages of errors."""
        self.waits = waits
        self.close = close
        self._connector = connector
        self._clock = clock
        self._label = label
        self._outputs = dict(outputs)
        self._durable: Mapping[str, Any] | None = None if position is None else json.loads(position)["read"]
        self._position = self._durable
        self._chunk_bytes = chunk_bytes
        self._pending: tuple[Ingest, Polled] | None = None
        self._staged = _Staged()
        self.statistics = Statistics()

    @property
    def in_transaction(self) -> bool:
        """Whether pieces of a transaction were staged that is not complete.  After a failure they are given up, and the transaction
        begins anew."""
        return self._position is not self._durable

    def set_outputs(self, outputs: Mapping[OutputId, Output]) -> None:
        """The source has these outputs from now on.  Not within a transaction."""
        assert self._pending is None, "commit or abort the open chunk first"
        assert not self.in_transaction, "a transaction ends with the outputs that it began with"
        now = self.statistics
        done = now.snapshot_done and outputs.keys() <= self._outputs.keys()
        # Those that it has already keep the state of their envelopes.
        self._outputs = {id_: self._outputs.get(id_, output) for id_, output in outputs.items()}
        kept = {id_: now.outputs[id_] for id_ in outputs if id_ in now.outputs}
        self._set(outputs=kept, snapshot_done=done)

    def advance(self) -> Ingest | None:
        """The next chunk, or None when nothing is new or the source is stalled (see `statistics`).

        Must not be called while an Ingest is open.
        """
        assert self._pending is None, "commit or abort the open chunk first"
        try:
            polled = self._connector.poll(self._position, self._outputs, self._chunk_bytes)
        except PtvcError as error:
            self._give_up()
            self._set(status=Status.STALLED, reason=error.message, hint=error.hint)
            return None
        self._set(
            status=Status.RUNNING,
            reason=polled.reason if isinstance(polled, Waiting) else None,
            hint=None,
            snapshot_done=self.statistics.snapshot_done or polled is None or isinstance(polled, Waiting),
        )
        if not isinstance(polled, Polled):
            return None
        try:
            changes, records, left_out = self._changes(polled)
        except DiskFull as error:
            # The state of an envelope has no room.  Nothing of this was handed out: it is read again.
            self._give_up()
            self._set(status=Status.STALLED, reason=error.message, hint=error.hint)
            return None
        ingest = self._opened(polled, changes, records)
        self._stage(ingest, polled, left_out)
        return ingest

    def _opened(self, polled: Polled, changes: Mapping[OutputId, OutputChanges], records: int) -> Ingest:
        ingest = Ingest(
            changes,
            position_text(polled.position),
            polled.complete,
            polled.at_end,
            records,
            polled.nbytes,
            polled.lag_bytes,
            self._recorded(polled),
        )
        self._pending = (ingest, polled)
        return ingest

    def shares(self, min_bytes: int, sizes: Sizes = OF_JOBS) -> Sequence[Share]:
        """What there is to be read, for others to read it, if it is so much and its records need nothing of each other; else nothing:
        `advance` reads it."""
        assert self._pending is None, "commit or abort the open chunk first"
        if self.in_transaction or not isinstance(self._connector, Divisible):
            return ()
        if any(output.envelope.by_key for output in self._outputs.values()):
            return ()
        return self._connector.shares(self._position, min_bytes, sizes)

    def read_by_shares(self, reads: Sequence[ShareRead]) -> Ingest:
        """The chunk of what others have read, of the shares that were handed out last: its updates are written, but for those of what the
        source says of itself.  It is open as one of `advance` is.  Raises PtvcError where it is to be read anew."""
        assert self._pending is None, "commit or abort the open chunk first"
        assert isinstance(self._connector, Divisible), "it has handed out shares"
        polled = self._connector.read_by_shares(reads, self._outputs)
        self._set(status=Status.RUNNING, reason=None, hint=None)
        changes, _, _ = self._changes(polled)
        ingest = self._opened(polled, changes, sum(read.records for read in reads))
        left_out: Counter[OutputId] = Counter()
        for read in reads:
            left_out.update(read.left_out)
        self._stage(ingest, polled, left_out)
        written: Counter[OutputId] = Counter()
        for read in reads:
            self._staged.errors += read.errors
            written.update(read.updates)
        self._staged.updates += written
        outputs = {
            id_: replace(now, updates_staged=now.updates_staged + written[id_])
            for id_, now in self.statistics.outputs.items()
        }
        self._set(outputs=outputs)
        return ingest

    def staged(self) -> None:
        """The updates of the open piece are written, and await the rest of their transaction."""
        assert self._pending is not None, "nothing is open"
        (ingest, polled), self._pending = self._pending, None
        assert not ingest.complete, "what is complete is committed"
        self._position = polled.position

    def committed(self, timestamp: int) -> None:
        """The open chunk is durable, at `timestamp`, with the pieces before it."""
        assert self._pending is not None, "nothing is open"
        self.statistics = self.once_committed()
        (_, polled), self._pending, self._staged = self._pending, None, _Staged()
        for output in self._outputs.values():
            output.envelope.commit()
        self._position = self._durable = polled.position

    def aborted(self) -> None:
        """The open chunk was not committed, and will not be, nor the pieces before it."""
        assert self._pending is not None, "nothing is open"
        self._pending = None
        self._give_up()

    def _give_up(self) -> None:
        """What comes next is read from the durable position, as if there had been no pieces."""
        self._staged = _Staged()
        for output in self._outputs.values():
            output.envelope.rollback()
        self._position = self._durable

    def once_committed(self) -> Statistics:
        """The statistics as they are when the open chunk is durable."""
        assert self._pending is not None, "nothing is open"
        (ingest, polled), now, staged = self._pending, self.statistics, self._staged
        letters = self._dead_letters
        return replace(
            now,
            records=now.records + staged.records,
            bytes=now.bytes + staged.nbytes,
            errors=now.errors + staged.errors,
            dead_letters=now.dead_letters + (0 if letters is None else staged.updates[letters]),
            lag_bytes=ingest.lag_bytes,
            snapshot_done=now.snapshot_done or ingest.at_end,
            offset_committed=polled.offset_committed,
            outputs={
                id_: replace(
                    output,
                    updates_committed=output.updates_committed + staged.updates[id_],
                    updates_filtered=output.updates_filtered + staged.left_out[id_],
                    snapshot_committed=_whole(polled, id_)
                    if id_ in polled.snapshot
                    else output.snapshot_committed,
                )
                for id_, output in now.outputs.items()
            },
        )

    def _recorded(self, polled: Polled) -> Changes | None:
        """What stands beside the position and changes with it: texts."""
        of_envelopes = [output.envelope.keyed_errors() for output in self._outputs.values()]
        found = [changes for changes in (polled.recorded, *of_envelopes) if changes is not None]
        return together(_RECORDED, found) if found else None

    @property
    def _dead_letters(self) -> OutputId | None:
        """The output that records in error go to, if there is one."""
        return next((id_ for id_, o in self._outputs.items() if o.reference == DEAD_LETTERS), None)

    def _letters_of(self, letters: OutputId, parts: tuple[Decoded, ...]) -> Changes:
        found = []
        for part in parts:
            if len(part.errors):
                assert part.raw is not None, "of such a source it is known what records were"
                found.append(dead_letters(part.raw, part.errors.rows, part.errors.messages, self._label))
        return together(self._outputs[letters].schema, found)

    def _labelled(self, errs: Changes) -> Changes:
        if not len(errs):
            return errs
        sqlstates, messages = errs.columns
        return replace(errs, columns=(sqlstates, with_label(self._label, messages)))

    def _set(self, **changes: Any) -> None:
        self.statistics = replace(self.statistics, **changes)

    def _stage(self, ingest: Ingest, polled: Polled, left_out: Counter[OutputId]) -> None:
        now, staged = self.statistics, self._staged
        staged.left_out += left_out
        staged.records += ingest.records
        staged.nbytes += ingest.nbytes
        outputs = {}
        for id_ in self._outputs:
            output = now.outputs.get(id_, OutputStatistics())
            changes = ingest.outputs.get(id_)
            count = 0 if changes is None else len(changes.oks) + len(changes.errs)
            if changes is not None:
                staged.errors += int((changes.errs.diffs > 0).sum())
            staged.updates[id_] += count
            if (known := polled.snapshot.get(id_)) is not None:
                output = replace(
                    output,
                    snapshot_records_known=known,
                    snapshot_records_staged=polled.snapshot_staged.get(
                        id_, staged.updates[id_] + staged.left_out[id_]
                    ),
                    snapshot_committed=False,
                )
            outputs[id_] = replace(output, updates_staged=output.updates_staged + count)
        self._set(
            received=now.received + ingest.records,
            bytes_received=now.bytes_received + ingest.nbytes,
            offset_known=polled.offset_known,
            outputs=outputs,
        )

    def _changes(self, polled: Polled) -> tuple[dict[OutputId, OutputChanges], int, Counter[OutputId]]:
        """The updates of each output, how many records they are of, and how many WHERE has left out."""
        changes = {}
        records = 0
        left_out: Counter[OutputId] = Counter()
        for id_, content in polled.contents.items():
            output = self._outputs[id_]
            if isinstance(content, Changes):
                content = OutputChanges(content, NO_ERROR_CHANGES)
            if isinstance(content, OutputChanges):
                records += len(content.oks) + len(content.errs) if output.reference != PROGRESS else 0
                content, left_out[id_] = changes_kept(output, content, self._clock)
                changes[id_] = replace(content, errs=self._labelled(content.errs))
            elif content:
                assert polled.complete, "an envelope takes whole transactions"
                records += sum(map(len, content))
                content, left_out[id_] = records_kept(output, content, self._clock)
                changes |= self._of_records(id_, output, content)
            else:
                changes[id_] = OutputChanges(no_changes(output.schema), NO_ERROR_CHANGES)
        return changes, records, left_out

    def _of_records(
        self, id_: OutputId, output: Output, content: tuple[Decoded, ...]
    ) -> dict[OutputId, OutputChanges]:
        """The updates of the output, and of the dead letters."""
        changes = {}
        oks, errs = output.envelope.apply(concat_decoded(content))
        if (letters := self._dead_letters) is not None:
            changes[letters] = OutputChanges(self._letters_of(letters, content), NO_ERROR_CHANGES)
            errs = NO_ERROR_CHANGES
        changes[id_] = OutputChanges(oks, self._labelled(errs))
        return changes
