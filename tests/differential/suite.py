"""One statement, run here and in PostgreSQL, and what to say of the two answers.

A file of cases holds one statement per line (a line that begins with a space belongs to the one before; `--` begins a
comment).  The statements of a file run in their order, each by itself, on one connection on either side, over the tables
of world.sql.  An answer is rows as texts of the wire, with names and types of the columns; or the SQLSTATE of an error.

Verdicts:

- SAME: equal rows (as multisets; in order where the statement ends in ORDER BY), names and types of columns; or the same
  SQLSTATE.  By value where docs/sql/deviations.md says so: `numeric`, and floats within two units in the last place.
- REFUSED: 0A000 here.  Counted, never wrong.
- BEYOND: rows here, 0A000 there.
- DEVIATING: different, and deviations.sql has the statement under the row of docs/sql/deviations.md that explains it.
- WRONG: anything else.
"""

from __future__ import annotations

import enum
import math
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from ways import Variant

FOLDER = Path(__file__).parent
CASES = FOLDER / "cases"

Value = str | None


@dataclass(frozen=True, slots=True)
class Rows:
    """`columns` are names and type oids.  `tag` is what the command says of itself: `INSERT 0 2`."""

    columns: tuple[tuple[str, int], ...]
    rows: tuple[tuple[Value, ...], ...]
    tag: str


@dataclass(frozen=True, slots=True)
class Failure:
    sqlstate: str
    message: str


Answer = Rows | Failure


class Verdict(enum.Enum):
    SAME = "the same"
    REFUSED = "refused (0A000)"
    BEYOND = "answered, and refused by PostgreSQL"
    DEVIATING = "deviating"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class Finding:
    sql: str
    verdict: Verdict
    ours: Answer
    theirs: Answer

    def __str__(self) -> str:
        return f"{self.sql}\n    ours       {self.ours}\n    PostgreSQL {self.theirs}"


def statements(text: str) -> list[str]:
    """The statements of a file of cases."""
    found: list[str] = []
    for line in text.splitlines():
        if line.startswith((" ", "\t")) and found:
            found[-1] += "\n" + line
        elif line and not line.startswith("--"):
            found.append(line)
    return found


def files() -> list[Path]:
    return sorted(CASES.glob("**/*.sql"))


def deviations() -> dict[str, str]:
    """By statement: the row of docs/sql/deviations.md that explains why the answer is another."""
    found: dict[str, str] = {}
    row = ""
    for line in (FOLDER / "deviations.sql").read_text().splitlines():
        if line.startswith("-- | "):
            row = line.removeprefix("-- | ")
        elif line and not line.startswith("--"):
            found[line] = row
    return found


def ask(connection: psycopg.Connection[Any], sql: str) -> Answer:
    try:
        cursor = connection.execute(sql.encode())
    except psycopg.Error as error:
        if error.sqlstate is None:
            raise ConnectionError(f"the connection broke at {sql}") from error
        return Failure(error.sqlstate, error.diag.message_primary or "")
    result = cursor.pgresult
    assert result is not None
    columns = tuple(((result.fname(i) or b"").decode(), result.ftype(i)) for i in range(result.nfields))
    values = tuple(
        tuple(
            None if (value := result.get_value(row, column)) is None else value.decode()
            for column in range(result.nfields)
        )
        for row in range(result.ntuples)
    )
    return Rows(columns, values, (result.command_status or b"").decode())


def compare(sql: str, ours: Answer, theirs: Answer, known: dict[str, str]) -> Finding:
    if isinstance(ours, Failure) and ours.sqlstate == "0A000":
        same = isinstance(theirs, Failure) and theirs.sqlstate == "0A000"
        return Finding(sql, Verdict.SAME if same else Verdict.REFUSED, ours, theirs)
    if isinstance(ours, Rows) and isinstance(theirs, Failure) and theirs.sqlstate == "0A000":
        return Finding(sql, Verdict.BEYOND, ours, theirs)
    if _agree(sql, ours, theirs):
        return Finding(sql, Verdict.SAME, ours, theirs)
    return Finding(sql, Verdict.DEVIATING if sql in known else Verdict.WRONG, ours, theirs)


def _agree(sql: str, ours: Answer, theirs: Answer) -> bool:
    if isinstance(ours, Failure) or isinstance(theirs, Failure):
        return isinstance(ours, Failure) and isinstance(theirs, Failure) and ours.sqlstate == theirs.sqlstate
    if ours.columns != theirs.columns or ours.tag != theirs.tag:
        return False
    types = [oid for _, oid in ours.columns]
    mine = [tuple(map(_shown, row, types)) for row in ours.rows]
    wanted = [tuple(map(_shown, row, types)) for row in theirs.rows]
    if mine == wanted or (not _ordered(sql) and Counter(mine) == Counter(wanted)):
        return True
    if not _ordered(sql):
        mine, wanted = sorted(mine, key=repr), sorted(wanted, key=repr)
    return len(mine) == len(wanted) and all(
        all(map(_near, a, b, types)) for a, b in zip(mine, wanted, strict=True)
    )


_ORDERED = re.compile(r"\border\s+by\b[^()]*(\([^()]*\)[^()]*)*$", re.IGNORECASE)


def _ordered(sql: str) -> bool:
    last = _ORDERED.search(sql)
    return last is not None and last.group().count(")") == last.group().count("(")


_NUMERIC, _NUMERICS, _FLOATS, _FLOAT_ARRAYS = 1700, (1231, 3906, 3907), (700, 701), (1021, 1022)


def _shown(value: Value, oid: int) -> Value:
    """The value in the one form that equal values have."""
    if value is None or value in ("NaN", "Infinity", "-Infinity"):
        return value
    if oid == _NUMERIC:
        return _plain(value)
    if oid in _NUMERICS:
        return re.sub(r"-?\d+(\.\d+)?", lambda found: _plain(found.group()), value)
    return value


def _plain(number: str) -> str:
    whole, point, fraction = number.partition(".")
    return whole + (point + fraction.rstrip("0")).rstrip(".") if point else number


def _near(ours: Value, theirs: Value, oid: int) -> bool:
    if ours == theirs:
        return True
    if ours is None or theirs is None:
        return False
    if oid in _FLOATS:
        return _close(float(ours), float(theirs), oid == 700)
    if oid in _FLOAT_ARRAYS:
        mine, wanted = ours.strip("{}").split(","), theirs.strip("{}").split(",")
        return len(mine) == len(wanted) and all(
            a == b or (a != "NULL" and b != "NULL" and _close(float(a), float(b), oid == 1021))
            for a, b in zip(mine, wanted, strict=True)
        )
    return False


def _close(a: float, b: float, single: bool) -> bool:
    if math.isnan(a) or math.isnan(b) or math.isinf(a) or math.isinf(b):
        return a == b or (math.isnan(a) and math.isnan(b))
    unit = math.ulp(b) * (2**29 if single else 1)
    return abs(a - b) <= 2 * unit


class Subjects:
    """A connection to either side, in a schema of its own with the tables of world.sql.  With a `variant`, what is asked of ours is
    answered in its way."""

    def __init__(
        self,
        ours: psycopg.Connection[Any],
        theirs: psycopg.Connection[Any],
        variant: Variant | None = None,
    ) -> None:
        self.ours, self.theirs = ours, theirs
        self.variant = variant
        self.known = deviations()

    def run(self, sql: str) -> Finding:
        return compare(sql, ask(self.ours, sql), ask(self.theirs, sql), self.known)

    def run_in_its_way(self, sql: str) -> dict[str, Finding]:
        """By how the variant asks it."""
        assert self.variant is not None
        theirs = ask(self.theirs, sql)
        return {
            when: compare(sql, ask(self.ours, sql), theirs, self.known)
            for when in self.variant.asked(self.ours, sql)
        }


def build_world(connection: psycopg.Connection[Any], keyed: bool = False) -> None:
    """`keyed`: tables whose rows have different ids have a key."""
    for sql in statements((FOLDER / "world.sql").read_text()):
        if keyed:
            sql = re.sub(r"^CREATE TABLE (sales|every) \(id int", r"\g<0> PRIMARY KEY", sql)
        connection.execute(sql.encode())


def report(findings: Iterable[Finding]) -> str:
    return "\n".join(map(str, findings))
