"""Texts of statements that may hold a secret, and what may be shown of them.

A text is recognized by its words, not by its tree: it may be no statement at all, and a misspelt one holds the same secret.
"""

from __future__ import annotations

import re

from ...errors import PtvcError

_GAP = r"(?:\s|--[^\n\r]*[\n\r]|/\*.*?\*/)+"
_SECRET = re.compile(rf"\b(?:create|alter){_GAP}secret\b", re.IGNORECASE | re.DOTALL)
_CONNECTION = re.compile(rf"\b(?:create|alter){_GAP}connection\b", re.IGNORECASE | re.DOTALL)
_NEAR = re.compile(r' at or near ".*', re.DOTALL)
NOT_REPEATED = "What the statement says is not repeated here, for it may be a secret."


def may_hold_secret(sql: str) -> bool:
    """Whether the text makes or changes a secret."""
    return _SECRET.search(sql) is not None


def shown_text(sql: str) -> str:
    """The text as catalogs may show it."""
    found = _SECRET.search(sql)
    return sql if found is None else f"{sql[: found.end()]} ..."


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
    if _CONNECTION.search(sql) is not None and _NEAR.search(error.message) is not None:
        return PtvcError(
            _NEAR.sub("", error.message), sqlstate=error.sqlstate, hint=error.hint, position=error.position
        )
    return error
