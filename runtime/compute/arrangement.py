"""An arrangement: a collection's rows, found by the value of some of their columns.

It is a spine of whole rows together with what SQL says of the key: NULL equals nothing, so a row with a NULL in its
key is not kept, unless the arrangement is `null_safe`.  `Keyed` is a delta prepared for that: its hashes are taken
once and serve to search the other side and to insert into this one.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ..repr import buffers
from ..repr.batch import Batch, Indices
from ..repr.buffers import Words
from ..repr.consolidate import advance, consolidate
from ..repr.hash import hash_columns
from ..repr.order import hash_order
from ..repr.schema import Schema
from .spine import Matches, Spine


@dataclass(frozen=True, slots=True)
class Keyed:
    """`batch`, n updates that have a key; `keys` their key columns, `hashes` uint64[n] those of the keys.

    `kept` int64[n]: which updates of the original batch these are, or None for all of it.
    """

    batch: Batch
    keys: tuple[pa.Array, ...]
    hashes: Words
    kept: Indices | None = None

    def __len__(self) -> int:
        return len(self.hashes)

    def take(self, indices: Indices) -> Keyed:
        """Some of them."""
        return Keyed(
            self.batch.take(indices),
            buffers.take(self.keys, indices),
            self.hashes[indices],
            indices if self.kept is None else self.kept[indices],
        )


SETTLED_ROWS = 16
REPEATED_KEYS = 4
"""Of so many updates it is worth to see whether their keys repeat: when a key of theirs has that many of them."""

ORDERED_ROWS = 2_048
"""Above so many updates it pays to put them in the order of their hashes."""


def keyed(batch: Batch, key: tuple[int, ...], *, null_safe: bool = False, ordered: bool = False) -> Keyed:
    """The updates of `batch` that have a key in the columns `key`: all, or without `null_safe` those free of NULL
    there.

    With `ordered`, many are put in the order of their hashes, for what is both searched with and inserted.
    """
    if not len(batch):
        return Keyed(batch, tuple(batch.columns[i] for i in key), np.empty(0, np.uint64))
    kept: Indices | None = None
    if not null_safe:
        masks = [m for i in key if (m := buffers.validity(batch.columns[i])) is not None]
        if masks:
            kept = np.flatnonzero(functools.reduce(np.logical_and, masks))
            batch = batch.take(kept)
    keys = tuple(batch.columns[i] for i in key)
    hashes = hash_columns(keys, len(batch))
    if ordered and len(batch) > ORDERED_ROWS:
        order = hash_order(hashes)
        hashes, batch = hashes[order], batch.take(order)
        keys = tuple(batch.columns[i] for i in key)
        kept = order if kept is None else kept[order]
    return Keyed(batch, keys, hashes, kept)


class Arrangement:
    """The rows of a collection of `schema`, indexed by the columns `key`."""

    def __init__(self, schema: Schema, key: tuple[int, ...]) -> None:
        self.spine = Spine(schema, key)

    def insert(self, delta: Keyed) -> None:
        self.spine.insert(delta.batch, delta.hashes)

    def insert_settled(self, delta: Keyed, upper: int) -> None:
        """Inserts updates of a step up to `upper` that nobody reads before it is over."""
        settled = self.settled(delta, upper)
        self.insert(delta if settled is None else settled)

    def settled(self, delta: Keyed, upper: int) -> Keyed | None:
        """The updates of a step up to `upper` as whoever reads after it finds them: those of a row added up.

        None when they may as well be inserted as they are: few keys change at several times, or (in a loop) times are
        not those of a step.  A key that changed a thousand times would else be found a thousand times by the next step.
        """
        times = delta.batch.times
        if len(delta) < SETTLED_ROWS or (times == times[0]).all() or times.max() >= upper:
            return None
        _, counts = np.unique(delta.hashes, return_counts=True)
        if int((counts * counts).sum()) <= REPEATED_KEYS * len(delta):
            return None
        return keyed(consolidate(advance(delta.batch, upper - 1)), self.spine.key, null_safe=True)

    def matches(self, probe: Keyed) -> Iterator[Matches]:
        """Pairs (update of `probe`, update held) of equal keys, in pieces of bounded size."""
        return self.spine.probe_chunks(probe.keys, probe.hashes)
