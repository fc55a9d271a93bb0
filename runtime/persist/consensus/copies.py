"""All of a consensus as rows, in one form for all implementations: what a copy of an environment is made of.

```
dump: one snapshot ── (table, some rows) ── (table, some rows) ... ──> load: one transaction
```

Left out is what means nothing to anybody but the processes that were there: leased holds, writers, and the names of
blobs that wait to be deleted.  Numbers stand for booleans.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from ...errors import InvalidParameter
from .base import Consensus

Write = Callable[[str, Sequence[Sequence[Any]]], None]
"""Takes some rows of a table."""
Dump = Callable[[Write], None]
"""Hands over all rows, once."""

ORACLE, IDENTITY, RESTORED = "oracle", "identity", "restored"
"""Names of marks: the oracle's, which environment this is, and the upper of the backup that it was restored from."""

ROWS_AT_ONCE = 1000

EPOCHS_AHEAD = 1 << 16
"""So many starts of the environment that a backup is of are behind the first one of what is restored: it fences them all where the two meet."""

TABLES: Mapping[str, Sequence[str]] = {
    "shard": ("id", "version", "rewrites", "start", "since", "upper", "schema", "dropped"),
    "schema": ("shard", "ordinal", "columns"),
    "batch": ("shard", "lower", "upper", "since", "version"),
    "part": ("shard", "lower", "ordinal", "metadata", "blob", "inline"),
    "hold": ("shard", "holder", "since", "critical", "lease_ms", "version", "beat"),
    "epoch": ("name", "value"),
    "mark": ("name", "value"),
}
CONDITIONS: Mapping[str, str] = {"hold": "critical", "mark": f"name = '{ORACLE}'"}
"""Of the rows that are handed over, where not all are."""
BOOLEANS = frozenset(("dropped", "critical"))


class DurableConsensus(Consensus, Protocol):
    def dump(self, write: Write) -> None:
        """Hand over all that is to be copied, as of one moment.  StorageError if that fails, perhaps after some rows."""

    def load(self, dump: Dump, identity: int, restored: int = 0) -> None:
        """Take what `dump` hands over, all or nothing, and become the environment `identity`.  InvalidParameter unless nothing was
        ever committed here.  `restored`, unless it is 0, is what `restored_upper` says from then on, and its epochs are ahead of those that
        are handed over."""


def not_empty(place: str) -> InvalidParameter:
    return InvalidParameter(
        f"{place} holds an environment already",
        hint="Restore into a place where nothing is: name another one, or remove what is there.",
    )
