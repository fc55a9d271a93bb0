"""Writes the expected results of the scripts anew, from the embedded PostgreSQL: never from our own runtime.

python tests/slt/regenerate.py [name ...]

A name is a file's or a folder's, as `windows` or `windows/frames`.  A record without a head, that is bare SQL, is given one by what
PostgreSQL says: `statement ok`, `statement error`, or `query` with the types of its columns, and `rowsort` unless it ends in an
ORDER BY of its own.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import psycopg

TESTS = str(Path(__file__).parents[1])
sys.path.insert(0, TESTS)

from oracle import running_postgres  # noqa: E402

from slt.script import Record, lines, parse, render  # noqa: E402
from slt.subjects import Failure, run  # noqa: E402

FOLDER = Path(__file__).parent
_HEADS = ("statement ", "query ", "#", "skipif ", "onlyif ")
_INTEGERS = {20, 21, 23, 26}
_NUMBERS = {700, 701, 1700}


def regenerate(path: Path, connection: psycopg.Connection) -> None:
    """Stops at a statement that should succeed and does not, and at one that should fail and does not."""
    connection.execute("DROP SCHEMA IF EXISTS slt CASCADE")
    connection.execute("CREATE SCHEMA slt")
    records = parse(_with_heads(path.read_text()))
    for record in records:
        if not record.runs_on("postgresql"):
            continue
        if record.head[-1] == "statement any":
            _head(record, connection)
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


def _with_heads(text: str) -> str:
    """Blocks of bare SQL below a head that says so."""
    blocks = [block.strip("\n") for block in text.split("\n\n")]
    return "\n\n".join(
        block if block.startswith(_HEADS) or not block else f"statement any\n{block.rstrip(';')}"
        for block in blocks
    )


def _head(record: Record, connection: psycopg.Connection) -> None:
    """Asks PostgreSQL what kind of statement this is, and undoes it."""
    if record.sql.split()[0].upper() in ("BEGIN", "COMMIT", "ROLLBACK"):
        record.head[-1] = "statement ok"
        return
    inside = connection.info.transaction_status != psycopg.pq.TransactionStatus.IDLE
    connection.execute("SAVEPOINT asked" if inside else "BEGIN")
    try:
        description = connection.execute(record.sql).description  # type: ignore[arg-type]
        if description is None:
            record.head[-1] = "statement ok"
        else:
            types = "".join(
                "I" if column.type_code in _INTEGERS else "R" if column.type_code in _NUMBERS else "T"
                for column in description
            )
            outer = re.sub(
                r"\([^()]*\)", "", re.sub(r"\([^()]*\)", "", re.sub(r"\([^()]*\)", "", record.sql))
            )
            order = "" if re.search(r"order\s+by", outer, re.IGNORECASE) else " rowsort"
            record.head[-1] = f"query {types}{order}"
    except psycopg.Error:
        record.head[-1] = "statement error"
    connection.execute("ROLLBACK TO asked" if inside else "ROLLBACK")


def main(names: list[str]) -> None:
    with running_postgres() as uri, psycopg.connect(uri, autocommit=True) as connection:
        connection.execute("SET search_path = slt")
        for path in sorted(FOLDER.rglob("*.slt")):
            name = path.relative_to(FOLDER).with_suffix("").as_posix()
            if not names or name in names or path.parent.name in names:
                regenerate(path, connection)


if __name__ == "__main__":
    main(sys.argv[1:])
