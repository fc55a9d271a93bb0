"""Trees as text for RE2 and for Python's `re`, which read all that is written here alike."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import assert_never

from .tree import FULL, MAX_CODE, Alternation, Assertion, Chars, Concat, Group, Node, Repeat, complement

_RE2 = {"^": r"\A", "$": r"\z", "y": r"\b", "Y": r"\B"}
_PYTHON = {"^": r"\A", "$": r"\Z", "y": r"\b", "Y": r"\B", "m": r"\b(?=\w)", "M": r"\b(?<=\w)"}


class NoSuchAssertion(Exception):
    """RE2 has no begin and end of words."""


def re2(tree: Node) -> str:
    """Raises NoSuchAssertion."""
    return "(?s)" + _render(tree, True)


@lru_cache(maxsize=1024)
def python(tree: Node) -> re.Pattern[str]:
    return re.compile("(?as)" + _render(tree, False))


def _render(tree: Node, google: bool) -> str:
    match tree:
        case Chars(ranges):
            return _chars(ranges, google)
        case Assertion(kind, lines):
            if lines and kind in "^$":
                return f"(?m:{kind})"
            words = _RE2 if google else _PYTHON
            if kind not in words:
                raise NoSuchAssertion
            return words[kind]
        case Group(body, number):
            return f"({'' if number else '?:'}{_render(body, google)})"
        case Repeat(body, low, high, greedy):
            inner = _render(body, google)
            if not isinstance(body, Chars | Group):
                inner = f"(?:{inner})"
            count = {(0, None): "*", (1, None): "+", (0, 1): "?"}.get((low, high))
            if count is None:
                count = f"{{{low}}}" if low == high else f"{{{low},{'' if high is None else high}}}"
            return inner + count + ("" if greedy else "?")
        case Concat(items):
            return "".join(
                f"(?:{_render(item, google)})" if isinstance(item, Alternation) else _render(item, google)
                for item in items
            )
        case Alternation(branches):
            return "|".join(_render(branch, google) for branch in branches)
        case _:
            assert_never(tree)


def _chars(ranges: tuple[tuple[int, int], ...], google: bool) -> str:
    if ranges == FULL:
        return "."
    if len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
        return _one(ranges[0][0], google)
    negated = bool(ranges) and ranges[-1][1] == MAX_CODE
    shown = complement(ranges) if negated else ranges
    if not shown:
        return r"[^\x00-\x{10FFFF}]" if google else r"[^\x00-\U0010ffff]"
    body = "".join(
        _one(low, google) if low == high else f"{_one(low, google)}-{_one(high, google)}"
        for low, high in shown
    )
    return f"[{'^' if negated else ''}{body}]"


def _one(code: int, google: bool) -> str:
    char = chr(code)
    if char.isascii() and char.isalnum():
        return char
    return f"\\x{{{code:x}}}" if google else f"\\U{code:08x}"
