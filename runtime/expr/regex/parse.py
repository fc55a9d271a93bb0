"""PostgreSQL's advanced regular expressions (its manual, 9.7.3), read into trees.

What PostgreSQL finds malformed is error 2201B; back references, lookaround, collating elements and the syntaxes of
other days are 0A000.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from ..datetimes.datetime_input import InputError
from .tree import (
    FULL,
    Alternation,
    Assertion,
    Chars,
    Concat,
    Group,
    Node,
    Ranges,
    Repeat,
    complement,
    folded,
    normal,
)

_CLASSES: dict[str, Ranges] = {
    "alpha": ((65, 90), (97, 122)),
    "digit": ((48, 57),),
    "alnum": ((48, 57), (65, 90), (97, 122)),
    "upper": ((65, 90),),
    "lower": ((97, 122),),
    "space": ((9, 13), (32, 32)),
    "punct": ((33, 47), (58, 64), (91, 96), (123, 126)),
    "xdigit": ((48, 57), (65, 70), (97, 102)),
    "blank": ((9, 9), (32, 32)),
    "cntrl": ((0, 31), (127, 127)),
    "graph": ((33, 126),),
    "print": ((32, 126),),
    "word": ((48, 57), (65, 90), (95, 95), (97, 122)),
}
_CLASS_ESCAPES = {"d": "digit", "s": "space", "w": "word"}
_CHAR_ESCAPES = {"a": 7, "b": 8, "B": 92, "e": 27, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11, "0": 0}
_ASSERTIONS = {"A": "^", "Z": "$", "m": "m", "M": "M", "y": "y", "Y": "Y"}
_MAX_COUNT = 255
_NEWLINE: Ranges = ((10, 10),)


def refused(pattern: str) -> InputError:
    return InputError("0A000", f'regular expression not supported: "{pattern}"')


def malformed(reason: str) -> InputError:
    return InputError("2201B", f"invalid regular expression: {reason}")


@dataclass(frozen=True, slots=True)
class Options:
    """`dot_stops`: `.` and `[^a]` leave out newlines; `lines`: `^` and `$` are also those of lines."""

    fold: bool = False
    literal: bool = False
    dot_stops: bool = False
    lines: bool = False
    every: bool = False


@lru_cache(maxsize=256)
def parse_options(letters: str) -> Options:
    """The flags of regexp_replace and its like; raises InputError for one that does not exist."""
    options = Options()
    for letter in letters:
        match letter:
            case "g":
                options = replace(options, every=True)
            case "i" | "c":
                options = replace(options, fold=letter == "i")
            case "q":
                options = replace(options, literal=True)
            case "m" | "n":
                options = replace(options, dot_stops=True, lines=True)
            case "s":
                options = replace(options, dot_stops=False, lines=False)
            case "p":
                options = replace(options, dot_stops=True, lines=False)
            case "w":
                options = replace(options, dot_stops=False, lines=True)
            case "t":
                pass
            case "b" | "e" | "x":
                raise InputError("0A000", f'regular expression option not supported: "{letter}"')
            case _:
                raise InputError("22023", f'invalid regular expression option: "{letter}"')
    return options


@lru_cache(maxsize=1024)
def parse(pattern: str, options: Options = Options()) -> tuple[Node, int]:
    """The tree of a pattern, and how many groups it captures.  Raises InputError."""
    if options.literal:
        return Concat(tuple(_literal(char, options.fold) for char in pattern)), 0
    if pattern.startswith("***"):
        if pattern.startswith("***="):
            return parse(pattern[4:], replace(options, literal=True))
        if not pattern.startswith("***:"):
            raise malformed("quantifier operand invalid")
        pattern = pattern[4:]
    if pattern.startswith("(?") and pattern[2:3].isalpha():
        end = pattern.find(")")
        letters = pattern[2:end] if end > 0 else ""
        if not letters.isalpha() or "g" in letters:
            raise malformed("invalid embedded option")
        options = _embedded(options, letters)
        pattern = pattern[end + 1 :]
        if options.literal:
            return parse(pattern, options)
    parser = _Parser(pattern, options)
    tree = parser.alternation(0)
    if parser.position < len(pattern):
        raise malformed("parentheses () not balanced")
    return tree, parser.groups


def _embedded(options: Options, letters: str) -> Options:
    for letter in letters:
        try:
            found = parse_options(letter)
        except InputError as error:
            raise error if error.sqlstate == "0A000" else malformed("invalid embedded option") from None
        if letter in "ic":
            options = replace(options, fold=found.fold)
        elif letter in "mnspw":
            options = replace(options, dot_stops=found.dot_stops, lines=found.lines)
        elif letter == "q":
            options = replace(options, literal=True)
    return options


def _literal(char: str, fold: bool) -> Chars:
    ranges: Ranges = ((ord(char), ord(char)),)
    return Chars(folded(ranges) if fold else ranges)


class _Parser:
    def __init__(self, pattern: str, options: Options) -> None:
        self.pattern = pattern
        self.options = options
        self.position = 0
        self.groups = 0

    def peek(self, count: int = 1) -> str:
        return self.pattern[self.position : self.position + count]

    def alternation(self, depth: int) -> Node:
        if depth > 50:
            raise InputError("0A000", "regular expression not supported: too many levels of parentheses")
        branches = [self._branch(depth)]
        while self.peek() == "|":
            self.position += 1
            branches.append(self._branch(depth))
        return branches[0] if len(branches) == 1 else Alternation(tuple(branches))

    def _branch(self, depth: int) -> Node:
        items: list[Node] = []
        while (char := self.peek()) and char != "|" and char != ")":
            if char in "*+?" or self._at_bound():
                raise malformed("quantifier operand invalid")
            items.append(self._quantified(self._atom(char, depth)))
        if char == ")" and depth == 0:
            raise malformed("parentheses () not balanced")
        return items[0] if len(items) == 1 else Concat(tuple(items))

    def _at_bound(self) -> bool:
        following = self.peek(2)[1:]
        return self.peek() == "{" and following.isascii() and following.isdigit()

    def _atom(self, char: str, depth: int) -> Node:
        if char == "(":
            return self._group(depth)
        if char == "[":
            return Chars(self._bracket())
        if char == "\\":
            return self._escape()
        self.position += 1
        if char in "^$":
            return Assertion(char, self.options.lines)
        if char == ".":
            return Chars(complement(_NEWLINE) if self.options.dot_stops else FULL)
        return _literal(char, self.options.fold)

    def _group(self, depth: int) -> Node:
        number = 0
        if self.peek(2) == "(?":
            if self.peek(3) != "(?:":
                if self.peek(3)[2:] in ("=", "!", "<"):
                    raise refused(self.pattern)
                raise malformed("quantifier operand invalid")
            self.position += 3
        else:
            self.position += 1
            self.groups += 1
            number = self.groups
        body = self.alternation(depth + 1)
        if self.peek() != ")":
            raise malformed("parentheses () not balanced")
        self.position += 1
        return Group(body, number)

    def _quantified(self, atom: Node) -> Node:
        char = self.peek()
        if not char or (char not in "*+?" and not self._at_bound()):
            return atom
        if isinstance(atom, Assertion):
            raise malformed("quantifier operand invalid")
        low, high = {"*": (0, None), "+": (1, None), "?": (0, 1)}.get(char) or self._bound()
        if char != "{":
            self.position += 1
        greedy = self.peek() != "?"
        self.position += not greedy
        if self.peek() and (self.peek() in "*+?" or self._at_bound()):
            raise malformed("quantifier operand invalid")
        return Repeat(atom, low, high, greedy)

    def _bound(self) -> tuple[int, int | None]:
        end = self.pattern.find("}", self.position)
        low, comma, high = self.pattern[self.position + 1 : end].partition(",") if end > 0 else ("", "", "")
        if not (low + high).isascii() or not low.isdigit() or (high and not high.isdigit()):
            raise malformed("invalid repetition count(s)" if end > 0 else "braces {} not balanced")
        if max(len(low), len(high)) > 3:
            raise malformed("invalid repetition count(s)")
        least = int(low)
        most = (int(high) if high else None) if comma else least
        if least > _MAX_COUNT or (most is not None and (most > _MAX_COUNT or most < least)):
            raise malformed("invalid repetition count(s)")
        self.position = end + 1
        return least, most

    def _escape(self) -> Node:
        char = self.peek(2)[1:]
        if char in _ASSERTIONS and char:
            self.position += 2
            return Assertion(_ASSERTIONS[char])
        if char and char in "dswDSW":
            self.position += 2
            return Chars(self._class_escape(char))
        if char and char in "123456789":
            raise refused(self.pattern)
        code = self._char_escape()
        return Chars(folded(((code, code),)) if self.options.fold else ((code, code),))

    def _class_escape(self, char: str) -> Ranges:
        ranges = _CLASSES[_CLASS_ESCAPES[char.lower()]]
        if char.islower():
            return ranges
        if self.options.dot_stops and char in "DW":
            ranges = normal([*ranges, *_NEWLINE])
        return complement(ranges)

    def _char_escape(self) -> int:
        char = self.peek(2)[1:]
        if not char:
            raise malformed("invalid escape \\ sequence")
        self.position += 2
        digits = {"u": 4, "U": 8}.get(char)
        if digits is not None or char == "x":
            begin = self.position
            while (
                self.peek()
                and self.peek() in "0123456789abcdefABCDEF"
                and self.position - begin < (digits or 255)
            ):
                self.position += 1
            text = self.pattern[begin : self.position]
            if not text or (digits is not None and len(text) != digits) or int(text, 16) > 0x10FFFF:
                raise malformed("invalid escape \\ sequence")
            return int(text, 16)
        if char == "c" and self.peek():
            self.position += 1
            return ord(self.pattern[self.position - 1]) & 31
        if char == "0" and self.peek() and self.peek() in "01234567":
            raise refused(self.pattern)
        if char in _CHAR_ESCAPES:
            return _CHAR_ESCAPES[char]
        if char.isascii() and char.isalnum():
            raise malformed("invalid escape \\ sequence")
        return ord(char)

    # --- brackets ---

    def _bracket(self) -> Ranges:
        if self.peek(7) in ("[[:<:]]", "[[:>:]]"):
            raise refused(self.pattern)
        self.position += 1
        negated = self.peek() == "^"
        self.position += negated
        ranges: list[tuple[int, int]] = []
        first = True
        while first or self.peek() != "]":
            if not self.peek():
                raise malformed("brackets [] not balanced")
            ranges += self._bracket_item()
            first = False
        self.position += 1
        found = normal(ranges)
        if self.options.fold:
            found = folded(found)
        if not negated:
            return found
        return complement(normal([*found, *_NEWLINE]) if self.options.dot_stops else found)

    def _bracket_item(self) -> Ranges:
        if self.peek(2) == "[:":
            end = self.pattern.find(":]", self.position)
            name = self.pattern[self.position + 2 : end] if end > 0 else ""
            if name not in _CLASSES:
                raise malformed("invalid character class")
            self.position = end + 2
            return _CLASSES["alpha" if self.options.fold and name in ("upper", "lower") else name]
        if self.peek() == "\\" and self.peek(2)[1:] and self.peek(2)[1:] in "dswDSW":
            self.position += 2
            return self._class_escape(self.pattern[self.position - 1])
        low = self._bracket_char()
        if self.peek() != "-" or self.peek(2)[1:] in ("]", ""):
            return ((low, low),)
        self.position += 1
        high = self._bracket_char()
        if high < low:
            raise malformed("invalid character range")
        return ((low, high),)

    def _bracket_char(self) -> int:
        if self.peek(2) in ("[.", "[=", "[:"):
            raise refused(self.pattern)
        char = self.peek()
        if char == "\\":
            if self.peek(2)[1:] in tuple("123456789dswDSWAZmMyY"):
                raise refused(self.pattern)
            return self._char_escape()
        self.position += 1
        return ord(char)
