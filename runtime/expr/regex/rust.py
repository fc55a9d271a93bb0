"""Patterns in the syntax of Rust's regex crate, as Materialize takes them, for RE2.

Both find the leftmost match and of its alternatives the first, in a time that is linear in the text.  What the two read
differently is written so that RE2 reads it as Rust does (`\\d`, `\\w` and `\\s` are of Unicode), or refused.  RE2 says ""
of a group that took no part and of one that is empty; so a group that may take no part must not be able to be empty.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from string import punctuation
from typing import NoReturn

from ...errors import PtvcError, Unsupported
from .tree import Ranges, complement

MAX_DEPTH = 50
_SPACE: Ranges = (
    (9, 13), (32, 32), (0x85, 0x85), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A), (0x2028, 0x2029), (0x202F, 0x202F),
    (0x205F, 0x205F), (0x3000, 0x3000),
)  # fmt: skip
"""White_Space."""
_WORD = r"\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}\x{200C}-\x{200D}\x{24B6}-\x{24E9}\x{1F130}-\x{1F149}\x{1F150}-\x{1F169}\x{1F170}-\x{1F189}"
"""Alphabetic, marks, decimal digits, connectors and Join_Control."""
_CATEGORIES = frozenset({
    "L", "Lu", "Ll", "Lt", "Lm", "Lo", "M", "Mn", "Mc", "Me", "N", "Nd", "Nl", "No", "P", "Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po",
    "S", "Sm", "Sc", "Sk", "So", "Z", "Zs", "Zl", "Zp",
})  # fmt: skip
_POSIX = "alnum|alpha|ascii|blank|cntrl|digit|graph|lower|print|punct|space|upper|word|xdigit"
_CONTROLS = {"a": 7, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}
_POSIX_CLASS = re.compile(rf"\[:\^?(?:{_POSIX}):\]")
_BOUND = re.compile(r"\{([0-9]{1,4})(?:(,)([0-9]{1,4})?)?\}")
_NAMED = re.compile(r"\(\?P?<([A-Za-z_][A-Za-z0-9_.\[\]]*)>")
_FLAGS = re.compile(r"\(\?([ims]*)(?:-([ims]+))?([:)])")
_HEX = re.compile(r"x(?:([0-9A-Fa-f]{2})|\{([0-9A-Fa-f]{1,6})\})")
_PROPERTY = re.compile(r"[pP](?:([A-Z])|\{([A-Z][a-z]?)\})")


def _malformed(reason: str) -> NoReturn:
    raise PtvcError(f"invalid regular expression: {reason}", sqlstate="2201B")


def _refused(what: str, hint: str | None = None) -> NoReturn:
    raise Unsupported(f"regular expression not supported: {what}", hint=hint)


@dataclass(slots=True)
class Group:
    """`skipped`: a match need not have one; `empty`: it may be of no character."""

    name: str | None
    skipped: bool = False
    empty: bool = False


@dataclass(frozen=True, slots=True)
class Pattern:
    """Text for RE2, with the number of a group in the place of its parenthesis."""

    pieces: tuple[str | int, ...]
    groups: tuple[Group, ...]

    def capturing(self, number: int) -> str:
        """For RE2, with that group alone, called `g`."""
        return "".join(
            piece if isinstance(piece, str) else "(?P<g>" if piece == number else "(?:"
            for piece in self.pieces
        )


@lru_cache(256)
def parse(pattern: str) -> Pattern:
    """2201B for what Rust finds malformed, 0A000 for what may have another match here."""
    parser = _Parser(pattern)
    parser.alternation(0)
    if parser.position < len(pattern):
        _malformed("unopened group")
    for number, group in enumerate(parser.groups, 1):
        if group.skipped and group.empty:
            _refused(f"group {number} may be empty, or not be there at all")
    return Pattern(tuple(parser.pieces), tuple(parser.groups))


def _code(code: int) -> str:
    return f"\\x{{{code:X}}}"


def _ranges(ranges: Ranges) -> str:
    return "".join(f"{_code(low)}-{_code(high)}" for low, high in ranges)


class _Parser:
    """Methods that read a part say whether it may match no character."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.pieces: list[str | int] = []
        self.groups: list[Group] = []
        self.fold = False

    def peek(self) -> str:
        return self.text[self.position : self.position + 1]

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        found = pattern.match(self.text, self.position)
        if found is not None:
            self.position = found.end()
        return found

    def alternation(self, depth: int) -> bool:
        if depth > MAX_DEPTH:
            _refused("too many levels of parentheses")
        first, fold = len(self.groups), self.fold
        empty = self._branch(depth)
        alternatives = False
        while self.peek() == "|":
            alternatives = True
            self.position += 1
            self.pieces.append("|")
            empty |= self._branch(depth)
        if alternatives:
            self._skip(first)
        self.fold = fold
        return empty

    def _skip(self, first: int) -> None:
        for group in self.groups[first:]:
            group.skipped = True

    def _branch(self, depth: int) -> bool:
        empty = True
        while (char := self.peek()) and char not in "|)":
            if char in "*+?{":
                _malformed("repetition operator missing expression")
            first = len(self.groups)
            empty &= self._quantified(self._atom(depth), first)
        return empty

    def _quantified(self, empty: bool, first: int) -> bool:
        """Behind an atom, whose groups are from `first` on."""
        char = self.peek()
        if not char or char not in "*+?{":
            return empty
        if empty:
            _refused("a repetition of what may be empty")
        if char == "{":
            bound = self.take(_BOUND)
            if bound is None:
                _refused("such a repetition")
            least, most = int(bound[1]), int(bound[3]) if bound[3] else None
            if (most is not None and (most < least or most == 0)) or (bound[2] is None and least == 0):
                _refused("such a repetition")
            self.pieces.append(bound[0])
        else:
            least = int(char == "+")
            self.position += 1
            self.pieces.append(char)
        if self.peek() == "?":
            self.position += 1
            self.pieces.append("?")
        if self.peek() and self.peek() in "*+?{":
            _refused("a repetition of a repetition", hint="Put the inner one in (?:...).")
        if least == 0:
            self._skip(first)
        return least == 0

    def _atom(self, depth: int) -> bool:
        char = self.peek()
        if char == "(":
            return self._group(depth)
        if char == "[":
            self._class()
            return False
        if char == "\\":
            return self._escape()
        self.position += 1
        self.pieces.append(char if char in "^$." else _code(ord(char)))
        return char in "^$"

    def _group(self, depth: int) -> bool:
        flags, fold = self.take(_FLAGS), self.fold
        group: Group | None = None
        if flags is not None:
            given = flags[1] + (flags[2] or "")
            if len(set(given)) < len(given) or (not given and flags[3] == ")"):
                _malformed("flags")
            self.fold = (fold or "i" in flags[1]) and "i" not in (flags[2] or "")
            self.pieces.append(flags[0])
            if flags[3] == ")":
                return True
        else:
            named = self.take(_NAMED)
            if named is None:
                if self.text.startswith("(?", self.position):
                    _refused("lookaround, and flags other than i, m and s")
                self.position += 1
            elif any(known.name == named[1] for known in self.groups):
                _malformed("duplicate capture group name")
            group = Group(None if named is None else named[1])
            self.groups.append(group)
            self.pieces.append(len(self.groups))
        empty = self.alternation(depth + 1)
        if self.peek() != ")":
            _malformed("unclosed group")
        self.position += 1
        self.pieces.append(")")
        self.fold = fold
        if group is not None:
            group.empty = empty
        return empty

    def _escape(self) -> bool:
        self.position += 1
        char = self.peek()
        if char and char in "Az":
            self.position += 1
            self.pieces.append("\\" + char)
            return True
        if char and char in "bB":
            _refused(
                "word boundaries",
                hint=r"Write what may stand there, such as (?:^|\W) in front of a word, or [^\w] behind it.",
            )
        text = self._several(inside=False)
        self.pieces.append(_code(self._one()) if text is None else text)
        return False

    def _several(self, *, inside: bool) -> str | None:
        """A class of characters behind a backslash, to stand in brackets or not; None if it is a character."""
        char = self.peek()
        if char and char in "dDsSwW":
            self.position += 1
            match char:
                case "d" | "D":
                    return r"\p{Nd}" if char == "d" else r"\P{Nd}"
                case "W" if inside:
                    _refused(r"\W in brackets")
                case "w" | "W":
                    return _WORD if inside else f"[{'^' if char == 'W' else ''}{_WORD}]"
                case _:
                    text = _ranges(_SPACE if char == "s" else complement(_SPACE))
                    return text if inside else f"[{text}]"
        if char and char in "pP":
            found = self.take(_PROPERTY)
            name = found and (found[1] or found[2])
            if name not in _CATEGORIES or self.fold:
                _refused("such a class of Unicode", hint=r"General categories are supported, such as \p{Lu}.")
            return f"\\{char}{{{name}}}"
        return None

    def _one(self) -> int:
        """The character of an escape, behind the backslash."""
        char = self.peek()
        if not char:
            _malformed("incomplete escape sequence")
        found = self.take(_HEX)
        if found is not None:
            code = int(found[1] or found[2], 16)
            if code > 0x10FFFF or 0xD800 <= code < 0xE000:
                _malformed("invalid hexadecimal escape sequence")
            return code
        self.position += 1
        if char in _CONTROLS:
            return _CONTROLS[char]
        if not char.isascii() or char in "<>":
            _malformed("unrecognized escape sequence")
        if char not in punctuation or char == "_":
            _refused(f"\\{char}")
        return ord(char)

    # --- brackets ---

    def _class(self) -> None:
        self.position += 1
        out = "["
        if self.peek() == "^":
            self.position += 1
            out += "^"
        first = True
        while (char := self.peek()) != "]" or first:
            if not char:
                _malformed("unclosed character class")
            if self.text[self.position : self.position + 2] in ("&&", "--", "~~"):
                _refused("set operations in brackets")
            out += self._class_item()
            first = False
        self.position += 1
        self.pieces.append(out + "]")

    def _class_item(self) -> str:
        low = self._class_atom()
        following = self.text[self.position : self.position + 2]
        ranged = following[:1] == "-" and following[1:] not in ("", "]", "-")
        if isinstance(low, str):
            if ranged:
                _malformed("invalid range in a character class")
            return low
        if not ranged:
            return _code(low)
        self.position += 1
        high = self._class_atom()
        if isinstance(high, str) or high < low:
            _malformed("invalid range in a character class")
        return f"{_code(low)}-{_code(high)}"

    def _class_atom(self) -> int | str:
        """A character, or text that stands for several."""
        char = self.peek()
        if char == "[":
            found = self.take(_POSIX_CLASS)
            if found is None:
                _refused("brackets in brackets", hint=r"Write \[ for the character.")
            return found[0]
        self.position += 1
        if char != "\\":
            return ord(char)
        several = self._several(inside=True)
        return self._one() if several is None else several
