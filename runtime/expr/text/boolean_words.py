"""The words that mean true and false to PostgreSQL, in values of booleans, settings and options."""

from __future__ import annotations


def boolean_word(text: str) -> bool | None:
    """Of any beginning of true, yes, on, false, no, off that is of one of them only; of 1 and 0; else None."""
    word = text.lower()
    if word in ("1", "on") or (word and ("true".startswith(word) or "yes".startswith(word))):
        return True
    if word in ("0", "of", "off") or (word and ("false".startswith(word) or "no".startswith(word))):
        return False
    return None
