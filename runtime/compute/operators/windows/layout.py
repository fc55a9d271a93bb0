"""The rows of many partitions laid out in order, side by side: what window functions are computed over.

```
line             0 0 0 0 0 | 1 1 1      a line is one partition at one time
order key        a a b c c | a b b
group of peers   0 0 1 2 2 | 3 4 4      numbered through
position         0 1 2 3 4 | 5 6 7
```

Every function is computed for all lines at once, by positions: a partition is the range `[line_start, line_end)`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ....repr.batch import Batch, Indices, Mask

Ints = Indices


@dataclass(frozen=True, slots=True)
class Layout:
    """`n` positions.  `rows` int64[n]: the row of `batch` that stands there.

    `line_start`, `line_end`, `peer_start`, `peer_end` int64[n]: the ranges of the position's line and peers;
    `group` int64[n]: its group of peers; `group_starts` int64[g + 1]: where each group starts, and n.
    `places` int64[n]: how many rows of its partition stand before the position's line, `groups_before` int64[n]
    how many groups, and `sums_before` int64[width, n] what they add up to: zero where a line is a whole partition.
    """

    batch: Batch
    rows: Indices
    line_start: Ints
    line_end: Ints
    peer_start: Ints
    peer_end: Ints
    group: Ints
    group_starts: Ints
    places: Ints
    groups_before: Ints
    sums_before: Ints

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def positions(self) -> Ints:
        return np.arange(len(self.rows))

    def column(self, index: int) -> pa.Array:
        """The input's column at every position: n values."""
        return self.batch.columns[index].take(pa.array(self.rows))


def layout(batch: Batch, rows: Indices, line: Ints, peers: Ints) -> Layout:
    """`line` and `peers` int64[n] change where a line, or within it a group of peers, begins."""
    n = len(rows)
    new_line = changes(line)
    new_peers = new_line | changes(peers)
    line_start, line_end = _ranges(new_line)
    peer_start, peer_end = _ranges(new_peers)
    none = np.zeros(n, np.int64)
    return Layout(
        batch,
        rows,
        line_start,
        line_end,
        peer_start,
        peer_end,
        np.cumsum(new_peers) - 1,
        np.append(np.flatnonzero(new_peers), n),
        none,
        none,
        np.zeros((0, n), np.int64),
    )


def changes(values: Ints) -> Mask:
    """Where a value differs from the one before it; the first one does: bool[n]."""
    out: Mask = np.ones(len(values), np.bool_)
    out[1:] = values[1:] != values[:-1]
    return out


def _ranges(starts: Mask) -> tuple[Ints, Ints]:
    first = np.flatnonzero(starts)
    lengths = np.diff(first, append=len(starts))
    return np.repeat(first, lengths), np.repeat(first + lengths, lengths)
