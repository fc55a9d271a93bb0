"""A look-up in parts: which of their rows a reader asks for, by the values of some columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ..repr.batch import Indices
from ..repr.buffers import Words
from ..repr.hash import hash_columns
from ..repr.order import hash_order


@dataclass(frozen=True, slots=True)
class KeySearch:
    """Asks for the rows whose columns at the positions `columns` have one of `hashes`: no others need to be read."""

    columns: tuple[int, ...]
    hashes: Words


def key_order(columns: Sequence[pa.Array], length: int) -> pa.StructArray:
    """The rows in the order of the hashes of these columns: by it, `positions` finds some of them."""
    hashes = hash_columns(columns, length)
    order = hash_order(hashes)
    return pa.StructArray.from_arrays(
        [pa.array(hashes[order]), pa.array(order.astype(np.uint32))], ["hash", "row"]
    )


def positions(ordered: pa.StructArray, wanted: Words) -> Indices:
    """Where the rows of the hashes `wanted` are, in order; `ordered` is of `key_order`."""
    hashes, rows = (values.to_numpy() for values in ordered.flatten())
    wanted = np.unique(wanted)
    starts = np.searchsorted(hashes, wanted, "left")
    counts = np.searchsorted(hashes, wanted, "right") - starts
    ends = np.cumsum(counts)
    found = np.repeat(starts - (ends - counts), counts) + np.arange(ends[-1] if len(ends) else 0)
    return np.sort(rows[found]).astype(np.int64)
