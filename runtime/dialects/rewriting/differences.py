"""What differs between two texts, and what of that may stay because the tree is the same without it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import Any, NamedTuple

from .tokens import Token, translated_tokens

BEFORE_GROUPS = frozenset(
    [
        "select",
        "distinct",
        "where",
        "and",
        "or",
        "not",
        "on",
        "when",
        "then",
        "else",
        "by",
        "having",
        "case",
        "between",
        "like",
        "ilike",
        "is",
        "from",
        "using",
        "limit",
        "offset",
        "qualify",
        "escape",
    ]
)


class Change(NamedTuple):
    """`old[i:j]` becomes `new[k:l]`."""

    i: int
    j: int
    k: int
    l: int  # noqa: E741


def _matcher(old: Sequence[Token], new: Sequence[Token]) -> SequenceMatcher[str]:
    return SequenceMatcher(None, [one.key for one in old], [one.key for one in new], autojunk=False)


def changes_between(old: Sequence[Token], new: Sequence[Token]) -> list[Change]:
    return [Change(*code[1:]) for code in _matcher(old, new).get_opcodes() if code[0] != "equal"]


def needless(
    changes: list[Change],
    old: Sequence[Token],
    new: Sequence[Token],
    holds: Callable[[Sequence[Change]], bool],
) -> set[Change]:
    """Changes that need not be made: alone, those of a pair of parentheses together, or neighbours."""

    def may_stay(kept: Sequence[frozenset[Change]]) -> bool:
        left = frozenset[Change]().union(*kept)
        return holds([change for change in changes if change not in left])

    spelling = [
        change
        for change in changes
        if all(one.key in _SPELLINGS for one in (*old[change.i : change.j], *new[change.k : change.l]))
    ]
    pairs = [
        *_pairs(new, {at: change for change in spelling for at in range(change.k, change.l)}),
        *_pairs(old, {at: change for change in spelling for at in range(change.i, change.j)}),
    ]
    kept = frozenset[Change]().union(*_most(pairs, may_stay))
    for size in (1, 2):
        left = [change for change in spelling if change not in kept]
        units = [frozenset(left[at : at + size]) for at in range(len(left) - size + 1)]
        more = _most(units, lambda some, kept=kept: may_stay([kept, *some]))  # type: ignore[misc]
        kept = kept.union(*more)
    return set(kept)


_SPELLINGS = frozenset(
    [
        "(",
        ")",
        "::",
        "cast",
        "as",
        "inner",
        "outer",
        "cross",
        "join",
        ",",
        "<>",
        "!=",
        "not",
        "is",
        "null",
        "asc",
        "distinct",
        "on",
        "by",
        "end",
        "else",
        "select",
        "integer",
        "int",
        "date",
        "timestamp",
        "boolean",
    ]
)
"""What one thing is spelt with in several ways: other words that differ are another thing, and are not looked into."""


def _pairs(tokens: Sequence[Token], changed: dict[int, Change]) -> Iterator[frozenset[Change]]:
    """The changes that both parentheses of a pair are in, with that of the AS of a cast between."""
    stack: list[tuple[int, list[int]]] = []
    for at, token in enumerate(tokens):
        if token.key == "(":
            stack.append((at, []))
        elif token.key == "as" and stack:
            stack[-1][1].append(at)
        elif token.key == ")" and stack:
            first, between = stack.pop()
            if first in changed and at in changed:
                yield frozenset(changed[one] for one in (first, *between, at) if one in changed)


def without_parentheses(translated: str, old: Sequence[Token], holds: Callable[[str], bool]) -> list[Token]:
    """The tokens without parentheses that change nothing, but for those that the original has."""
    tokens = translated_tokens(translated)
    aligned = {
        block.b + at for block in _matcher(old, tokens).get_matching_blocks() for at in range(block.size)
    }
    stack: list[int] = []
    pairs: list[tuple[int, int]] = []
    for at, token in enumerate(tokens):
        if token.key == "(":
            stack.append(at)
        elif token.key == ")" and stack:
            first = stack.pop()
            if not (first in aligned and at in aligned) and _groups(tokens, first):
                pairs.append((first, at))

    def without(chosen: Sequence[tuple[int, int]]) -> list[Token]:
        dropped = {at for pair in chosen for at in pair}
        return [token for at, token in enumerate(tokens) if at not in dropped]

    gone = _most(pairs, lambda chosen: holds(" ".join(token.raw for token in without(chosen))))
    return without(gone)


def _groups(tokens: Sequence[Token], at: int) -> bool:
    """Whether the parenthesis is one around an expression, rather than behind a function's name, say, or around a query."""
    before = tokens[at - 1].key if at else ""
    behind = tokens[at + 1].key if at + 1 < len(tokens) else ""
    if behind in ("select", "with", "values"):
        return False
    return before in BEFORE_GROUPS or not re.match(r"[\w\")\]]", before)


def _most(items: Sequence[Any], holds: Callable[[Sequence[Any]], bool]) -> list[Any]:
    """As many of the items as hold together, by halves."""
    taken: list[Any] = []

    def add(some: Sequence[Any]) -> None:
        if not some:
            return
        if holds([*taken, *some]):
            taken.extend(some)
        elif len(some) > 1:
            middle = len(some) // 2
            add(some[:middle])
            add(some[middle:])

    add(items)
    return taken
