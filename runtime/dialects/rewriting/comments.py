"""Comments of a text, which are no tokens."""

from __future__ import annotations

import re

from ..reading import DIALECTS
from .edit import Edit

_FOREIGN = {"snowflake": "//", "databricks": None, "bigquery": "#", "duckdb": None, "redshift": None}


def comments_of(text: str, dialect: str) -> list[Edit]:
    """All comments between the tokens; the text of those that PostgreSQL writes otherwise, else they have none to be made."""
    found, at = [], 0
    for token in (*DIALECTS[dialect]().tokenize(text), None):
        end = len(text) if token is None else token.start
        found += [_comment(text, at, match, dialect) for match in _COMMENT.finditer(text[at:end])]
        at = end if token is None else token.end + 1
    return found


_COMMENT = re.compile(r"/\*.*?\*/|(--|//|#)[^\n]*", re.DOTALL)


def _comment(text: str, at: int, match: re.Match[str], dialect: str) -> Edit:
    start, end = at + match.start(), at + match.end()
    foreign = _FOREIGN[dialect]
    if foreign is not None and match[0].startswith(foreign):
        return Edit(start, end, f"--{match[0][len(foreign) :]}")
    return Edit(start, end, match[0])
