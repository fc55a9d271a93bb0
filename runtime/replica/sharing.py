"""Sharing: which dataflows of a replica read the arrangements of its indexes, and what that holds back.

```
index    since ............................................ upper      since < the least cut of its readers
reader            cut (of its checkpoint) ...... upper                 upper <= the index's
```

A reader begins with the index's arrangement if that is readable at the reader's as_of.  Otherwise it holds one of its
own, which follows from the input alone: from its first step, or, when it goes on from saved state, from the snapshot of
the input at the same cut.  When the index goes - dropped, failed, or installed anew - its readers take over its runs,
which do not change, and go on with those.
"""

from __future__ import annotations

from typing import Protocol

from ..compute.dataflow import Dataflow
from ..compute.plan import SharedNode
from ..expr.tree.relation import GlobalId
from .index import Index


class Reader(Protocol):
    """A dataflow that may share.  `cut` is no later than its frontier, and than that from which a restart goes on."""

    @property
    def id(self) -> GlobalId: ...

    @property
    def dataflow(self) -> Dataflow: ...

    @property
    def cut(self) -> int: ...


class Sharing:
    """Every index that somebody reads, and who does."""

    def __init__(self) -> None:
        self._indexes: dict[GlobalId, Index] = {}
        self._readers: dict[GlobalId, dict[GlobalId, Reader]] = {}
        self._read: dict[GlobalId, dict[GlobalId, Index]] = {}

    def attach(self, reader: Reader, node: SharedNode, index: Index) -> bool:
        """Has the reader look up the rows of `index`, if it can as of its beginning."""
        if not index.shareable or index.since > reader.dataflow.as_of:
            return False
        reader.dataflow.share(node.node, index)
        self._indexes[node.index] = index
        self._readers.setdefault(node.index, {})[reader.id] = reader
        self._read.setdefault(reader.id, {})[node.index] = index
        return True

    def frontier(self, id: GlobalId, upper: int) -> int:
        """How far the dataflow can be stepped, of `upper`: as far as the indexes that it reads are complete."""
        return min((index.upper for index in self._read.get(id, {}).values()), default=upper)

    def readers_of(self, index: GlobalId) -> frozenset[GlobalId]:
        return frozenset(self._readers.get(index, ()))

    def since(self, index: GlobalId, since: int) -> int:
        """How far the index may be compacted, when others need it from `since` on."""
        for reader in self._readers.get(index, {}).values():
            since = min(since, reader.cut - 1)
        return since

    def rename(self, id: GlobalId, new: GlobalId) -> None:
        """A reader has another id from now on."""
        if (read := self._read.pop(id, None)) is not None:
            self._read[new] = read
            for index_id in read:
                self._readers[index_id][new] = self._readers[index_id].pop(id)

    def leave(self, id: GlobalId) -> None:
        """The dataflow reads nothing any more; if it is an index, nothing reads it: its readers take it over."""
        for index_id in self._read.pop(id, ()):
            self._readers[index_id].pop(id)
        index = self._indexes.pop(id, None)
        if index is None:
            return
        for reader in self._readers.pop(id).values():
            del self._read[reader.id][id]
            dataflow = reader.dataflow
            for node in dataflow.shareable():
                if node.index == id:
                    # Before its first step a dataflow has taken in nothing: that step fills the arrangement.
                    begun = dataflow.upper > dataflow.as_of
                    dataflow.own(node.node, index.below(dataflow.upper) if begun else ())
