"""Strings, quoted names and comments of any length, read in slices.

A slice is one call of a regular expression over a bounded number of characters: between two of them another thread gets
the interpreter, and the statement can be cancelled.  What a string needs is memory for its value, no more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ...interrupt import check_interrupt

SLICE = 1 << 18
"""Characters of one call, at the most."""

_UNITS = 4096
_RUN = SLICE // _UNITS

_LINE = re.compile(rf"[^\n\r]{{0,{SLICE}}}+")
_BLOCK_EDGE = re.compile(r"/\*|\*/")


@dataclass(frozen=True, slots=True)
class Quoting:
    """`units` matches what may stand between two of `quote`: at most `SLICE` characters, and no part of an escape."""

    quote: str
    units: re.Pattern[str]


def doubled(quote: str) -> Quoting:
    """Text in which the quote is written twice."""
    return Quoting(quote, re.compile(rf"(?:[^{quote}]{{1,{_RUN}}}+|{quote}{quote}){{0,{_UNITS}}}+"))


def escaped(escape: str) -> Quoting:
    """Text between single quotes, in which the quote may be written twice, and `escape` matches an escape."""
    plain = rf"[^'\\]{{1,{_RUN}}}+"
    return Quoting("'", re.compile(f"(?:{plain}|''|{escape}){{0,{_UNITS}}}+", re.DOTALL))


@dataclass(frozen=True, slots=True)
class Span:
    """What stands between two quotes: `text[bounds[0] : bounds[-1]]`, in pieces that can be decoded one by one."""

    text: str
    bounds: tuple[int, ...]

    @property
    def end(self) -> int:
        """Where the closing quote stands."""
        return self.bounds[-1]

    def decoded(self, decode: Callable[[str], str]) -> Iterator[str]:
        """`decode` of each piece."""
        for start, end in zip(self.bounds, self.bounds[1:], strict=False):
            check_interrupt()
            yield decode(self.text[start:end])


def between_quotes(text: str, start: int, quoting: Quoting) -> Span | None:
    """What begins at `start`, behind the opening quote; None when it does not end."""
    bounds = [start]
    while True:
        match = quoting.units.match(text, bounds[-1])
        assert match is not None, "the pattern matches the empty text"
        if match.end() == bounds[-1]:
            break
        bounds.append(match.end())
        check_interrupt()
    return Span(text, tuple(bounds)) if text.startswith(quoting.quote, bounds[-1]) else None


def find(text: str, wanted: str, start: int) -> int:
    """As `str.find`."""
    while start < len(text):
        found = text.find(wanted, start, start + SLICE + len(wanted))
        if found >= 0:
            return found
        start += SLICE
        check_interrupt()
    return -1


def end_of_line(text: str, start: int) -> int:
    """Where the line ends, at `\\n` or `\\r`."""
    while True:
        match = _LINE.match(text, start)
        assert match is not None, "the pattern matches the empty text"
        if match.end() - start < SLICE:
            return match.end()
        start = match.end()
        check_interrupt()


def end_of_block(text: str, start: int) -> int | None:
    """Behind the comment of which `start` is behind the opening; None when it does not end.  Comments nest."""
    depth = 1
    while start < len(text):
        edge = _BLOCK_EDGE.search(text, start, start + SLICE)
        check_interrupt()
        if edge is None:  # of an edge, the first half may stand at the end of the slice
            start = start + SLICE - 1
            continue
        start = edge.end()
        depth += 1 if edge.group() == "/*" else -1
        if not depth:
            return start
    return None
