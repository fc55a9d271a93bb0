"""Integers from digits that a user wrote: any number of them, in linear time."""

from __future__ import annotations

from typing import Final

LONGEST: Final = 400
"""More digits than any type of a column holds."""

HUGE: Final = 10**LONGEST


def whole(text: str) -> int:
    """The integer that a sign and decimal digits are; `HUGE`, or less than nothing by it, for one that is beyond every type.

    `int` refuses what has more than 4300 digits, leading zeros too, and takes quadratic time for what has fewer.
    """
    if len(text) <= LONGEST:
        return int(text)
    negative = text[0] == "-"
    kept = text.lstrip("+-").lstrip("0") or "0"
    value = int(kept) if len(kept) <= LONGEST else HUGE
    return -value if negative else value
