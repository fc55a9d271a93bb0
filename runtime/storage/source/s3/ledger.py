"""Which objects were read to their ends, and what they were then.

Each is a row beside the source's position (`coord/storage/remap.py`), a text: `[["key", "version", size]]`.  So a commit records the
objects that it has, however many there are already.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ....repr.batch import Batch
from ...changes import Changes
from .bucket import Found

_BEGIN = "[["


class Ledger:
    def __init__(self, recorded: Iterable[Batch] = ()) -> None:
        """`recorded` are updates of the rows beside the position, those of others among them."""
        self._known: dict[str, Found] = {}
        for batch in recorded:
            (texts,) = batch.columns
            for ((key, version, size),) in json.loads(f"[{','.join(_own(texts).to_pylist())}]"):
                self._known[key] = Found(key, version, size)

    def __len__(self) -> int:
        return len(self._known)

    def __contains__(self, key: str) -> bool:
        return key in self._known

    @property
    def last(self) -> str | None:
        """The greatest key."""
        return max(self._known, default=None)

    def add(self, found: Iterable[Found]) -> None:
        self._known.update((each.key, each) for each in found)

    def compare(self, listed: Sequence[Found]) -> tuple[list[Found], Found | None, str | None]:
        """Of all objects there are now: those that are new, one that has changed, and the key of one that has vanished."""
        known = self._known
        new = [each for each in listed if each.key not in known]
        changed = next((each for each in listed if known.get(each.key, each) != each), None)
        vanished = None
        if len(listed) - len(new) < len(known):
            vanished = min(known.keys() - {each.key for each in listed})
        return new, changed, vanished


def ledger_rows(found: Sequence[Found]) -> Changes:
    """What is recorded of objects that were read."""
    texts = [json.dumps([[each.key, each.version, each.size]], separators=(",", ":")) for each in found]
    return Changes((pa.array(texts, pa.string()),), np.ones(len(texts), np.int64))


def _own(texts: pa.Array) -> pa.Array:
    return texts.filter(pc.starts_with(texts, _BEGIN))
