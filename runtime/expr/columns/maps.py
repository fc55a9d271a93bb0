"""Maps as Arrow has them: lists of entries, records of a key and a value, in order of the keys, each key once.

So equal maps are equal lists, and their order is that of their entries.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...repr.buffers import fields, present
from ...repr.order import sort_indices
from .lists import counts_of, list_array, owners_of


def keyed(entries: pa.Array) -> pa.Array:
    """Maps of lists of entries: those without a key are left out, and of those of one key all but the last."""
    owners = owners_of(counts_of(entries))
    pairs = entries.flatten()
    keys = fields(pairs)[0]
    kept = np.flatnonzero(present(keys))
    if len(kept) < len(keys):
        owners, keys = owners[kept], keys.take(pa.array(kept))
    order = sort_indices([pa.array(owners), keys], [False, False], [False, False])
    owners, kept, keys = owners[order], kept[order], keys.take(pa.array(order))
    last = np.ones(len(kept), np.bool_)
    if len(kept) > 1:
        same_key = np.asarray(pc.equal(keys[1:], keys[:-1]))
        last[:-1] = (owners[1:] != owners[:-1]) | ~same_key
    counts = np.bincount(owners[last], minlength=len(entries)).astype(np.int64)
    return list_array(pairs.take(pa.array(kept[last])), counts, present(entries))
