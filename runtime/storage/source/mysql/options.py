"""What CREATE SOURCE ... FROM MYSQL asks for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class MysqlOptions:
    """`connection` is the id of one.  `server_id` is what the source is known by among the server's replicas: of two with the same one
    the server ends the older."""

    connection: str
    server_id: int = 0

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> MysqlOptions:
        return cls(**value)

    @property
    def connections(self) -> tuple[str, ...]:
        """The ids of all that it reads through."""
        return (self.connection,)
