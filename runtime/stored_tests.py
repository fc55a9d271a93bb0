"""Tests of dbt whose failures are stored as a view that stays up to date, as the catalog has them.

A test with `store_failures_as: materialized_view` (or `view`) is an object of its failing rows.  The adapter leaves a
comment in its text, `/* dbt:test={...} */`: which test it is, of which models, and what number of failures is too many.
So a connection is all that is needed to find such tests, and to judge them as dbt does.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Any

from psycopg import sql
from psycopg.abc import AdaptContext
from psycopg.types.string import TextLoader

FIND = """
SELECT o.oid, o.schema_name, o.name, d.definition
FROM mz_catalog.mz_objects o JOIN mz_internal.mz_definitions d ON d.oid = o.oid AND d.position = 0
WHERE o.type IN ('materialized-view', 'view')
ORDER BY o.schema_name, o.name
"""
_MARKER = re.compile(r"/\* dbt:test=(\{[^*]*\}) \*/")
_COUNT, _ANY = "count(*)", "!= 0"

Row = tuple[str | None, ...]


class Verdict(Enum):
    """Of a test, as dbt gives it.  `BROKEN`: its failures cannot be computed."""

    HOLDS = "holds"
    WARNS = "warns"
    FAILS = "fails"
    BROKEN = "cannot be computed"

    @property
    def is_violation(self) -> bool:
        return self in (Verdict.FAILS, Verdict.BROKEN)


@dataclass(frozen=True, slots=True)
class StoredTest:
    """`models` are the names of what it tests; `severity` is `error` or `warn`; the others are SQL, as in dbt's configs."""

    oid: int
    schema: str
    relation: str
    name: str
    models: tuple[str, ...]
    severity: str
    fail_calc: str
    warn_if: str
    error_if: str

    @classmethod
    def parse(cls, oid: int, schema: str, relation: str, definition: str) -> StoredTest | None:
        """None when the object holds no failures of a test."""
        found = _MARKER.search(definition)
        if found is None:
            return None
        fields: dict[str, Any] = json.loads(found[1])
        return cls(
            oid,
            schema,
            relation,
            str(fields["name"]),
            tuple(map(str, fields["models"])),
            str(fields["severity"]).lower(),
            str(fields["fail_calc"]),
            str(fields["warn_if"]),
            str(fields["error_if"]),
        )

    def __str__(self) -> str:
        of = f" of {', '.join(self.models)}" if self.models else ""
        return f"{self.name}{of}"

    @property
    def counts_rows(self) -> bool:
        """Whether every row is a failure, and one is too many: then the rows say all."""
        return (self.fail_calc, self.warn_if, self.error_if) == (_COUNT, _ANY, _ANY)

    @property
    def quoted(self) -> sql.Composable:
        return sql.Identifier(self.schema, self.relation)

    def judging(self) -> sql.Composed:
        """The query of two booleans: too many to warn, too many to fail."""
        parts = (f"({self.fail_calc}) {condition}" for condition in (self.warn_if, self.error_if))
        columns = sql.SQL(", ").join(sql.SQL(part) for part in parts)
        return sql.SQL("SELECT {} FROM (SELECT * FROM {}) dbt_internal_test").format(columns, self.quoted)

    def verdict(self, warn: bool | None, error: bool | None) -> Verdict:
        """`warn` and `error` are the columns of `judging`, or whether there is a row."""
        if self.severity == "error" and error:
            return Verdict.FAILS
        return Verdict.WARNS if warn else Verdict.HOLDS


def stored_tests(
    rows: Iterable[tuple[Any, ...]], schemas: Collection[str], names: Collection[str]
) -> list[StoredTest]:
    """From the rows of `FIND`: those in `schemas`, of the tests or models `names`; of all where none is named."""
    found = [StoredTest.parse(int(oid), schema, name, text) for oid, schema, name, text in rows]
    return [
        test
        for test in found
        if test is not None
        and (not schemas or test.schema in schemas)
        and (not names or not {test.name, test.relation, *test.models}.isdisjoint(names))
    ]


def read_as_text(connection: AdaptContext) -> None:
    """Values come as PostgreSQL writes them, whatever their type: to be shown and compared, no more."""
    adapters = connection.adapters
    assert adapters is not None
    for info in adapters.types:
        for oid in (info.oid, info.array_oid):
            if oid:
                adapters.register_loader(oid, TextLoader)


def shown(names: Iterable[str], row: Row) -> str:
    """A row for a human."""
    pairs = zip(names, row, strict=True)
    return " ".join(f"{name}={'NULL' if value is None else value}" for name, value in pairs)
