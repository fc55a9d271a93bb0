"""Hot keys: keys that have more rows than one task should get.

A range of hashes cannot split a key.  A reduction does not mind, as its rows are combined before they are sent.  A join
does: so the rows of one side that have such a key are dealt out by the hash of the whole row, and those of the other
side that have it are sent to every partition.

```
left   (k, 1) (k, 2) (k, 3) (k, 4)          partition 0: (k, 1) (k, 4) x (k, a) (k, b)
right  (k, a) (k, b)                        partition 1: (k, 2) (k, 3) x (k, a) (k, b)
```

Only a side whose rows meet all of the other's can be dealt out: a row of the preserved side of an outer join must not be
in two places, or it would be padded in one and paired in the other.  Of state that was sent everywhere, the partition
that the key belongs to writes the one copy.

Which keys are hot is counted (in a sample) by the tasks that send them; the driver then has those tasks run again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...expr.tree.relation import JoinKind
from ...repr.batch import Batch, Mask
from ...repr.buffers import Words
from ...repr.consolidate import consolidate
from ...repr.hash import hash_columns
from ..plan import Exchange, JoinOp, Node
from ..run import Run
from .exchange import partition_of, pieces
from .job import Facts

SAMPLE_ROWS = 1 << 15
MOST_KEYS = 64
"""So many keys of one side are split at most."""

DEALT = {
    JoinKind.INNER: (0, 1),
    JoinKind.LEFT: (0,),
    JoinKind.RIGHT: (1,),
    JoinKind.FULL: (),
    JoinKind.SEMI: (0,),
    JoinKind.ANTI: (0,),
}
"""The inputs whose rows may be dealt out."""

COPIES = (
    ("right", "right_keys", "left_matching_keys"),
    ("left", "right_matching_keys"),
)
"""By the input that is dealt out: the spines of a join that hold what was sent everywhere, all by hash of the key."""


@dataclass(frozen=True, slots=True)
class HotKeys:
    """Of one join, the hashes of keys whose rows are dealt out: `dealt[i]`, ascending, of input i.  None is in both."""

    dealt: tuple[Words, Words]

    def split(self, batch: Batch, by: Exchange, partitions: int, side: int) -> Iterator[tuple[int, Batch]]:
        """The rows of input `side` by partition, none of the pieces empty."""
        assert isinstance(by, tuple), "hot keys are keys"
        hashes = hash_columns([batch.columns[i] for i in by], len(batch))
        own, others = (_among(hashes, self.dealt[i]) for i in (side, 1 - side))
        usual = np.flatnonzero(~(own | others))
        yield from pieces(batch.take(usual), partition_of(hashes[usual], partitions), partitions)
        if own.any():
            # Equal rows would all go to one place: they are one row of a higher multiplicity.
            dealt = consolidate(batch.filter(own))
            rows = hash_columns(dealt.columns, len(dealt))
            yield from pieces(dealt, partition_of(rows, partitions), partitions)
        if others.any():
            everywhere = batch.filter(others)
            for pid in range(partitions):
                yield pid, everywhere

    def own(self, name: str, run: Run, partitions: int, here: int) -> Run:
        """Of a run of the spine `name`, what the partition `here` is to write."""
        for side, names in enumerate(COPIES):
            if name in names and len(self.dealt[side]):
                copies = _among(run.hashes, self.dealt[side]) & (partition_of(run.hashes, partitions) != here)
                if copies.any():
                    kept = np.flatnonzero(~copies)
                    return Run(run.hashes[kept], run.batch.take(kept))
        return run


def own_share(run: Run, partitions: int, here: int) -> Run:
    """Of a run that all partitions have, what the partition `here` is to write."""
    kept = np.flatnonzero(partition_of(run.hashes, partitions) == here)
    return Run(run.hashes[kept], run.batch.take(kept))


def splittable(node: Node) -> bool:
    """Whether the keys of an operator can be split: of a join both of whose sides are exchanged by them."""
    op = node.op
    return (
        isinstance(op, JoinOp)
        and bool(op.left_key)
        and bool(DEALT[op.kind])
        and all(isinstance(by, tuple) for by in node.exchange)
    )


def heavy(hashes: Words, least: int) -> dict[int, int]:
    """Hashes that occur about `least` times or more, with an estimate of how often."""
    weight = 1.0
    if len(hashes) > SAMPLE_ROWS:
        weight = len(hashes) / SAMPLE_ROWS
        hashes = hashes[np.random.default_rng(len(hashes)).integers(0, len(hashes), SAMPLE_ROWS)]
    values, counts = np.unique(hashes, return_counts=True)
    estimates = (counts * weight).astype(np.int64)
    most = np.argsort(-estimates, kind="stable")[:MOST_KEYS]
    most = most[estimates[most] >= least]
    return dict(zip(values[most].tolist(), estimates[most].tolist(), strict=True))


def find(
    op: JoinOp, ports: Sequence[int], facts: Iterable[Facts], partitions: int, least: int
) -> HotKeys | None:
    """Those of a join whose inputs travel on `ports`, from what all tasks that send to it have counted."""
    counts: tuple[Counter[int], Counter[int]] = Counter(), Counter()
    rows = [0, 0]
    for fact in facts:
        for side, port in enumerate(ports):
            counts[side].update(fact.heavy.get(port, {}))
            rows[side] += fact.sent.get(port, 0)
    return hot_keys(op, counts, rows, partitions, least)


def hot_keys(
    op: JoinOp, counts: Sequence[Mapping[int, int]], rows: Sequence[int], partitions: int, least: int
) -> HotKeys | None:
    """The hot keys of a join, by side: of keys that have many, the number of rows, and how many rows there are of all."""
    dealt: list[dict[int, int]] = [{}, {}]
    for side in DEALT[op.kind]:
        most = sorted(counts[side].items(), key=lambda item: (-item[1], item[0]))[:MOST_KEYS]
        dealt[side] = {
            key: count for key, count in most if count >= least and 2 * partitions * count >= rows[side]
        }
    for key in set(dealt[0]) & set(dealt[1]):
        side = 0 if dealt[0][key] < dealt[1][key] else 1
        del dealt[side][key]
    if not any(dealt):
        return None
    left, right = (np.sort(np.fromiter(found, np.uint64, len(found))) for found in dealt)
    return HotKeys((left, right))


def _among(hashes: Words, wanted: Words) -> Mask:
    return np.isin(hashes, wanted)
