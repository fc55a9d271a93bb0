"""Handing memory back to the system after large work.

Hydrating a join of 1M rows leaves 44 MiB of state and 80 MiB that Arrow's and the C library's allocators keep for the
next such step, which does not come: changes are small.  To hand it back takes some milliseconds, so only what moved
RELEASE_ROWS rows does it.  Merges of fewer rows leave as much in the end (78 MiB after 600,000 changes to that join): they
do it as often as they have moved so many rows together.
"""

from __future__ import annotations

import ctypes

import pyarrow as pa

RELEASE_ROWS = 1 << 19

_trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
"""Only glibc has it; other C libraries hand memory back on their own."""


_merged_rows = 0


def release_merged(rows: int) -> None:
    """Called beside the steps, after a merge of `rows` rows.  (Two threads that merge at once may lose count of one
    merge: then the next comes a little later.)"""
    global _merged_rows
    _merged_rows += rows
    if _merged_rows >= RELEASE_ROWS:
        _merged_rows = 0
        release_memory(RELEASE_ROWS)


def release_memory(rows: int) -> None:
    """Called after work that moved `rows` rows."""
    if rows < RELEASE_ROWS:
        return
    pa.default_memory_pool().release_unused()
    if _trim is not None:
        _trim(0)
