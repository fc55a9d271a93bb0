"""Handing memory back to the system after large work.

Hydrating a join of 1M rows leaves 27 MiB of state and 80 MiB that Arrow's and the C library's allocators keep for the
next such step, which does not come: changes are small.  To hand it back takes some milliseconds, and as much again when
it is needed after all, so it is done

- after a step that moved RELEASE_ROWS rows;
- by the thread that merges, as often as merges have moved RELEASE_MERGED_ROWS rows together: steps and merges of
  10,000 rows leave 50 MiB between twice as many;
- by that thread when nothing was merged for a second: what is left then is the state;
- after each task of a job, in a worker that may have nothing to do from then on.
"""

from __future__ import annotations

import ctypes

import pyarrow as pa

RELEASE_ROWS = 1 << 19
RELEASE_MERGED_ROWS = 1 << 20

_trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
"""Only glibc has it; other C libraries hand memory back on their own."""


_merged_rows = 0


def release_merged(rows: int) -> None:
    """Called beside the steps, after a merge of `rows` rows.  (Two threads that merge at once may lose count of one
    merge: then the next comes a little later.)"""
    global _merged_rows
    _merged_rows += rows
    if _merged_rows >= RELEASE_MERGED_ROWS:
        release_rest()


def unreleased() -> bool:
    """Whether there were merges since memory was last handed back on their account."""
    return _merged_rows > 0


def release_rest() -> None:
    """Called beside the steps, when merges have come to rest."""
    global _merged_rows
    _merged_rows = 0
    release_memory(RELEASE_ROWS)


def release_memory(rows: int) -> None:
    """Called after work that moved `rows` rows."""
    if rows >= RELEASE_ROWS:
        hand_back()


def hand_back() -> None:
    """Called after work of which it is known that nothing like it follows."""
    pa.default_memory_pool().release_unused()
    if _trim is not None:
        _trim(0)
