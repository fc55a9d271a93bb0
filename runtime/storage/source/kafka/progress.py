"""The position as rows: (partition, offset), the next offset of each."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from ....repr.schema import Column, Schema
from ....repr.types import INT4, UINT8
from ...changes import Changes
from .position import Offsets

PROGRESS_SCHEMA = Schema((Column("partition", INT4, False), Column("offset", UINT8, False)))


def progress_changes(before: Offsets, now: Offsets) -> Changes:
    """From the rows of the one position to those of the other."""
    gone = sorted(set(before.items()) - set(now.items()))
    come = sorted(set(now.items()) - set(before.items()))
    rows = gone + come
    return Changes(
        (
            pa.array([partition for partition, _ in rows], INT4.arrow),
            pa.array([offset for _, offset in rows], UINT8.arrow),
        ),
        np.array([-1] * len(gone) + [1] * len(come), np.int64),
    )
