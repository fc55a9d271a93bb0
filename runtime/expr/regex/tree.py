"""Syntax trees of regular expressions.  A character set is a sorted tuple of disjoint ranges of code points."""

from __future__ import annotations

from dataclasses import dataclass

MAX_CODE = 0x10FFFF
Ranges = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Chars:
    """One character of a set."""

    ranges: Ranges


@dataclass(frozen=True, slots=True)
class Assertion:
    """`^` `$` of the text or (`lines`) of a line, `m` `M` begin and end of a word, `y` `Y` either and neither."""

    kind: str
    lines: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """`( )`, captured as `number`, or not at all where that is 0."""

    body: Node
    number: int


@dataclass(frozen=True, slots=True)
class Repeat:
    """`high` None is without bound."""

    body: Node
    low: int
    high: int | None
    greedy: bool


@dataclass(frozen=True, slots=True)
class Concat:
    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Alternation:
    branches: tuple[Node, ...]


Node = Chars | Assertion | Group | Repeat | Concat | Alternation

FULL: Ranges = ((0, MAX_CODE),)


def normal(ranges: list[tuple[int, int]]) -> Ranges:
    """Sorted, and disjoint, neighbours merged."""
    out: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if out and low <= out[-1][1] + 1:
            out[-1] = (out[-1][0], max(out[-1][1], high))
        else:
            out.append((low, high))
    return tuple(out)


def complement(ranges: Ranges) -> Ranges:
    out, begin = [], 0
    for low, high in ranges:
        if begin < low:
            out.append((begin, low - 1))
        begin = high + 1
    if begin <= MAX_CODE:
        out.append((begin, MAX_CODE))
    return tuple(out)


def overlap(left: Ranges, right: Ranges) -> bool:
    return any(a <= d and c <= b for a, b in left for c, d in right)


def folded(ranges: Ranges) -> Ranges:
    """With the other case of every ASCII letter, as collation C folds."""
    out = list(ranges)
    for low, high in ranges:
        for first, last, shift in ((97, 122, -32), (65, 90, 32)):
            begin, end = max(low, first), min(high, last)
            if begin <= end:
                out.append((begin + shift, end + shift))
    return normal(out)
