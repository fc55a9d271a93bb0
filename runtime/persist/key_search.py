"""A look-up in parts: which of their rows a reader asks for, by the values of some columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..repr.batch import Indices
from ..repr.buffers import Words
from ..repr.hash import hash_columns
from ..repr.order import hash_order


@dataclass(frozen=True, slots=True)
class KeySearch:
    """Asks for the rows whose columns at the positions `columns` have one of `hashes`, which are ascending and none of them twice: no
    others need to be read."""

    columns: tuple[int, ...]
    hashes: Words

    @classmethod
    def of(cls, columns: tuple[int, ...], keys: Sequence[pa.Array]) -> KeySearch:
        """For rows whose columns at those positions are, all together, a row of `keys`."""
        return cls(columns, ascending(hash_columns(keys, len(keys[0]))))


def ascending(hashes: Words) -> Words:
    """Each once."""
    found = np.sort(hashes)
    return found[np.concatenate(([True], found[1:] != found[:-1]))] if len(found) > 1 else found


def key_order(columns: Sequence[pa.Array], length: int) -> pa.StructArray:
    """The rows in the order of the hashes of these columns: by it, `positions` finds some of them."""
    hashes = hash_columns(columns, length)
    order = hash_order(hashes)
    return pa.StructArray.from_arrays(
        [pa.array(hashes[order]), pa.array(order.astype(np.uint32))], ["hash", "row"]
    )


def positions(ordered: pa.StructArray, wanted: Words) -> Indices:
    """Where the rows of the hashes `wanted` are, in order.  `ordered` is of `key_order`, `wanted` of `ascending`."""
    _, rows = _found(ordered, wanted)
    return np.sort(rows).astype(np.int64)


def pairs(ordered: pa.StructArray, wanted: Words) -> tuple[Indices, Indices]:
    """As `positions`, and before that which of `wanted` each row has, by its number."""
    numbers, rows = _found(ordered, wanted)
    order = np.argsort(rows)
    return numbers[order], rows[order].astype(np.int64)


def _found(ordered: pa.StructArray, wanted: Words) -> tuple[Indices, npt.NDArray[np.uint32]]:
    """The number of a hash, and a row that has it, of all such rows."""
    hashes, rows = (values.to_numpy() for values in ordered.flatten())
    first = hashes.searchsorted(wanted)
    found = (hashes.take(first, mode="clip") == wanted).nonzero()[0] if len(hashes) else first[:0]
    first = first[found]
    if (hashes.take(first + 1, mode="clip") == wanted[found]).any():  # some have several rows
        counts = hashes.searchsorted(wanted[found], "right") - first
        ends = np.cumsum(counts)
        first = np.repeat(first - (ends - counts), counts) + np.arange(ends[-1])
        found = found.repeat(counts)
    return found, rows[first]
