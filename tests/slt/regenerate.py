"""Writes the expected results of the scripts anew, from the embedded PostgreSQL: never from our own runtime.

python tests/slt/regenerate.py [name ...]
"""

from __future__ import annotations

import sys
from pathlib import Path

import psycopg

TESTS = str(Path(__file__).parents[1])
sys.path.insert(0, TESTS)

from oracle import running_postgres  # noqa: E402

from slt.script import lines, parse, render  # noqa: E402
from slt.subjects import Failure, run  # noqa: E402


def regenerate(path: Path, connection: psycopg.Connection) -> None:
    """Stops at a statement that should succeed and does not, and at one that should fail and does not."""
    records = parse(path.read_text())
    connection.execute("DROP SCHEMA IF EXISTS slt CASCADE")
    connection.execute("CREATE SCHEMA slt")
    for record in records:
        if not record.runs_on("postgresql"):
            continue
        found = run(connection, record.sql)
        where = f"{path.name}:{record.number}: {found}\n{record.sql}"
        if record.error is not None:
            assert isinstance(found, Failure), where
            record.head[-1] = f"statement error {found.sqlstate}"
        else:
            assert not isinstance(found, Failure), where
            if record.is_query:
                record.expected = lines(found, record.types, record.order)
    path.write_text(render(records))


def main(names: list[str]) -> None:
    paths = sorted(Path(__file__).parent.glob("*.slt"))
    with running_postgres() as uri, psycopg.connect(uri, autocommit=True) as connection:
        connection.execute("SET search_path = slt")
        for path in paths:
            if not names or path.stem in names:
                regenerate(path, connection)


if __name__ == "__main__":
    main(sys.argv[1:])
