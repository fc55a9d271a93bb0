"""What CREATE SOURCE ... FROM POSTGRES asks for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class PostgresOptions:
    """`connection` is the id of one, `publication` is in its database, `slot` is the replication slot there, which nobody else has.
    `timeline_id` is the server's timeline when the source was created, None where it did not say.
    `snapshot_connections` copy contents, None: as many as seems good."""

    connection: str
    publication: str
    slot: str = ""
    timeline_id: int | None = None
    snapshot_connections: int | None = None

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> PostgresOptions:
        return cls(**value)

    @property
    def connections(self) -> tuple[str, ...]:
        """The ids of all that it reads through."""
        return (self.connection,)
