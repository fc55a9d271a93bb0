"""The queries of a script as maintained views: for each a materialized view, and an indexed one.

Views come in waves: the queries between two statements become views together, hydrate together, and are read when the
last has been created.  They stay, and hold after every later statement what the query answers then.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import psycopg

from .script import Record, Row, cells
from .subjects import Failure, rows, run

Answer = Counter[str] | Failure
"""A multiset of rows, each as a script shows it; order is the affair of the query, not of the view."""


def answer(connection: psycopg.Connection[Any], sql: str, record: Record) -> Answer:
    """What `sql`, which is the query or a view over it, says now."""
    found = run(connection, sql)
    return found if isinstance(found, Failure) else multiset(found, record)


def multiset(found: Sequence[Row], record: Record) -> Counter[str]:
    return Counter(" ".join(cells(row, record.types)) for row in found)


class Maintained:
    """Views `slt_m<n>` (materialized) and `slt_v<n>` (indexed) over the n-th query of the script."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self.connection = connection
        self.queries: list[Record] = []
        self._wave: list[tuple[Record, Counter[str]]] = []
        self._defined = 0

    def add(self, record: Record, found: Sequence[Row]) -> None:
        """To be created with the next wave; `found` is what the query answers now."""
        self._wave.append((record, multiset(found, record)))

    def flush(self) -> None:
        """Creates the wave and waits until it holds what its queries answered."""
        first = self._defined
        for record, _ in self._wave:
            columns = ", ".join(f"c{i}" for i in range(len(record.types)))
            m, v = _views(self._defined)
            rows(self.connection, f"CREATE MATERIALIZED VIEW {m} ({columns}) AS {record.sql}")
            rows(self.connection, f"CREATE VIEW {v} ({columns}) AS {record.sql}")
            rows(self.connection, f"CREATE DEFAULT INDEX ON {v}")
            self._defined += 1
        for number, (record, once) in enumerate(self._wave, first):
            for view in _views(number):
                self._compare(view, record, once, "at first")
            self.queries.append(record)
        self._wave.clear()

    def check(self, now: Sequence[Answer], when: str) -> None:
        """That both views of every query hold `now`, the answers of the queries in their order."""
        first = self._defined - len(self.queries)
        for number, (record, wanted) in enumerate(zip(self.queries, now, strict=True), first):
            for view in _views(number):
                self._compare(view, record, wanted, when)

    def _compare(self, view: str, record: Record, wanted: Answer, when: str) -> None:
        kept = answer(self.connection, f"SELECT * FROM {view}", record)
        where = f"line {record.number}, {view} {when}\n{record.sql}"
        if isinstance(wanted, Failure):  # which of several errors is reported is not defined
            assert isinstance(kept, Failure), f"{where}\n{wanted}\nbut the view answers"
        else:
            assert not isinstance(kept, Failure), f"{where}\n{kept}"
            assert kept == wanted, f"{where}\nthe view has {kept - wanted}\nit should have {wanted - kept}"

    def forget(self) -> None:
        """Drops the views: a definition is about to change what they are over."""
        for number in reversed(range(self._defined - len(self.queries), self._defined)):
            m, v = _views(number)
            rows(self.connection, f"DROP MATERIALIZED VIEW {m}")
            rows(self.connection, f"DROP VIEW {v}")
        self.queries.clear()


def _views(number: int) -> tuple[str, str]:
    return f"slt_m{number}", f"slt_v{number}"
