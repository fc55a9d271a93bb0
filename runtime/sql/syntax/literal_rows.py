"""Long lists of literals, `VALUES (1, 'a', NULL), (2, 'b', 1.5), ...` and `IN (1, 2, ...)`, read without a token per cell.

A seed inserts ten thousands of rows in one statement; cut into tokens, parsed and typed cell by cell they cost far more
than what is done with them.  So the lexer hands a list of at least `MIN_ROWS` rows or values that holds nothing but plain
literals over as one token, and planning parses it by columns (`scalars/literal_columns.py`).  Whatever is not plain, in any cell, makes the whole list
go the ordinary way, which knows every rule and where each error stands.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ...interrupt import check_interrupt

MIN_ROWS = 32
_TEXT = r"'(?:[^'\0]{1,64}+|''){0,4096}+'"  # of a longer one a token of its own is no loss
_SPACE = r"\s{0,256}"
_CELL = rf"{_SPACE}(-?\d{{1,30}}(?:\.\d{{0,30}})?|{_TEXT}|[nN][uU][lL][lL]|[tT][rR][uU][eE]|[fF][aA][lL][sS][eE]){_SPACE}"
_FIRST = re.compile(rf"\s*+\({_CELL}(?:,{_CELL})*\)")
_CELLS = re.compile(_CELL + "[,)]")
_COMMA = re.compile(r"\s*,")
_MAX_COLUMNS = 90  # groups of a regular expression
_OPENING = re.compile(rf"{_SPACE}\(")
_ITEM = re.compile(_CELL + ",")
_ITEMS = re.compile(rf"(?:{_CELL},){{0,64}}+")
_LAST = re.compile(_CELL + r"\)")
_CHECK_ROWS = 1024


@dataclass(frozen=True, slots=True)
class LiteralRows:
    """`columns` holds the cells as they are written; `text[start:end]` is the list, to be parsed the ordinary way.  Of a list of
    values there is one column."""

    columns: tuple[tuple[str, ...], ...]
    text: str
    start: int
    end: int

    def __len__(self) -> int:
        return len(self.columns[0])


def scan(text: str, start: int) -> LiteralRows | None:
    """The list of rows that begins at `start`, behind VALUES; None when it is short or not plain."""
    first = _FIRST.match(text, start)
    if first is None:
        return None
    width = len(_CELLS.findall(first.group()))
    if width > _MAX_COLUMNS:
        return None
    row = re.compile(rf"\s*\({','.join([_CELL] * width)}\)")
    rows: list[tuple[str, ...]] = []
    position = start
    while True:
        if not len(rows) % _CHECK_ROWS:
            check_interrupt()
        match = row.match(text, position)
        if match is None:
            return None
        rows.append(match.groups())
        comma = _COMMA.match(text, match.end())
        if comma is None:
            break
        position = comma.end()
    if len(rows) < MIN_ROWS:
        return None
    return LiteralRows(tuple(zip(*rows, strict=True)), text, start, match.end())


def scan_list(text: str, start: int) -> LiteralRows | None:
    """The list in parentheses that begins at `start`, behind IN, as one column; None when it is short or not plain."""
    opening = _OPENING.match(text, start)
    if opening is None:
        return None
    cells: list[str] = []
    position = opening.end()
    while True:
        match = _ITEMS.match(text, position)
        assert match is not None, "the pattern matches the empty text"
        if match.end() == position:
            break
        cells += _ITEM.findall(text, position, match.end())
        position = match.end()
        check_interrupt()
    if len(cells) < MIN_ROWS - 1 or (last := _LAST.match(text, position)) is None:
        return None
    return LiteralRows(((*cells, last.group(1)),), text, opening.end() - 1, last.end())
