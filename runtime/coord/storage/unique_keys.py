"""Keys of tables: which key hashes every unique constraint has, as of the last commit.

Tables are written by one coordinator, so what it has committed is what there is: the keys of a constraint are read
from the table once, when something is first written under it, and follow every commit from then on.  A hash that
would occur twice is only suspected: whoever writes looks at the rows themselves (see `duplicates`), and says so if all
was a collision.

Which keys were written lately, and when, is known as well: a write that was computed from some keys of a table conflicts with those of
these, not with every other one.

Invariant: the counts of a constraint that is `ready` are those of the table at the time of the last commit.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from ...expr.tree.relation import GlobalId
from ...persist.client import PersistClient
from ...persist.read import read_updates
from ...replica.protocol import Import
from ...repr.batch import Batch
from ...repr.buffers import Words, validity
from ...repr.hash import hash_columns
from ...sql.syntax.constraints import Constraint
from ..catalog.items import Table
from ..thread_pool import over_rows
from .collections import Collections
from .expectation import MOST_KEPT, Expected, KeyId, RecentKeys
from .group_writes import GroupWrites
from .key_counts import KeyCounts, Run
from .key_values import key_values
from .oracle import Oracle
from .reads import ActiveReads

logger = logging.getLogger(__name__)

JOINED_AT_ONCE = 20_000
"""So many hashes are put in order on the event loop: that is a millisecond."""


@dataclass(frozen=True, slots=True)
class KeysTaken:
    """A write was not committed: these keys of the constraint would occur more than once, or collide."""

    key: KeyId
    hashes: Words


def key_changes(item: Table, constraint: Constraint, rows: Batch) -> tuple[Words, npt.NDArray[np.int64]]:
    """The hash of each row's key and how often the row comes (or goes, below 0), of those rows that can agree."""
    columns = key_values(item, constraint, rows)
    hashes = hash_columns(columns, len(rows))
    if constraint.nulls_distinct:
        masks = [mask for column in columns if (mask := validity(column)) is not None]
        if masks:
            present = np.logical_and.reduce(masks)
            return hashes[present], rows.diffs[present]
    return hashes, rows.diffs


def _repeated(own: KeyCounts, there: Sequence[KeyCounts]) -> Words:
    """The hashes that `own` adds and that occur more than once in all together."""
    hashes, counts = own.entries()
    more = counts > 0
    hashes, counts = hashes[more], counts[more]
    for other in there:
        counts = counts + other.of(hashes)
    return hashes[counts > 1]


class UniqueKeys:
    """On the event loop, like the commits it follows; what is in proportion to rows is done beside it."""

    def __init__(
        self, persist: PersistClient, oracle: Oracle, collections: Collections, reads: ActiveReads
    ) -> None:
        self._persist = persist
        self._oracle = oracle
        self._collections = collections
        self._reads = reads
        self._counts: dict[KeyId, KeyCounts] = {}
        self._recent: dict[KeyId, RecentKeys] = {}
        self._of_table: dict[GlobalId, set[KeyId]] = {}
        self._ready: set[KeyId] = set()
        self._joining: set[KeyId] = set()
        self._loading = asyncio.Lock()

    async def ready(self, item: Table, constraints: Sequence[Constraint]) -> None:
        """Returns once the keys of these constraints of the table are known."""
        if all(constraint.oid in self._ready for constraint in constraints):
            return
        async with self._loading:
            missing = [constraint for constraint in constraints if constraint.oid not in self._ready]
            if missing:
                await self._load(item, missing)

    def counts(self, key: KeyId) -> KeyCounts:
        """How often each hash occurs now, for any thread; the constraint is ready."""
        return self._counts[key].copy()

    async def taken(self, changes: Mapping[KeyId, KeyCounts], earlier: GroupWrites) -> KeysTaken | None:
        """The keys that `changes` would make occur twice, after the `earlier` ones of the same commit."""
        for key, own in changes.items():
            if key not in self._ready:  # a constraint that was dropped is not checked
                continue
            there = [self.counts(key), *earlier.changes(key)]
            if len(there) == 1 and own.free_beside == there[0].version:
                continue  # it was looked for by the statements, and nothing has been written since
            hashes = await over_rows(len(own), partial(_repeated, own, there))
            if len(hashes):
                return KeysTaken(key, hashes)
        return None

    def written_since(self, expected: Expected, earlier: GroupWrites) -> bool:
        """Whether rows may be others than `expected`, of a table that has been written since, perhaps by `earlier` writes of
        the same commit."""
        if expected.keys is None:
            return True
        for key, hashes in expected.keys.items():
            recent = self._recent.get(key)
            if recent is None or recent.written_since(hashes, expected.time) or earlier.touches(key, hashes):
                return True
        return False

    def untold(self, tables: Collection[GlobalId], changes: Mapping[KeyId, KeyCounts]) -> list[KeyId]:
        """Keys of which `changes` says nothing although their tables are written: any may be."""
        return [key for table in tables for key in self._of_table.get(table, ()) if key not in changes]

    def committed(self, tables: Collection[GlobalId], changes: Mapping[KeyId, KeyCounts], time: int) -> None:
        """The changes, and with them what was written to `tables`, are durable: from now on they count."""
        for key in self.untold(tables, changes):
            self._recent[key].forget(time)
        for key, counts in changes.items():
            if key in self._counts:
                self._merge(key, counts)
                if len(counts) > MOST_KEPT:
                    self._recent[key].forget(time)
                else:
                    self._recent[key].wrote(counts.entries()[0], time)

    def forget(self, constraints: Sequence[Constraint]) -> None:
        """The constraints are gone."""
        for constraint in constraints:
            self._counts.pop(constraint.oid, None)
            self._recent.pop(constraint.oid, None)
            self._ready.discard(constraint.oid)
        gone = {constraint.oid for constraint in constraints}
        for table, keys in list(self._of_table.items()):
            keys -= gone
            if not keys:
                del self._of_table[table]

    def _merge(self, key: KeyId, counts: KeyCounts) -> None:
        """Few hashes are put in order at once, many in a thread: until then one run more is searched."""
        self._counts[key].merge(counts, JOINED_AT_ONCE)
        if key not in self._joining:
            self._join(key)

    def _join(self, key: KeyId) -> None:
        counts = self._counts.get(key)
        pair = None if counts is None else counts.due()
        if counts is None or pair is None:
            self._joining.discard(key)
            return
        self._joining.add(key)
        joining = asyncio.get_running_loop().run_in_executor(None, counts.join, pair)
        joining.add_done_callback(partial(self._joined, key, counts, pair))

    def _joined(
        self, key: KeyId, counts: KeyCounts, pair: tuple[Run, Run], joining: asyncio.Future[Run]
    ) -> None:
        if joining.cancelled() or joining.exception() is not None:  # both stay, and nothing is wrong
            logger.warning(
                "keys were not put in order", exc_info=None if joining.cancelled() else joining.exception()
            )
            self._joining.discard(key)
            return
        counts.replace(pair, joining.result())
        self._join(key)

    async def _load(self, item: Table, constraints: Sequence[Constraint]) -> None:
        # From here on commits are counted; the snapshot has everything before, as nothing is between the two.
        for constraint in constraints:
            self._counts[constraint.oid] = KeyCounts()
            self._recent[constraint.oid] = RecentKeys(self._oracle.read_time)
            self._of_table.setdefault(item.id, set()).add(constraint.oid)
        try:
            with self._reads.at(self._oracle.read_time) as time:
                source = self._collections.import_of(item.id, time)
                loop = asyncio.get_running_loop()
                found = await loop.run_in_executor(None, lambda: self._read(item, source, constraints))
        except BaseException:
            self.forget(constraints)
            raise
        for constraint, counts in zip(constraints, found, strict=True):
            if constraint.oid in self._counts:
                self._merge(constraint.oid, counts)
                self._ready.add(constraint.oid)

    def _read(self, item: Table, source: Import, constraints: Sequence[Constraint]) -> list[KeyCounts]:
        found = [KeyCounts() for _ in constraints]
        for part in source.snapshot:
            rows = read_updates(self._persist.blob, (part,), source.schema, 0, source.as_of + 1).oks
            rows = rows.with_columns(item.layout.visible(rows.columns))
            for constraint, counts in zip(constraints, found, strict=True):
                counts.add(*key_changes(item, constraint, rows))
        return found
