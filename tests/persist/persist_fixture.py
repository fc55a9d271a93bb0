"""A small environment as each released format wrote it, kept in `fixtures/`; and rows of every type.

python persist_fixture.py fixtures/v2              after FORMAT_VERSION or an encoding has changed
python persist_fixture.py postgres_fixtures/v2     the same, with consensus in a server of its own
"""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import oracle
from persist_support import Contents, batch_of
from ptvc.clock import ManualClock
from ptvc.persist.blob.file import FileBlob
from ptvc.persist.client import PersistClient, Write
from ptvc.persist.consensus.base import Consensus
from ptvc.persist.consensus.postgres import PostgresConsensus
from ptvc.persist.consensus.sqlite import SqliteConsensus
from ptvc.persist.write import write_parts
from ptvc.repr.batch import Delta
from ptvc.repr.schema import ERROR_SCHEMA, Column, Schema
from ptvc.repr.types import (
    BOOL,
    CHAR,
    DATE,
    FLOAT4,
    FLOAT8,
    INT2,
    INT4,
    INT8,
    NAME,
    NUMERIC,
    OID,
    TEXT,
    TIMESTAMP,
    TIMESTAMPTZ,
    Kind,
    ScalarType,
    array_of,
    derived_numeric,
)
from servers.postgres_stores import url_of

EVERYTHING = Schema(
    tuple(
        Column(f"c {i}", type_)
        for i, type_ in enumerate(
            (
                BOOL,
                INT2,
                INT4,
                INT8,
                FLOAT4,
                FLOAT8,
                ScalarType(Kind.NUMERIC, 10, 2),
                derived_numeric(7),
                NUMERIC,
                TEXT,
                ScalarType(Kind.VARCHAR, length=5),
                NAME,
                CHAR,
                DATE,
                TIMESTAMP,
                TIMESTAMPTZ,
                OID,
                array_of(TEXT),
                array_of(NUMERIC),
            )
        )
    )
)
ROW = (
    True,
    -7,
    2**31 - 1,
    -(2**63),
    0.5,
    -0.0,
    Decimal("-12345678.90"),
    Decimal("0.0000001"),
    Decimal("1" * 38 + "." + "9" * 38),
    "grün\x01",
    "abcde",
    "n",
    "r",
    date(1, 1, 1),
    datetime(9999, 12, 31, 23, 59, 59, 999999),
    datetime(1969, 12, 31, tzinfo=UTC),
    2**32 - 1,
    ["a", None, ""],
    [Decimal("1.5")],
)
NULLS = (None,) * len(ROW)

SCHEMA_NAME = "fixture"
ERROR = ("22012", "division by zero")
LARGE = ("large " * 12_000).strip()


def contents() -> Contents:
    """What the fixture's shard holds at time 29."""
    keys = {("row", *_hashable(ROW)): 2, ("row", *_hashable(NULLS)): 1, ("error", *ERROR): 1}
    return Contents(keys)


def large_contents() -> Contents:
    return Contents({("row", LARGE): 1})


def _hashable(row: tuple[object, ...]) -> tuple[object, ...]:
    return tuple(tuple(value) if isinstance(value, list) else value for value in row)


def write(consensus: Consensus, directory: Path) -> None:
    """A shard with inline parts of every type, one with a blob, holds, an epoch and a mark."""
    client = PersistClient(consensus, FileBlob(directory / "blobs"), ManualClock())
    client.create_shard("every type", EVERYTHING, 10)
    errors = batch_of(ERROR_SCHEMA, [(ERROR, 12, 1)])
    delta = Delta(batch_of(EVERYTHING, [(ROW, 11, 2), (NULLS, 12, 1)]), errors)
    parts = write_parts(client.blob, "every type", EVERYTHING, delta, writer="fixture")
    epoch = client.take_epoch("coordinator")
    client.append({"every type": Write(10, 20, parts)}, writer="fixture", epoch=epoch, mark=1000)
    client.append({"every type": Write(20, 30)}, writer="fixture", epoch=epoch)
    text = Schema((Column("text", TEXT),))
    client.create_shard("large", text)
    delta = Delta(batch_of(text, [((LARGE,), 0, 1)]), errors.slice(0, 0))
    parts = write_parts(client.blob, "large", text, delta, writer="fixture")
    client.append({"large": Write(0, 1, parts)}, writer="fixture", epoch=epoch)
    client.set_hold("every type", "view", 15, critical=True, epoch=epoch)
    consensus.close()


def write_postgres(directory: Path) -> None:
    """The same, the tables as SQL text, in the schema `SCHEMA_NAME`."""
    with oracle.postgres_server() as server:
        write(PostgresConsensus(url_of(server.get_uri(), SCHEMA_NAME)), directory)
        program = str(server.bin_path / "pg_dump")
        arguments = ("--inserts", "--no-owner", f"--schema={SCHEMA_NAME}", server.get_uri())
        text = subprocess.run((program, *arguments), check=True, capture_output=True, text=True).stdout
    lines = [line for line in text.splitlines() if line and not line.startswith(("--", "\\", "SET "))]
    (directory / "consensus.sql").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    place = Path(sys.argv[1])
    place.mkdir(parents=True)
    if place.parent.name == "postgres_fixtures":
        write_postgres(place)
    else:
        write(SqliteConsensus(place / "consensus.sqlite"), place)
