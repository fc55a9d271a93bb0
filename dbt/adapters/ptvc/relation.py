"""The name of an object, its kind, and the hash of the definition it was made from.

The hash travels in the definition's text as a comment (`/* dbt:hash=... */`), so the runtime's catalog holds it;
the relation cache reads it with the object's name, once per schema and run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dbt.adapters.base.relation import BaseRelation
from dbt.adapters.contracts.relation import Path, Policy
from dbt.adapters.utils import classproperty
from dbt_common.dataclass_schema import StrEnum
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.ptvc.staging.names import REFERENCES

MAX_IDENTIFIER_BYTES = 63

_FIRST_WORD = re.compile(r"(?:\s|--[^\n]*\n|/\*.*?\*/)*(?:\w+|\()", re.DOTALL)
_MARKER = re.compile(r"/\* dbt:hash=([0-9a-f]{64}) \*/")
_TEST = re.compile(r"/\* dbt:test=([^*]*) \*/")


class PtvcRelationType(StrEnum):
    """dbt's kinds of relation, and the runtime's own."""

    Table = "table"
    View = "view"
    CTE = "cte"
    MaterializedView = "materialized_view"
    Ephemeral = "ephemeral"
    External = "external"
    PointerTable = "pointer_table"
    Function = "function"
    Source = "source"
    Sink = "sink"
    Index = "index"


def marker(definition_hash: str) -> str:
    """The comment that carries a definition's hash."""
    return f"/* dbt:hash={definition_hash} */"


def mark(sql: str, definition_hash: str) -> str:
    """`sql` with the hash in its text."""
    return _with_comment(sql, marker(definition_hash))


def mark_as_test(sql: str, said: Mapping[str, Any]) -> str:
    """`sql` with what a test is in its text, as JSON: `ptvc watch` finds it there.  No star in it ends the comment."""
    text = json.dumps(said, sort_keys=True).replace("*", r"\u002a")
    return _with_comment(sql, f"/* dbt:test={text} */")


def _with_comment(sql: str, comment: str) -> str:
    """After the first word: a comment before that is not part of what the catalog keeps."""
    start = _FIRST_WORD.match(sql)
    if start is None:
        return f"{comment} {sql}"
    return f"{sql[: start.end()]} {comment}{sql[start.end() :]}"


def hash_in(text: str | None) -> str | None:
    """The hash that a definition's text carries, if dbt wrote it."""
    found = _MARKER.search(text or "")
    return found.group(1) if found else None


def said_of_test(text: str) -> str | None:
    """What `mark_as_test` has put into a text."""
    found = _TEST.search(text)
    return found.group(1) if found else None


def parse_kind(kind: str) -> PtvcRelationType:
    """The catalog's word for a kind (`materialized-view`, `MATERIALIZED VIEW`) as dbt's."""
    word = kind.strip().lower().replace("-", "_").replace(" ", "_")
    try:
        return PtvcRelationType(word)
    except ValueError:
        return PtvcRelationType.External


def shorten(identifier: str, suffix: str) -> str:
    """`identifier` with `suffix`, cut so that the whole fits PostgreSQL's 63 bytes."""
    room = MAX_IDENTIFIER_BYTES - len(suffix.encode())
    return identifier.encode()[:room].decode(errors="ignore") + suffix


@dataclass(frozen=True, eq=False, repr=False)
class PtvcRelation(BaseRelation):
    """`definition_hash` is None for what dbt did not make, for indexes, and for tables but those that sources write; of an index,
    the catalog keeps a statement in words of its own, `index_definition`."""

    type: PtvcRelationType | None = None  # type: ignore[assignment]
    definition_hash: str | None = None
    index_definition: str | None = None
    path: Path = field(default_factory=Path)
    include_policy: Policy = field(default_factory=lambda: Policy(database=False))
    quote_policy: Policy = field(default_factory=Policy)
    require_alias: bool = False

    @classmethod
    def create_from(cls, quoting: Any, relation_config: Any, **kwargs: Any) -> PtvcRelation:
        """The relation of a node: of one that this run has staged, where it is until the run ends."""
        relation: PtvcRelation = super().create_from(quoting, relation_config, **kwargs)
        schema = REFERENCES.schema_of((relation.schema, relation.identifier))
        describing = "quote_policy" in kwargs  # dbt's lines on what it does say where that goes
        return (
            relation if schema is None or relation.is_function or describing else relation.in_schema(schema)
        )

    def own_table(self, name: str) -> PtvcRelation:
        """Of a source whose text says FOR TABLES: the table of that name, which is made with it, in its schema.  What reads it by
        this is a reader of the source, to dbt as well."""
        return self.incorporate(path={"identifier": name}, type=PtvcRelationType.Table)  # type: ignore[no-any-return, no-untyped-call]

    def in_schema(self, schema: str | None) -> PtvcRelation:
        """The one of the same name there."""
        return self.incorporate(path={"schema": schema})  # type: ignore[no-any-return, no-untyped-call]

    def __post_init__(self) -> None:
        name = self.identifier
        if name is None or self.type in (None, PtvcRelationType.CTE, PtvcRelationType.Ephemeral):
            return
        if len(name.encode()) > MAX_IDENTIFIER_BYTES:
            raise DbtRuntimeError(
                f'relation name "{name}" is {len(name.encode())} bytes long; the runtime keeps {MAX_IDENTIFIER_BYTES}. '
                "Give the model a shorter `alias`."
            )

    @classproperty
    def get_relation_type(cls):  # type: ignore[no-untyped-def]  # the field `type` hides the built-in name here
        return PtvcRelationType

    @classproperty
    def MaterializedView(cls) -> str:
        return str(PtvcRelationType.MaterializedView)

    @property
    def is_materialized_view(self) -> bool:
        return self.type == PtvcRelationType.MaterializedView

    @property
    def is_source(self) -> bool:
        return self.type == PtvcRelationType.Source

    @property
    def is_sink(self) -> bool:
        return self.type == PtvcRelationType.Sink

    @property
    def is_index(self) -> bool:
        return self.type == PtvcRelationType.Index

    @property
    def rendered_schema(self) -> str:
        """The name of its schema, quoted as the relation says."""
        return self.include(database=False, identifier=False).render()

    @property
    def sql_kind(self) -> str:
        """The kind as DROP, ALTER and COMMENT spell it."""
        if self.type is None:
            raise DbtRuntimeError(
                f"the kind of {self.render()} is not known: it cannot be dropped or renamed."
            )
        return str(self.type).replace("_", " ")
