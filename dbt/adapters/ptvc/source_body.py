"""The body of a source: what follows CREATE SOURCE name, of which a list of columns may be the beginning."""

from __future__ import annotations

import re

_TOKEN = re.compile(r"'(?:[^']|'')*'|\"[^\"]*\"|--[^\n]*|/\*.*?\*/|[()]|.", re.DOTALL)


_OF_A_SOURCE = re.compile(r"(?:\s|--[^\n]*\n|/\*.*?\*/)*from\s+source\b", re.DOTALL | re.IGNORECASE)


def is_of_source(sql: str) -> bool:
    """Whether it is the body of a table that another source offers, which `source_table` makes."""
    return _OF_A_SOURCE.match(sql[closing_parenthesis(sql) :]) is not None


def closing_parenthesis(sql: str) -> int:
    """The position after the list that `sql` begins with, or 0 when it begins with none."""
    depth = 0
    for token in _TOKEN.finditer(sql):
        text = token.group()
        if text == "(":
            depth += 1
        elif text == ")":
            depth -= 1
            if depth == 0:
                return token.end()
        elif depth == 0 and not (text.isspace() or text.startswith(("--", "/*"))):
            return 0
    return 0
