"""LIKE patterns: another escape character than the backslash."""

from __future__ import annotations

from ...errors import PtvcError


def escaped_pattern(pattern: str, escape: str, position: int) -> str:
    """A LIKE pattern of another escape character, or of none, in terms of the backslash."""
    if len(escape) > 1:
        raise PtvcError(
            "invalid escape string",
            sqlstate="22025",
            hint="Escape string must be empty or one character.",
            position=position,
        )
    parts: list[str] = []
    characters = iter(pattern)
    for character in characters:
        if escape and character == escape:
            following = next(characters, None)
            if following is None:
                raise PtvcError(
                    "LIKE pattern must not end with escape character", sqlstate="22025", position=position
                )
            parts.append("\\" + following)
        else:
            parts.append("\\\\" if character == "\\" else character)
    return "".join(parts)
