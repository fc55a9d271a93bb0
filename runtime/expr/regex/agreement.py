"""Where an engine that tries one way after the other finds PostgreSQL's match, groups included.

PostgreSQL takes, from the leftmost place where there is a match, the longest (or the shortest, if the first quantifier
that has a preference prefers that), and within it gives each part, from left to right, as much or as little as it
prefers.  RE2 and Python take the first way that succeeds.  Both are the same, whatever the text, when

- one character tells at every point how to go on (the tree is *deterministic*), and all quantifiers are greedy: there
  is one way, and it is followed as far as it goes;
- one part alone varies in length: what is tried comes in the order of its length;
- the match ends at the end of the text (`$`, or a greedy `.*` at last), and the pattern is a row of parts, each of
  which is deterministic by itself, or varies by one part: both give the parts, from left to right, what they prefer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import assert_never

from .tree import FULL, Alternation, Assertion, Chars, Concat, Group, Node, Ranges, Repeat, overlap

_MAX_POSITIONS = 1000


class _Unclear(Exception):
    """Undecided."""


@lru_cache(maxsize=1024)
def same_match(tree: Node) -> bool:
    if not _groups_hold(tree, looped=False, branched=False):
        return False
    repeats = [node for node in walk(tree) if isinstance(node, Repeat) and node.low != node.high]
    if all(node.greedy for node in repeats) and deterministic(tree):
        return True
    items = _row(tree)
    return _one_varies(items) or _to_the_end(items, repeats) or _trimming(tree)


def _trimming(tree: Node) -> bool:
    """`^X|X$`: where both branches match, that of `^` takes no less."""
    if not isinstance(tree, Alternation) or len(tree.branches) != 2:
        return False
    bodies: list[list[Node]] = []
    for branch in tree.branches:
        row = _row(branch)
        begins = row[:1] == [Assertion("^")]
        ends = row[-1:] == [Assertion("$")]
        if begins == ends:
            return False
        bodies.append(row[1:] if begins else row[:-1])
    repeats = [node for item in bodies[0] for node in walk(item) if isinstance(node, Repeat)]
    greedy = all(node.greedy for node in repeats)
    captured = any(isinstance(node, Group) and node.number for node in walk(tree))
    return bodies[0] == bodies[1] and greedy and not captured and deterministic(Concat(tuple(bodies[0])))


def walk(tree: Node) -> Iterator[Node]:
    yield tree
    match tree:
        case Group(body) | Repeat(body):
            yield from walk(body)
        case Concat(parts) | Alternation(parts):
            for part in parts:
                yield from walk(part)


def nullable(tree: Node) -> bool:
    """Whether it matches nothing at all somewhere; assertions count as such."""
    match tree:
        case Chars():
            return False
        case Assertion():
            return True
        case Group(body):
            return nullable(body)
        case Repeat(body, low):
            return low == 0 or nullable(body)
        case Concat(items):
            return all(nullable(item) for item in items)
        case Alternation(branches):
            return any(nullable(branch) for branch in branches)
        case _:
            assert_never(tree)


def _row(tree: Node) -> list[Node]:
    return list(tree.items) if isinstance(tree, Concat) else [tree]


def _groups_hold(tree: Node, *, looped: bool, branched: bool) -> bool:
    """No captured group keeps what an earlier round of a loop left in it, no branch before another matches nothing,
    and no loop goes round over nothing."""
    match tree:
        case Group(body, number):
            if number and looped and branched:
                return False
            return _groups_hold(body, looped=looped, branched=branched)
        case Repeat(body, low, high):
            several = high is None or high > 1
            if several and nullable(body):
                return False
            return _groups_hold(body, looped=looped or several, branched=(looped and low == 0) or branched)
        case Concat(items):
            return all(_groups_hold(item, looped=looped, branched=branched) for item in items)
        case Alternation(branches):
            if any(nullable(branch) for branch in branches[:-1]):
                return False
            return all(_groups_hold(branch, looped=looped, branched=looped) for branch in branches)
        case _:
            return True


def _length(tree: Node) -> int | None:
    """How many characters every match has, if that is one number."""
    match tree:
        case Chars():
            return 1
        case Assertion():
            return 0
        case Group(body):
            return _length(body)
        case Repeat(body, low, high):
            inner = _length(body)
            return None if inner is None or low != high else inner * low
        case Concat(items):
            lengths = [_length(item) for item in items]
            return None if None in lengths else sum(n for n in lengths if n is not None)
        case Alternation(branches):
            found = {_length(branch) for branch in branches}
            return found.pop() if len(found) == 1 else None
        case _:
            assert_never(tree)


def _one_varies(items: Sequence[Node]) -> bool:
    """Whether a match of a given length is made in one way, and the preference of one quantifier is that of the whole."""
    nodes = [node for item in items for node in walk(item)]
    varying = [node for node in nodes if isinstance(node, Repeat) and node.low != node.high]
    if len(varying) != 1 or not _by_one(items):
        return False
    choices = [node for node in nodes if isinstance(node, Alternation)]
    # A choice is greedy whatever is in it; of the same length, what is taken shows in groups only.
    return not choices or (
        varying[0].greedy
        and all(_length(choice) is not None for choice in choices)
        and not any(isinstance(node, Group) and node.number for choice in choices for node in walk(choice))
    )


def _by_one(items: Sequence[Node]) -> bool:
    """Whether all but one part have a length each, and that is a repetition of what has one; each of them matches in one way, so
    that a search takes a time that grows with the text alone."""
    changing = [item for item in items if _length(item) is None]
    if len(changing) != 1 or not all(deterministic(item) for item in items if item is not changing[0]):
        return False
    inner: Node = changing[0]
    while isinstance(inner, Group):
        inner = inner.body
    if isinstance(inner, Concat):
        return _by_one(inner.items)
    return isinstance(inner, Repeat) and _length(inner.body) is not None and deterministic(inner.body)


def _to_the_end(items: Sequence[Node], repeats: Sequence[Repeat]) -> bool:
    last: Node | None = items[-1] if items else None
    if isinstance(last, Assertion) and last.kind == "$" and not last.lines:
        items = items[:-1]
    else:
        while isinstance(last, Group):
            last = last.body
        everything = isinstance(last, Repeat) and last.body == Chars(FULL) and last.high is None
        if not everything or not all(node.greedy for node in repeats):
            return False
    runs: list[list[Node]] = []
    for item in items:
        if isinstance(item, Alternation):
            return False
        alone = any(isinstance(node, Group) and node.number for node in walk(item))
        if len(_wishes([item])) > 1:
            return False
        if runs and not alone and runs[-1] and not _captures(runs[-1]):
            runs[-1].append(item)
        else:
            runs.append([item])
    return all(_follows_one_way(run, final=run is runs[-1]) for run in runs)


def _captures(run: Sequence[Node]) -> bool:
    return any(isinstance(node, Group) and node.number for item in run for node in walk(item))


def _wishes(items: Sequence[Node]) -> set[bool]:
    """What its quantifiers prefer, if they do: as much as there is, or as little.  A choice is greedy whatever is in it."""
    nodes = [node for item in items for node in walk(item)]
    found = {node.greedy for node in nodes if isinstance(node, Repeat) and node.low != node.high}
    return found | {True for node in nodes if isinstance(node, Alternation)}


def _follows_one_way(run: Sequence[Node], *, final: bool) -> bool:
    if final and not _captures(run):
        return True  # what is left is what it takes
    return len(_wishes(run)) <= 1 and (deterministic(Concat(tuple(run))) or _one_varies(run))


# --- determinism -----------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Automaton:
    """Glushkov's: a state per character of the tree, and which may follow which."""

    chars: list[Ranges] = field(default_factory=list)
    follow: list[set[int]] = field(default_factory=list)

    def leaf(self, ranges: Ranges) -> int:
        if len(self.chars) >= _MAX_POSITIONS:
            raise _Unclear
        self.chars.append(ranges)
        self.follow.append(set())
        return len(self.chars) - 1

    def link(self, left: set[int], right: set[int]) -> None:
        for state in left:
            self.follow[state] |= right

    def ambiguous(self, states: set[int]) -> bool:
        ordered = sorted(states)
        return any(
            overlap(self.chars[a], self.chars[b]) for i, a in enumerate(ordered) for b in ordered[i + 1 :]
        )


@dataclass(frozen=True, slots=True)
class _Part:
    empty: bool
    first: set[int]
    last: set[int]


_NOTHING = _Part(True, set(), set())


def deterministic(tree: Node) -> bool:
    automaton = _Automaton()
    try:
        whole = _build(tree, automaton)
    except _Unclear:
        return False
    return not any(automaton.ambiguous(states) for states in (whole.first, *automaton.follow))


def _build(tree: Node, automaton: _Automaton) -> _Part:
    match tree:
        case Chars(ranges):
            state = automaton.leaf(ranges)
            return _Part(False, {state}, {state})
        case Assertion():
            return _NOTHING
        case Group(body):
            return _build(body, automaton)
        case Repeat(body, low, high):
            return _build_repeat(body, low, high, automaton)
        case Concat(items):
            return _joined([_build(item, automaton) for item in items], automaton)
        case Alternation(branches):
            words = [_word(branch) for branch in branches]
            if all(words):
                return _build_words([word for word in words if word], automaton)
            parts = [_build(branch, automaton) for branch in branches]
            return _Part(
                any(part.empty for part in parts),
                set().union(*(part.first for part in parts)),
                set().union(*(part.last for part in parts)),
            )
        case _:
            assert_never(tree)


def _build_repeat(body: Node, low: int, high: int | None, automaton: _Automaton) -> _Part:
    copies = [_build(body, automaton) for _ in range(low if high is not None else max(low, 1))]
    if high is None:
        automaton.link(copies[-1].last, copies[-1].first)
        if low == 0:
            copies[-1] = _Part(True, copies[-1].first, copies[-1].last)
        return _joined(copies, automaton)
    rest = _NOTHING
    for _ in range(high - low):  # a{0,3} is (a(a(a)?)?)?
        one = _build(body, automaton)
        joined = _joined([one, rest], automaton)
        rest = _Part(True, joined.first, joined.last)
    return _joined([*copies, rest], automaton)


def _word(tree: Node) -> tuple[Ranges, ...] | None:
    """The characters of a branch that is a plain text."""
    sets = tuple(item.ranges for item in _row(tree) if isinstance(item, Chars))
    return sets if len(sets) == len(_row(tree)) else None


def _build_words(words: Sequence[tuple[Ranges, ...]], automaton: _Automaton) -> _Part:
    """Texts as a tree of their common beginnings; a text that begins another must come after it."""
    states: dict[tuple[Ranges, ...], int] = {}
    first: set[int] = set()
    last: set[int] = set()
    for place, word in enumerate(words):
        if any(other[: len(word)] == word for other in words[place + 1 :]):
            raise _Unclear
        before: int | None = None
        for size in range(1, len(word) + 1):
            if word[:size] not in states:
                states[word[:size]] = automaton.leaf(word[size - 1])
            state = states[word[:size]]
            automaton.link({before} if before is not None else set(), {state})
            first |= {state} if size == 1 else set()
            before = state
        assert before is not None
        last.add(before)
    return _Part(False, first, last)


def _joined(parts: Sequence[_Part], automaton: _Automaton) -> _Part:
    whole = _NOTHING
    for part in parts:
        automaton.link(whole.last, part.first)
        whole = _Part(
            whole.empty and part.empty,
            whole.first | part.first if whole.empty else whole.first,
            whole.last | part.last if part.empty else part.last,
        )
    return whole
