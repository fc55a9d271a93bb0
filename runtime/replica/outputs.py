"""What a step has put out, on its way to the coordinator.

How far indexes have come is said first: whoever reads them waits for it, and nothing of them has to be written.  Then
the outputs of views are written as parts, all of them in one `Append`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from time import monotonic

from ..expr.relation import GlobalId
from ..persist.blob.base import Blob
from ..repr.batch import Delta
from .installed import Installed
from .protocol import Append, Hydrated, Message, Status, Updates, ViewOutput
from .room import write_when_there_is_room


@dataclass(slots=True)
class Outputs:
    """Those of one step: of views `(view, output, lower, upper)`, and how far indexes have come.

    `writer` names this attempt of the replica in blobs; `failed` gives a dataflow up whose output cannot be written;
    `wanted` says whether to wait for room on the disk for it.
    """

    blob: Blob
    writer: str
    failed: Callable[[Installed, Exception], Status]
    wanted: Callable[[GlobalId], bool]
    views: list[tuple[Installed, Delta, int, int]] = field(default_factory=list)
    indexes: list[tuple[GlobalId, int]] = field(default_factory=list)

    def add(self, installed: Installed, delta: Delta, lower: int, upper: int) -> Iterator[Message]:
        """What the dataflow has put out in `[lower, upper)`; yields what can be said at once."""
        if installed.index is None:
            self.views.append((installed, delta, lower, upper))
        else:
            self.indexes.append((installed.id, upper))
            yield from _hydrated(installed)

    def messages(self) -> Iterator[Message]:
        if self.indexes:
            yield Append((), tuple(self.indexes))
        writes, uppers = [], []
        for installed, delta, lower, upper in self.views:
            try:
                write = self._write(installed, delta, lower, upper)
            except Exception as error:
                yield self.failed(installed, error)
                continue
            if write is not None:
                writes.append(write)
            uppers.append((installed.id, upper))
            yield from _hydrated(installed)
        if uppers:
            yield Append(tuple(writes), tuple(uppers))

    def _write(self, installed: Installed, delta: Delta, lower: int, upper: int) -> Updates | None:
        """The append for a view's output in `[lower, upper)`; None when there is nothing that is not durable
        already."""
        if not delta:
            return None
        # What was durable when the view was installed is the same, and stays.  What others have written since is
        # left to the commit, which knows of it.
        first = max(installed.appended, lower)
        new = Delta(delta.oks.filter(delta.oks.times >= first), delta.errs.filter(delta.errs.times >= first))
        if not new:
            return None
        assert isinstance(installed.output, ViewOutput)
        installed.unacknowledged.append((upper, new))
        parts = write_when_there_is_room(
            self.blob,
            installed.output.shard,
            installed.schema,
            new,
            writer=self.writer,
            wanted=lambda: self.wanted(installed.id),
        )
        return Updates(installed.id, first, upper, parts)


def _hydrated(installed: Installed) -> Iterator[Hydrated]:
    if not installed.hydrated:
        installed.hydrated = True
        yield Hydrated(installed.id, monotonic() - installed.started, installed.rows)
