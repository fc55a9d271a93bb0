"""What CREATE SINK ... INTO POSTGRES asks for, and which of it goes together with the columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ....errors import InvalidParameter, Unsupported
from ....repr.schema import Schema
from ..change_records import SinkEnvelope
from .columns import column_type

PROGRESS_TABLE = "ptvc_sink_progress"
TIMESTAMP_COLUMN, DIFF_COLUMN = "mz_timestamp", "mz_diff"
"""Behind the columns of a change log: when the row changed, and how many of it came (or went, below 0)."""


@dataclass(frozen=True, slots=True)
class PostgresSinkOptions:
    """`connection` is the id of one, `identity` what tells the sink from all others of the world.  The table, and the one in which
    the sink keeps how far it is, are in `schema`."""

    connection: str
    table: str
    schema: str = "public"
    snapshot: bool = True
    identity: str = ""

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> PostgresSinkOptions:
        return cls(**value)

    @property
    def connections(self) -> tuple[str, ...]:
        """The ids of all that it writes through."""
        return (self.connection,)


def check_options(
    options: PostgresSinkOptions, schema: Schema, envelope: SinkEnvelope, key: Sequence[int]
) -> None:
    """Raises InvalidParameter or Unsupported for options, columns, an envelope and a key that do not go together."""
    if envelope is SinkEnvelope.DEBEZIUM:
        raise Unsupported(
            "ENVELOPE DEBEZIUM is not supported for PostgreSQL",
            hint="UPSERT keeps the rows by their key, NONE writes a row for each change.",
        )
    if envelope is SinkEnvelope.UPSERT and not key:
        raise InvalidParameter("ENVELOPE UPSERT needs a key", hint="Name its columns: KEY (a, b).")
    if envelope is SinkEnvelope.UPSERT and not options.snapshot:
        raise InvalidParameter(
            "ENVELOPE UPSERT needs the contents that the sink begins with",
            hint="Leave out SNAPSHOT = false, or write changes alone: ENVELOPE NONE.",
        )
    names = list(schema.names)
    if envelope is SinkEnvelope.NONE:
        names += (TIMESTAMP_COLUMN, DIFF_COLUMN)
    for name in names:
        if names.count(name) > 1:
            raise InvalidParameter(
                f'column "{name}" occurs more than once in the table', hint="Give the columns distinct names."
            )
    for column in schema:
        column_type(column)
