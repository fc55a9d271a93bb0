"""The outputs of a step, on their way to the coordinator.

Changes of subscriptions are sent at once.  Frontiers of indexes are sent first: their readers wait
for them, and nothing of them has to be written.  With these it is said which views have been computed: who looks some rows of them up
need not wait longer either (`view_rows`).  Then the outputs of views are written as parts, all of them in one
`Append`; much at once by another thread (`output_writer`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from time import monotonic

import numpy as np

from ..expr.tree.relation import GlobalId
from ..persist.blob.base import Blob
from ..persist.part import PartRef, ShardId
from ..repr.batch import Delta
from ..repr.schema import Schema
from .blob_retry import write_parts_when_there_is_room
from .installed import Installed
from .output_writer import OutputWriter
from .protocol import Append, Hydrated, Message, SubscriptionOutput, Updates, ViewOutput, packed_changes
from .workers.team import Stepped


@dataclass(frozen=True, slots=True)
class Unwritten:
    """What a view has put out in `[lower, upper)`; `delta` None: nothing that is not durable already, or in `parts` that are written.
    `first`: the view is hydrated with it."""

    installed: Installed
    id: GlobalId
    shard: ShardId
    schema: Schema
    delta: Delta | None
    lower: int
    upper: int
    first: bool
    parts: tuple[PartRef, ...] = ()


@dataclass(slots=True)
class Outputs:
    """Those of one step: of views, and how far indexes have come; `passed` are views that are as they were.

    `name` is this attempt of the replica in blobs; `writer` takes what is to be written, or None: it is written at once;
    `lost` is called for a dataflow whose output cannot be written, `wanted` returns whether to wait for room on the disk
    for it: both on the thread that writes.
    """

    blob: Blob
    name: str
    writer: OutputWriter | None
    lost: Callable[[Installed, Exception], None]
    wanted: Callable[[Installed], bool]
    views: list[Unwritten] = field(default_factory=list)
    indexes: list[tuple[GlobalId, int]] = field(default_factory=list)
    passed: list[tuple[Installed, GlobalId, int]] = field(default_factory=list)

    def add(self, installed: Installed, stepped: Stepped, lower: int, upper: int) -> Iterator[Message]:
        """Takes the output of the dataflow in `[lower, upper)`; yields what can be sent at once."""
        delta = stepped.delta
        if isinstance(installed.output, SubscriptionOutput):
            yield from _changes(installed, installed.output, delta, upper)
            return
        first, installed.hydrated = not installed.hydrated, True
        if installed.index is None:
            self.views.append(_unwritten(installed, stepped, lower, upper, first))
            return
        self.indexes.append((installed.id, upper))
        if first:
            yield from _hydrated(installed)

    def pass_on(self, installed: Installed, upper: int) -> None:
        """A view or an index that is hydrated is as it was, up to `upper`."""
        if installed.index is None:
            installed.recent = installed.recent.then(upper, None)
            self.passed.append((installed, installed.id, upper))
        else:
            self.indexes.append((installed.id, upper))

    def messages(self) -> Iterator[Message]:
        """What is to be sent now; what is written beside is sent when it is."""
        computed = tuple(
            (view.id, view.upper) for view in self.views if view.delta is not None and not view.parts
        )
        if self.indexes or computed:
            yield Append((), tuple(self.indexes), computed)
        if not self.views and not self.passed:
            return
        if self.writer is None:
            yield from self._written()
        else:
            rows = sum(len(view.delta.oks) + len(view.delta.errs) for view in self.views if view.delta)
            nbytes = sum(v.delta.oks.nbytes + v.delta.errs.nbytes for v in self.views if v.delta)
            yield from self.writer.write(rows, self._written, nbytes)

    def _written(self) -> Iterator[Message]:
        """On the thread that writes."""
        writes = []
        uppers = [(id_, upper) for view, id_, upper in self.passed if not (view.lost or view.removed)]
        for view in self.views:
            if view.installed.lost or view.installed.removed:
                continue
            try:
                write = self._write(view)
            except Exception as error:
                view.installed.lost = True
                self.lost(view.installed, error)
                continue
            if write is not None:
                writes.append(write)
            uppers.append((view.id, view.upper))
            if view.first:
                yield from _hydrated(view.installed)
        if uppers:
            yield Append(tuple(writes), tuple(uppers))

    def _write(self, view: Unwritten) -> Updates | None:
        """The append for a view's output; None when there is nothing to append."""
        if view.delta is None:
            return Updates(view.id, view.lower, view.upper, view.parts) if view.parts else None
        parts = write_parts_when_there_is_room(
            self.blob,
            view.shard,
            view.schema,
            view.delta,
            writer=self.name,
            passing=not view.first,
            wanted=lambda: self.wanted(view.installed),
        )
        return Updates(view.id, view.lower, view.upper, view.parts + parts)


def _unwritten(installed: Installed, stepped: Stepped, lower: int, upper: int, first: bool) -> Unwritten:
    assert isinstance(installed.output, ViewOutput)
    # What was durable when the view was installed is the same, and stays.  What others have written since is
    # left to the commit, which knows of it.
    since = max(installed.appended, lower)
    new = delta = stepped.delta
    if delta and since > lower:
        new = Delta(delta.oks.filter(delta.oks.times >= since), delta.errs.filter(delta.errs.times >= since))
    installed.recent = installed.recent.then(upper, Stepped(new, stepped.parts))
    shard, schema = installed.output.shard, installed.schema
    return Unwritten(installed, installed.id, shard, schema, new or None, since, upper, first, stepped.parts)


def _changes(installed: Installed, output: SubscriptionOutput, delta: Delta, upper: int) -> Iterator[Message]:
    first = np.uint64(output.lower)
    new = Delta(delta.oks.filter(delta.oks.times >= first), delta.errs.filter(delta.errs.times >= first))
    yield from packed_changes(output.peek_id, installed.schema, new, upper)


def _hydrated(installed: Installed) -> Iterator[Hydrated]:
    yield Hydrated(installed.id, monotonic() - installed.started, installed.rows)
