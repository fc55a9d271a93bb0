"""How far a stream has told a relation's changes: what Spark keeps in the query's checkpoint.

```
begin                     upper
  | told ................ | to come
```

An offset says all that a restarted query needs: the shard, so that another relation under the same name is not taken for
it; who holds the history; and where the stream has begun, since Spark forgets the initial offset of a query that fails in its first
batch, and asks for another one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..errors import InvalidParameter

VERSION = 1


@dataclass(frozen=True, slots=True)
class Offset:
    """All updates in `[begin, upper)` have been told; with `snapshot` those at `begin` are the contents at that time."""

    shard: str
    holder: str
    begin: int
    snapshot: bool
    upper: int

    @property
    def contents_first(self) -> bool:
        return self.snapshot and self.upper == self.begin

    @property
    def since(self) -> int:
        """What comes next can be read while the shard is readable from here on."""
        return self.upper if self.contents_first else self.upper - 1

    def at(self, upper: int) -> Offset:
        return replace(self, upper=upper)

    def to_json(self) -> dict[str, Any]:
        """Spark compares offsets as texts: the same offset is always written the same."""
        return {
            "version": VERSION,
            "shard": self.shard,
            "holder": self.holder,
            "begin": self.begin,
            "snapshot": self.snapshot,
            "upper": self.upper,
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Offset:
        """InvalidParameter if it is of a newer release, or of another source."""
        version = values.get("version")
        if version != VERSION:
            raise InvalidParameter(
                f"the query's checkpoint has offsets of version {version}, and this release knows version {VERSION}",
                hint="Go on with the release that wrote it, or begin with a new checkpoint.",
            )
        return cls(values["shard"], values["holder"], values["begin"], values["snapshot"], values["upper"])
