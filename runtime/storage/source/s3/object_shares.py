"""The objects of an S3 source as shares: many small ones together, a large one alone, one of Parquet or Avro in pieces."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...shares import WHOLE, Share, Sizes, pieces_of
from .bucket import Found


def object_shares(
    waiting: Iterable[Found], position: Mapping[str, Any] | None, sizes: Sizes, *, divisible: bool
) -> tuple[list[Found], list[Share]]:
    """Those of the objects that one commit may have, and their shares; with a `position` the first was begun.  `divisible` ones are
    read in pieces where they are large."""
    taken: list[Found] = []
    shares: list[Share] = []
    small: list[Found] = []
    total = 0
    for found in waiting:
        if taken and (total + found.size > sizes.most_bytes or len(taken) >= sizes.most_files):
            break
        total += found.size
        taken.append(found)
        if position is not None and len(taken) == 1:
            # Of its ledger the task knows nothing.
            shares.append(Share([found], {**position, "objects": 0}, found.size))
        elif found.size >= sizes.share:
            pieces = pieces_of(found.size, sizes.piece) if divisible else (WHOLE,)
            shares += [Share([found], None, found.size // len(pieces), piece) for piece in pieces]
        else:
            small.append(found)
    return taken, shares + _together(small, sizes.share)


def _together(objects: Sequence[Found], most: int) -> list[Share]:
    shares: list[Share] = []
    group: list[Found] = []
    nbytes = 0
    for found in objects:
        if group and nbytes + found.size > most:
            shares.append(Share(group, None, nbytes))
            group, nbytes = [], 0
        group.append(found)
        nbytes += found.size
    return [*shares, Share(group, None, nbytes)] if group else shares
