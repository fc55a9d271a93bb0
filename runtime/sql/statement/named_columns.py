"""Whether a part of a statement names columns: then the statement reads them, and its table must be readable.

It follows from the syntax tree, so a name of another table counts, too: a role that may not read a table cannot UPDATE it FROM
another one.  PostgreSQL lets that through if none of the names is the table's own.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass

from ..syntax import ast
from ..syntax.data_statements import InsertStatement


def names_columns(*parts: object) -> bool:
    pending = list(parts)
    while pending:
        part = pending.pop()
        if isinstance(part, ast.Name | ast.Star):
            return True
        if isinstance(part, list | tuple):
            pending.extend(part)
        elif is_dataclass(part):
            pending.extend(getattr(part, field.name) for field in fields(part))
    return False


def inserting_reads(node: InsertStatement) -> bool:
    """Whether an INSERT reads its table: for RETURNING, or for what ON CONFLICT looks at."""
    conflict = node.conflict
    decided = conflict is not None and (conflict.columns is not None or conflict.constraint is not None)
    return decided or names_columns(node.returning)
