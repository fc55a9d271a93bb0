"""sqllogictest files: records of statements and queries with their expected results.

A record is a block of lines; blocks are separated by blank lines; `#` begins a comment::

    statement ok
    CREATE TABLE t (a int)

    statement error 22012
    SELECT 1 / 0

    query IT rowsort
    SELECT a, b FROM t
    ----
    1 x
    2 (empty)

`query` takes one letter per column (I integer, R number compared by value to twelve digits, T text) and an order:
`nosort` (the default: rows as they come), `rowsort`, `valuesort`.  A row is a line, its values separated by one space;
`NULL`, `(empty)`, and a space within a value as `␠`.  The pattern of `statement error` is searched in
`SQLSTATE message`.  `skipif x` and `onlyif x` before a record name a subject: `postgresql`, `ptvc`, `views` (the
query is not run through maintained views), or `changes` (what PostgreSQL answers depends on its plan when the tables hold
ties or rows in error, as they do after random changes).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation

Row = tuple[str | None, ...]


@dataclass(slots=True)
class Record:
    """`head` are the lines before SQL (comments and conditions too), `expected` those after `----`."""

    number: int
    head: list[str]
    sql: str
    expected: list[str] = field(default_factory=list)

    @property
    def words(self) -> list[str]:
        return self.head[-1].split()

    @property
    def is_query(self) -> bool:
        return self.words[0] == "query"

    @property
    def is_view(self) -> bool:
        """Whether a view may be defined as it: INSERT and its like with RETURNING are queries, too."""
        first = self.sql.lstrip("(").split()[0].upper()
        return self.is_query and first in ("SELECT", "WITH", "VALUES", "TABLE")

    @property
    def error(self) -> str | None:
        """The pattern of the error that is wanted; None for a statement that succeeds."""
        words = self.head[-1].split(None, 2)
        if words[:2] != ["statement", "error"]:
            return None
        return words[2] if len(words) > 2 else ""

    @property
    def types(self) -> str:
        return self.words[1]

    @property
    def order(self) -> str:
        return self.words[2] if len(self.words) > 2 else "nosort"

    def runs_on(self, subject: str) -> bool:
        conditions = [line.split() for line in self.head[:-1] if not line.startswith("#")]
        return all((words[0] == "onlyif") == (words[1] == subject) for words in conditions)

    def text(self) -> str:
        lines = [*self.head, self.sql]
        if self.is_query:
            lines += ["----", *self.expected]
        return "\n".join(lines)


def parse(text: str) -> list[Record]:
    """The records of a file; a block of comments alone is kept with the record after it."""
    records: list[Record] = []
    pending: list[str] = []
    number = 1
    for block in text.split("\n\n"):
        lines = block.strip("\n").split("\n")
        start = next((i for i, line in enumerate(lines) if line.startswith(("statement", "query"))), None)
        if start is None:
            pending += [line for line in lines if line]
        else:
            body = lines[start + 1 :]
            cut = body.index("----") if "----" in body else len(body)
            head = [*pending, *lines[: start + 1]]
            records.append(Record(number + start, head, "\n".join(body[:cut]), body[cut + 1 :]))
            _check(records[-1])
            pending = []
        number += block.count("\n") + 2
    assert not pending, f"comments without a record at the end: {pending}"
    return records


def render(records: Sequence[Record]) -> str:
    return "\n\n".join(record.text() for record in records) + "\n"


def _check(record: Record) -> None:
    where = f"line {record.number}"
    assert record.sql, f"{where}: no SQL"
    words = record.words
    if words[0] == "statement":
        assert words[1] in ("ok", "error", "any"), where
        return
    assert set(record.types) <= set("IRT"), where
    assert record.order in ("nosort", "rowsort", "valuesort"), where


def cells(row: Row, types: str) -> list[str]:
    assert len(row) == len(types), f"{len(row)} columns, not {len(types)}"
    return [_cell(value, type_) for value, type_ in zip(row, types, strict=True)]


def lines(rows: Sequence[Row], types: str, order: str) -> list[str]:
    """Rows as a file shows them."""
    shown = [cells(row, types) for row in rows]
    if order == "valuesort":
        return sorted(cell for row in shown for cell in row)
    found = [" ".join(row) for row in shown]
    return sorted(found) if order == "rowsort" else found


def _cell(value: str | None, type_: str) -> str:
    if value is None:
        return "NULL"
    if type_ == "R":
        return _number(value)
    if value == "":
        return "(empty)"
    return value.replace(" ", "␠").replace("\n", "␤").replace("\t", "␉")


def _number(text: str) -> str:
    """Quotients carry 38 digits here and about 16 in PostgreSQL; floats may differ in the last."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        return text
    if not number.is_finite():
        return text
    rounded = Decimal(f"{number:.11e}").normalize()
    return f"{rounded + 0:f}" if abs(rounded.adjusted()) < 25 else f"{rounded:e}"
