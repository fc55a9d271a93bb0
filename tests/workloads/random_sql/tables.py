"""The two tables that random queries read, with indexes, and random changes of them.

Few values, so that keys meet: NULLs, equal rows and equal keys are common.
"""

from __future__ import annotations

from random import Random

INT, TEXT, NUMERIC, FLOAT, BOOL = "bigint", "text", "numeric", "double precision", "boolean"

SCHEMA = (
    "CREATE TABLE t (a bigint, b bigint, c numeric(10, 2), d text, e double precision, f boolean)",
    "CREATE TABLE u (a bigint, b bigint, d text, f boolean)",
)
INDEXES = ("CREATE INDEX t_a ON t (a)", "CREATE INDEX t_b ON t (b)", "CREATE INDEX u_a ON u (a)")
TABLES = {
    "t": (("a", INT), ("b", INT), ("c", NUMERIC), ("d", TEXT), ("e", FLOAT), ("f", BOOL)),
    "u": (("a", INT), ("b", INT), ("d", TEXT), ("f", BOOL)),
}
LITERALS = {
    INT: ("0", "1", "2", "3", "-1", "NULL"),
    TEXT: ("''", "'a'", "'b'", "'ab'", "NULL"),
    NUMERIC: ("0.00", "1.25", "-2.50", "3.10", "NULL"),
    FLOAT: ("0.25", "1.5", "-2.0", "0.0", "NULL"),
    BOOL: ("TRUE", "FALSE", "NULL"),
}

Columns = tuple[tuple[str, str], ...]
"""(name, type) of every column."""


def row(random: Random, table: str) -> str:
    """One row of the table as a list of literals for VALUES."""
    return f"({', '.join(random.choice(LITERALS[type_]) for _, type_ in TABLES[table])})"


def changes(random: Random, rows: int) -> list[str]:
    """The statements of one transaction: inserts of `rows` rows, and deletions and updates of a few."""
    statements = []
    for table in TABLES:
        values = ", ".join(row(random, table) for _ in range(random.randrange(1, rows + 1)))
        statements.append(f"INSERT INTO {table} VALUES {values}")
        key, literal = random.choice("ab"), random.choice(LITERALS[INT][:-1])
        other = random.choice(LITERALS[TEXT])
        statements.append(
            random.choice(
                (
                    f"DELETE FROM {table} WHERE {key} = {literal} AND f IS NOT TRUE",
                    f"DELETE FROM {table} WHERE d = {other}",
                    f"UPDATE {table} SET b = a, d = {other} WHERE {key} = {literal}",
                    f"UPDATE {table} SET a = b + 1 WHERE d IS NULL",
                )
            )
        )
    random.shuffle(statements)
    return statements
