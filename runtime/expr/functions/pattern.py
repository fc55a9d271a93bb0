"""Regular expressions: ~ ~* !~ !~* and regexp_replace, for the patterns on which RE2 and PostgreSQL agree.

A pattern is read as PostgreSQL's advanced syntax and written as RE2's.  Matching needs only the same language;
replacing needs the same match, so there only patterns are taken whose leftmost match has one possible length
or one greedy end.  Anything else is refused with 0A000; what PostgreSQL finds malformed is 2201B.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...repr.types import BOOL, NAME, TEXT
from ..arrays import put
from ..datetime_input import InputError
from ..function import CallInfo, Datum, Function, Kernel, Overload, as_array
from ..row_errors import Evaluated, RowErrors, merge_errors, same_error

_CLASS_ESCAPES = {"d": "0-9", "s": r" \t\n\v\f\r", "w": "a-zA-Z0-9_"}
_CHAR_ESCAPES = {"t": r"\t", "n": r"\n", "r": r"\r", "f": r"\f", "v": r"\v", "a": r"\x07", "e": r"\x1b"}
_POSIX = {
    "alpha": "a-zA-Z",
    "digit": "0-9",
    "alnum": "a-zA-Z0-9",
    "upper": "A-Z",
    "lower": "a-z",
    "space": r" \t\n\v\f\r",
    "punct": r"!-/:-@\[-`{-~",
    "xdigit": "0-9A-Fa-f",
    "blank": r" \t",
}


def _refused(pattern: str) -> InputError:
    return InputError("0A000", f'regular expression not supported: "{pattern}"')


def _malformed(reason: str) -> InputError:
    return InputError("2201B", f"invalid regular expression: {reason}")


class _Translator:
    """One pass over a pattern; `simple` holds while the match has one possible end (see the module)."""

    def __init__(self, pattern: str, fold: bool) -> None:
        self.pattern = pattern
        self.fold = fold
        self.position = 0
        self.depth = 0
        self.quantified = 0
        self.simple = True

    def peek(self, count: int = 1) -> str:
        return self.pattern[self.position : self.position + count]

    def translate(self) -> str:
        if self.pattern.startswith(("***", "(?")):
            raise _refused(self.pattern)
        out: list[str] = []
        can_quantify = False
        while self.position < len(self.pattern):
            char = self.peek()
            if char in "*+?" or (char == "{" and self.peek(2)[1:].isdigit()):
                if not can_quantify:
                    raise _malformed("quantifier operand invalid")
                out.append(self._quantifier())
                can_quantify = False
                continue
            if self.quantified:
                self.simple = False  # something follows a quantified atom
            piece, can_quantify = self._atom(char)
            out.append(piece)
        if self.depth:
            raise _malformed("parentheses () not balanced")
        return "(?s)" + "".join(out)

    def _atom(self, char: str) -> tuple[str, bool]:
        match char:
            case "(":
                if self.peek(2) == "(?" and self.peek(3) != "(?:":
                    raise _refused(self.pattern)
                self.depth += 1
                self.simple = False
                self.position += 3 if self.peek(3) == "(?:" else 1
                return "(?:", False
            case ")":
                if not self.depth:
                    raise _malformed("parentheses () not balanced")
                self.depth -= 1
                self.position += 1
                return ")", True
            case "|":
                self.simple = False
                self.position += 1
                return "|", False
            case "^":
                self.position += 1
                return r"\A", False
            case "$":
                self.position += 1
                return r"\z", False
            case "[":
                return self._bracket(), True
            case "\\":
                return self._escape()
            case "{":
                raise _refused(self.pattern)
            case _:
                self.position += 1
                return ("." if char == "." else self._literal(char)), True

    def _literal(self, char: str) -> str:
        if self.fold and char.isascii() and char.isalpha():
            return f"[{char.lower()}{char.upper()}]"
        return re.escape(char)

    def _escape(self) -> tuple[str, bool]:
        char = self.pattern[self.position + 1 : self.position + 2]
        if not char:
            raise _malformed("invalid escape \\ sequence")
        self.position += 2
        if char in _CLASS_ESCAPES:
            return f"[{_CLASS_ESCAPES[char]}]", True
        if char.lower() in _CLASS_ESCAPES:
            return f"[^{_CLASS_ESCAPES[char.lower()]}]", True
        if char in _CHAR_ESCAPES:
            return _CHAR_ESCAPES[char], True
        if char == "A":
            return r"\A", False
        if char == "Z":
            return r"\z", False
        if char.isalnum():
            raise _refused(self.pattern)
        return re.escape(char), True

    def _quantifier(self) -> str:
        self.quantified += 1
        char = self.peek()
        if char == "{":
            match = re.compile(r"\{(\d{1,3})(,(\d{0,3}))?\}").match(self.pattern, self.position)
            if match is None:
                raise _malformed("invalid repetition count(s)")
            low, high = int(match[1]), int(match[3]) if match[3] else int(match[1])
            if low > 255 or high > 255 or (match[3] and high < low):
                raise _malformed("invalid repetition count(s)")
            out = match[0]
            self.position = match.end()
        else:
            out = char
            self.position += 1
        if self.peek() == "?":
            self.position += 1  # not greedy: the same language, another match
            self.simple = False
        elif self.peek() and self.peek() in "*+":
            raise _malformed("quantifier operand invalid")
        return out

    def _bracket(self) -> str:
        self.position += 1
        negated = self.peek() == "^"
        self.position += negated
        items: list[str] = []
        first = True
        while True:
            char = self.peek()
            if not char:
                raise _malformed("brackets [] not balanced")
            if char == "]" and not first:
                self.position += 1
                break
            items.append(self._bracket_item())
            first = False
        return f"[{'^' if negated else ''}{''.join(items)}]"

    def _bracket_item(self) -> str:
        if self.peek(2) == "[:":
            end = self.pattern.find(":]", self.position)
            name = self.pattern[self.position + 2 : end] if end > 0 else ""
            if name not in _POSIX:
                raise _malformed("invalid character class")
            self.position = end + 2
            folded = self.fold and name in ("upper", "lower")
            return _POSIX["alpha" if folded else name]
        if self.peek(2) in ("[.", "[="):
            raise _refused(self.pattern)
        if self.peek() == "\\" and self.peek(2)[1:] in _CLASS_ESCAPES:
            self.position += 2
            return _CLASS_ESCAPES[self.pattern[self.position - 1]]
        low = self._bracket_char()
        if self.peek() == "-" and self.peek(2)[1:] not in ("]", ""):
            self.position += 1
            if self.peek(2) in ("[.", "[=", "[:"):
                raise _refused(self.pattern)
            high = self._bracket_char()
            if high < low:
                raise _malformed("invalid character range")
            return self._range(low, high)
        return self._range(low, low)

    def _bracket_char(self) -> str:
        char = self.peek()
        if char == "\\":
            char = self.pattern[self.position + 1 : self.position + 2]
            if not char or char.isalnum():
                raise _refused(self.pattern)
            self.position += 1
        self.position += 1
        return char

    def _range(self, low: str, high: str) -> str:
        out = _class_char(low) if low == high else f"{_class_char(low)}-{_class_char(high)}"
        if not self.fold:
            return out
        for first, last, shift in (("a", "z", -32), ("A", "Z", 32)):
            start, end = max(low, first), min(high, last)
            if start <= end:
                out += f"{chr(ord(start) + shift)}-{chr(ord(end) + shift)}"
        return out


def _class_char(char: str) -> str:
    return "\\" + char if char in "\\]^-[" else char


@lru_cache(maxsize=1024)
def translate(pattern: str, fold: bool) -> tuple[str, bool]:
    """The RE2 form of a PostgreSQL pattern, and whether a replacement finds the same match in both.

    Raises InputError: 2201B for a malformed pattern, 0A000 for one outside the common ground.
    """
    translator = _Translator(pattern, fold)
    text = translator.translate()
    return text, translator.simple


def _rows_by(key: list[Any], valid: list[bool]) -> dict[Any, Any]:
    rows: dict[Any, list[int]] = {}
    for row, value in enumerate(key):
        if value is not None and valid[row]:
            rows.setdefault(value, []).append(row)
    return {value: np.array(listed, np.int64) for value, listed in rows.items()}


def _match(fold: bool, negate: bool) -> Kernel:
    def kernel(args: Sequence[Datum], info: CallInfo) -> Evaluated:
        text = as_array(args[0], info.length)
        if isinstance(args[1], pa.Scalar):
            groups = {args[1].as_py(): np.flatnonzero(text.is_valid().to_numpy(zero_copy_only=False))}
        else:
            groups = _rows_by(args[1].to_pylist(), text.is_valid().to_pylist())
        result = pa.nulls(info.length, pa.bool_())
        errors: list[RowErrors | None] = []
        for pattern, rows in groups.items():
            try:
                regex, _ = translate(pattern, fold)
            except InputError as error:
                errors.append(same_error(rows, error.sqlstate, error.message))
                continue
            part = text if len(rows) == info.length else text.take(pa.array(rows))
            result = put(result, rows, pc.match_substring_regex(part, regex))
        return Evaluated(pc.invert(result) if negate else result, merge_errors(errors))

    return kernel


def _replace(args: Sequence[Datum], info: CallInfo) -> Evaluated:
    """regexp_replace(text, pattern, replacement [, flags]) of one pattern: the first match, or all with `g`."""
    text = as_array(args[0], info.length)
    rows = np.flatnonzero(text.is_valid().to_numpy(zero_copy_only=False))
    constants = [datum[0] if isinstance(datum, pa.Array) and len(datum) == 1 else datum for datum in args[1:]]
    if not all(isinstance(datum, pa.Scalar) for datum in constants):
        message = "regexp_replace with a pattern that varies by row is not supported"
        return Evaluated(pa.nulls(info.length, pa.string()), same_error(rows, "0A000", message))
    pattern, replacement, *flags = (datum.as_py() for datum in constants)
    options = flags[0] if flags else ""
    try:
        if set(options) - {"g", "i", "c"} or "\\" in replacement:
            raise _refused(pattern)
        regex, simple = translate(pattern, "i" in options)
        if not simple or pc.match_substring_regex(pa.array([""]), regex)[0].as_py():
            raise _refused(pattern)
    except InputError as error:
        return Evaluated(pa.nulls(info.length, pa.string()), same_error(rows, error.sqlstate, error.message))
    limit = -1 if "g" in options else 1
    return Evaluated(pc.replace_substring_regex(text, regex, replacement, max_replacements=limit))


def _function(name: str, operator: str, *, fold: bool, negate: bool) -> Function:
    kernel = _match(fold, negate)
    return Function(
        name,
        tuple(Overload((subject, TEXT), BOOL, kernel, can_fail=True) for subject in (TEXT, NAME)),
        operator,
    )


FUNCTIONS: tuple[Function, ...] = (
    _function("regex_match", "~", fold=False, negate=False),
    _function("regex_imatch", "~*", fold=True, negate=False),
    _function("regex_not_match", "!~", fold=False, negate=True),
    _function("regex_not_imatch", "!~*", fold=True, negate=True),
    Function(
        "regexp_replace",
        tuple(Overload((TEXT,) * count, TEXT, _replace, can_fail=True) for count in (3, 4)),
    ),
)
