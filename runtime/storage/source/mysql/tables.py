"""Tables of a server, as they were when something was made of them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..upstream.tables import TableThere

TEXTS = frozenset(("char", "varchar", "tinytext", "text", "mediumtext", "longtext"))
BINARIES = frozenset(("binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob"))
INTEGERS = {"tinyint": 1, "smallint": 2, "mediumint": 3, "int": 4, "bigint": 8}
FLOATS = {"float": 4, "double": 8}
"""Kinds of columns, of numbers with their bytes."""

_LABEL = re.compile(r"'((?:[^'\\]|''|\\.)*)'")
_ESCAPES = {"0": "\0", "n": "\n", "r": "\r", "Z": "\x1a"}


@dataclass(frozen=True, slots=True)
class MysqlColumn:
    """`type_name` is as information_schema's COLUMN_TYPE has it, `charset` the name of the character set, None of what is no text."""

    name: str
    type_name: str
    nullable: bool
    charset: str | None = None

    @property
    def kind(self) -> str:
        """The type without its parameters, such as `decimal`."""
        return re.split(r"[ (]", self.type_name, maxsplit=1)[0]

    @property
    def is_text(self) -> bool:
        """Whether it is text without being asked for as such."""
        return self.kind in TEXTS

    @property
    def unsigned(self) -> bool:
        return bool(re.search(r"\bunsigned\b", self.type_name))

    @property
    def parameters(self) -> tuple[int, ...]:
        """Those that are numbers, such as precision and scale."""
        found = re.match(r"\w+\(([0-9,]+)\)", self.type_name)
        return () if found is None else tuple(map(int, found[1].split(",")))

    @property
    def labels(self) -> tuple[str, ...]:
        """Of `enum` and `set`."""
        _, _, listed = self.type_name.partition("(")
        return tuple(
            re.sub(
                r"\\(.)",
                lambda found: _ESCAPES.get(found[1], found[1]),
                label.replace("''", "'"),
                flags=re.DOTALL,
            )
            for label in _LABEL.findall(listed)
        )


@dataclass(frozen=True, slots=True)
class MysqlTable(TableThere[MysqlColumn]):
    """A table of the server, or the columns of it that something was made of.

    `layout` are the names of all of its columns, in order, where the server's log does not have them: it is of MySQL before 8.0.
    """

    layout: tuple[str, ...] = ()

    def to_json(self) -> str:
        fields = {
            "server": "mysql",
            "schema": self.schema,
            "name": self.name,
            "columns": [[c.name, c.type_name, c.nullable, c.charset] for c in self.columns],
            "key": list(self.key),
            "excluded": list(self.excluded),
            **({"layout": list(self.layout)} if self.layout else {}),
            **({"names_rows": True} if self.names_rows else {}),
        }
        return json.dumps(fields, separators=(",", ":"), sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> MysqlTable:
        fields: Mapping[str, Any] = json.loads(text)
        return cls(
            fields["schema"],
            fields["name"],
            tuple(MysqlColumn(*column) for column in fields["columns"]),
            key=tuple(fields["key"]),
            excluded=tuple(fields["excluded"]),
            layout=tuple(fields.get("layout", ())),
            names_rows=fields.get("names_rows", False),
        )


@dataclass(frozen=True, slots=True)
class MysqlTables:
    """What a server had when it was asked.  `connection` is the id of one."""

    connection: str
    tables: tuple[MysqlTable, ...]

    @property
    def publication(self) -> None:
        """There is none: the whole log is read."""

    @property
    def database(self) -> None:
        """There is none above schemas."""

    @property
    def named(self) -> str:
        return "the server"

    @property
    def remedy(self) -> str:
        """How it comes to have another table."""
        return "those are offered that the connection's user may SELECT."
