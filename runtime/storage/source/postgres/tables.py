"""Tables upstream, as they were when something was made of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..upstream.tables import TableThere


@dataclass(frozen=True, slots=True)
class UpstreamColumn:
    """`type_name` is as PostgreSQL's format_type prints the type that `type_oid` and `typmod` are.  `number` is another one when the
    column was dropped, and one of the same name came."""

    name: str
    number: int
    type_oid: int
    typmod: int
    type_name: str
    nullable: bool

    @property
    def is_text(self) -> bool:
        """Whether it is text without being asked for as such."""
        return self.type_name == "text"


@dataclass(frozen=True, slots=True)
class UpstreamTable(TableThere[UpstreamColumn]):
    """A table of a publication, or the columns of it that something was made of.

    `membership` says what makes it a member of the publication: it is another one when the table was taken out, and put in again.
    `identity` is its replica identity (d: by key, f: full, i: by an index, n: none).
    """

    oid: int
    membership: str
    identity: str

    def to_json(self) -> str:
        columns = [
            [column.name, column.number, column.type_oid, column.typmod, column.type_name, column.nullable]
            for column in self.columns
        ]
        fields = (
            {name: getattr(self, name) for name in _PLAIN}
            | {"columns": columns}
            | {name: list(getattr(self, name)) for name in _NAMES}
            | ({"names_rows": True} if self.names_rows else {})
        )
        return json.dumps(fields, separators=(",", ":"), sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> UpstreamTable:
        fields: Mapping[str, Any] = json.loads(text)
        columns = tuple(UpstreamColumn(*column) for column in fields["columns"])
        names: dict[str, Any] = {name: tuple(fields[name]) for name in _NAMES}
        return cls(
            **{name: fields[name] for name in _PLAIN},
            columns=columns,
            names_rows=fields.get("names_rows", False),
            **names,
        )


_PLAIN = ("oid", "schema", "name", "membership", "identity")
_NAMES = ("key", "excluded")


@dataclass(frozen=True, slots=True)
class Published:
    """What a publication had when it was asked.  `connection` is the id of one, to `database`; `timeline_id` is None where the server
    does not say."""

    connection: str
    publication: str
    database: str
    tables: tuple[UpstreamTable, ...]
    timeline_id: int | None = None

    @property
    def named(self) -> str:
        return f'publication "{self.publication}"'

    @property
    def remedy(self) -> str:
        """How it comes to have another table."""
        return f'upstream ALTER PUBLICATION "{self.publication}" ADD TABLE ... adds one.'
