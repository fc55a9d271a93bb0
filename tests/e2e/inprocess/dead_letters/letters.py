"""What tests of dead letters of FILE sources say to a runtime."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import psycopg

Db = psycopg.Connection[tuple[Any, ...]]

BAD = ('{"id": "x"}', "junk", '{"n": 1}')
REASONS = (
    'column "id": invalid input syntax for type integer: "x"',
    "invalid input syntax for type json: junk",
    'column "id": null value in column "id" violates not-null constraint',
)


def create(db: Db, file: Path, more: str = "", name: str = "s", format: str = "JSON") -> None:
    options = "WITH (ON ERROR = DEAD LETTER)"
    db.execute(
        f"CREATE SOURCE {name} (id int NOT NULL, n int) FROM FILE '{file}' FORMAT {format} {more} {options}".encode()
    )


def lines(*records: str) -> str:
    return "".join(f"{record}\n" for record in records)


def letters(file: Path, source: str = "s") -> list[tuple[Any, ...]]:
    places = (2, 4, 5)
    return [
        (file.name, line, bad.encode(), f'source "{source}", file "{file.name}", line {line}: {reason}')
        for line, bad, reason in zip(places, BAD, REASONS, strict=True)
    ]
