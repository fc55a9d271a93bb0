"""What a replica was told of the parts of a table or view, in which it looks rows up."""

from __future__ import annotations

from ...persist.mirror import Mirror
from ...persist.part import ShardId
from ...replica.protocol import StoredChange
from ...repr.schema import Schema


class ToldParts:
    """What is there, as one replica knows it: all updates below `upper`.  Changes are to be sent in the order in which they were asked for."""

    def __init__(self, mirror: Mirror) -> None:
        self.upper = 0
        self._mirror = mirror
        self._of: tuple[ShardId, Schema, tuple[int, ...]] | None = None
        self._version = 0
        self._numbers: dict[tuple[int, int], int] = {}
        self._next = 0

    def change(self, shard: ShardId, schema: Schema, key: tuple[int, ...]) -> StoredChange | None:
        """What is to be told now of the shard, of rows of `schema` that are looked up by the columns at the positions `key`;
        None: nothing."""
        of = shard, schema, key
        begin = None
        if of != self._of:
            self._of, begin = of, (schema, key)
            self._numbers = {}
        elif self._mirror.version(shard) == self._version:
            return None
        head, batches = self._mirror.batches(shard)
        self._version, self.upper = head.version, head.upper
        there = {(batch.lower, batch.version): batch for batch in batches}
        gone = [name for name in self._numbers if name not in there]
        numbers = tuple(self._numbers.pop(name) for name in gone)
        added = []
        for name, batch in there.items():
            if name not in self._numbers:
                self._numbers[name] = self._next
                added.append((self._next, batch.parts))
                self._next += 1
        if begin is None and not added and not gone:
            return None
        return StoredChange(begin, tuple(added), numbers)
