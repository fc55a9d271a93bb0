"""Texts of statements that may hold a secret, and what may be shown of them.

A text is recognized by its words, not by its tree: it may be no statement at all, and a misspelt one holds the same secret.
It may be long, too, and is searched in slices.
"""

from __future__ import annotations

import re

from ...errors import PtvcError
from ...interrupt import check_interrupt
from .quoted import SLICE, end_of_block, end_of_line

_MAKES = re.compile(r"\b(?:create|alter)\b", re.IGNORECASE)
_LONGEST = len("create")
_SPACE = re.compile(rf"\s{{1,{SLICE}}}+")
_SECRET = re.compile(r"secret\b", re.IGNORECASE)
_CONNECTION = re.compile(r"connection\b", re.IGNORECASE)
_NEAR = re.compile(r' at or near ".*', re.DOTALL)
NOT_REPEATED = "What the statement says is not repeated here, for it may be a secret."


def may_hold_secret(sql: str) -> bool:
    """Whether the text makes or changes a secret."""
    return _end_of_words(sql, _SECRET) is not None


def shown_text(sql: str) -> str:
    """The text as catalogs may show it."""
    end = _end_of_words(sql, _SECRET)
    return sql if end is None else f"{sql[:end]} ..."


def _end_of_words(sql: str, kind: re.Pattern[str]) -> int | None:
    """Where the words end by which an object of the kind is made or changed, the first time that they come."""
    for start in range(0, len(sql), SLICE):
        # A word may begin in one slice and end in the next; one that the end of a slice cuts has no gap behind it.
        for made in _MAKES.finditer(sql, start, start + SLICE + _LONGEST):
            gap = _end_of_gap(sql, made.end())
            if gap is None:
                return made.end()  # what is behind the comment's beginning may be anything
            if gap > made.end() and (named := kind.match(sql, gap)) is not None:
                return named.end()
        check_interrupt()
    return None


def _end_of_gap(sql: str, start: int) -> int | None:
    """Behind spaces and comments; None when a comment does not end."""
    while True:
        if sql.startswith("--", start):
            start = end_of_line(sql, start)
        elif sql.startswith("/*", start):
            end = end_of_block(sql, start + 2)
            if end is None:
                return None
            start = end
        elif (space := _SPACE.match(sql, start)) is not None:
            start = space.end()
        else:
            return start
        check_interrupt()


def without_secrets(error: PtvcError, sql: str) -> PtvcError:
    """What a client may be told of a text that cannot be parsed: of a secret nothing that stands in it, of a connection nothing that
    it quotes, as that may be a password in the wrong place."""
    if may_hold_secret(sql):
        return PtvcError(
            "a statement that makes or changes a secret cannot be read",
            sqlstate=error.sqlstate,
            hint=NOT_REPEATED,
            position=error.position,
        )
    if _end_of_words(sql, _CONNECTION) is not None and _NEAR.search(error.message) is not None:
        return PtvcError(
            _NEAR.sub("", error.message), sqlstate=error.sqlstate, hint=error.hint, position=error.position
        )
    return error
