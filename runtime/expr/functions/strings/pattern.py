"""Regular expressions: ~ ~* !~ !~*, regexp_*, substring(... from pattern), SIMILAR TO.

A pattern is read as PostgreSQL's advanced syntax (expr/regex) and run by RE2, whole columns at once, or by Python's
`re`, once per distinct text where that suffices.  Whether there is a match needs only the same language; where it
lies needs a pattern of which the engine finds the same match (regex/agreement.py), and any other is refused with
0A000; what PostgreSQL finds malformed is 2201B.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ....repr.buffers import present
from ....repr.types import BOOL, BPCHAR, INT4, NAME, TEXT, Kind, array_of
from ...columns.arrays import put
from ...columns.blank_padding import padded
from ...columns.row_errors import Evaluated, RowErrors, merge_errors, same_error
from ...datetimes.datetime_input import InputError
from ...regex import render
from ...regex.agreement import nullable, same_match
from ...regex.parse import Options, parse, parse_options, refused
from ...regex.tree import Node
from ...tree.function import CallInfo, Datum, Function, Kernel, Overload, as_array
from ..rowwise import rowwise

# --- whether there is a match ------------------------------------------------------------------------------------------


def _rows_by(key: list[Any], valid: list[bool]) -> dict[Any, Any]:
    rows: dict[Any, list[int]] = {}
    for row, value in enumerate(key):
        if value is not None and valid[row]:
            rows.setdefault(value, []).append(row)
    return {value: np.array(listed, np.int64) for value, listed in rows.items()}


def has_match(text: pa.Array, tree: Node, pattern: str) -> pa.Array:
    """bool[n]: whether the pattern matches some part of each text.

    RE2's time is linear in the text, whatever the pattern; Python's is not, so it gets only those of one way.  Raises
    InputError for a pattern that neither takes.
    """
    try:
        return pc.match_substring_regex(text, render.re2(tree))
    except render.NoSuchAssertion:
        if not same_match(tree):
            raise refused(pattern) from None
    except pa.ArrowInvalid:  # too large for RE2
        raise refused(pattern) from None
    regex = render.python(tree)
    return pa.array(
        [None if t is None else regex.search(t) is not None for t in text.to_pylist()], pa.bool_()
    )


def _match(options: Options, negate: bool) -> Kernel:
    def kernel(args: Sequence[Datum], info: CallInfo) -> Evaluated:
        text = as_array(args[0], info.length)
        if info.types[0].kind is Kind.BPCHAR:
            text = padded(text, info.types[0])
        if isinstance(args[1], pa.Scalar):
            groups = {args[1].as_py(): np.flatnonzero(present(text))}
        else:
            groups = _rows_by(args[1].to_pylist(), text.is_valid().to_pylist())
        result = pa.nulls(info.length, pa.bool_())
        errors: list[RowErrors | None] = []
        for pattern, rows in groups.items():
            part = text if len(rows) == info.length else text.take(pa.array(rows))
            try:
                result = put(result, rows, has_match(part, parse(pattern, options)[0], pattern))
            except InputError as error:
                errors.append(same_error(rows, error.sqlstate, error.message))
        return Evaluated(pc.invert(result) if negate else result, merge_errors(errors))

    return kernel


# --- where it lies -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Searcher:
    """`every`: the flag `g` was given."""

    regex: re.Pattern[str]
    groups: int
    every: bool

    def all(self, text: str, start: int = 0, *, degenerate: bool = True) -> Iterator[re.Match[str]]:
        """Every match from `start` on; without `degenerate` those of nothing at an end or behind another are left out."""
        previous = 0
        while start <= len(text) and (match := self.regex.search(text, start)) is not None:
            if degenerate or (match.start() < len(text) and match.end() > previous):
                yield match
            previous = match.end()
            start = previous + (match.start() == match.end())


@lru_cache(maxsize=1024)
def searcher(pattern: str, flags: str = "", function: str | None = None) -> Searcher:
    """What finds PostgreSQL's match; `function` names one that has no flag `g`.  Raises InputError."""
    options = parse_options(flags)
    if function is not None and options.every:
        raise InputError("22023", f'{function}() does not support the "global" option')
    tree, groups = parse(pattern, Options(options.fold, options.literal, options.dot_stops, options.lines))
    if not same_match(tree):
        raise refused(pattern)
    return Searcher(render.python(tree), groups, options.every)


def _captured(match: re.Match[str], groups: int) -> list[str | None]:
    return list(match.groups()) if groups else [match[0]]


def _regexp_match(text: str, pattern: str, flags: str = "") -> list[str | None] | None:
    found = searcher(pattern, flags, "regexp_match")
    match = found.regex.search(text)
    return None if match is None else _captured(match, found.groups)


def _matches(text: str, pattern: str, flags: str = "") -> list[list[str | None]]:
    found = searcher(pattern, flags)
    out = []
    for match in found.all(text):
        out.append(_captured(match, found.groups))
        if not found.every:
            break
    return out


def all_matches(args: Sequence[Datum], info: CallInfo) -> Evaluated:
    """list[list[string]]: regexp_matches of each row."""
    result = rowwise(_matches)(args, info)
    assert isinstance(result, Evaluated)
    return result


def _split(function: str) -> Callable[..., list[str]]:
    def split(text: str, pattern: str, flags: str = "") -> list[str]:
        parts, end = [], 0
        for match in searcher(pattern, flags, function).all(text, degenerate=False):
            parts.append(text[end : match.start()])
            end = match.end()
        return [*parts, text[end:]]

    return split


def split_by_pattern(args: Sequence[Datum], info: CallInfo, function: str) -> Evaluated:
    result = rowwise(_split(function))(args, info)
    assert isinstance(result, Evaluated)
    return result


def _positive(name: str, value: int, least: int = 1) -> None:
    if value < least:
        raise InputError("22023", f'invalid value for parameter "{name}": {value}')


def _count(text: str, pattern: str, start: int = 1, flags: str = "") -> int:
    _positive("start", start)
    return sum(1 for _ in searcher(pattern, flags, "regexp_count").all(text, start - 1))


def _nth(found: Searcher, text: str, start: int, number: int, group: int) -> tuple[re.Match[str], int] | None:
    """The match and the group of it that is meant: of a pattern without groups the first is the whole match."""
    if group > max(found.groups, 1):
        return None
    for place, match in enumerate(found.all(text, start - 1), 1):
        if place == number:
            return match, group if found.groups else 0
    return None


def _instr(
    text: str, pattern: str, start: int = 1, number: int = 1, end: int = 0, flags: str = "", group: int = 0
) -> int:
    _positive("start", start)
    _positive("n", number)
    if end not in (0, 1):
        raise InputError("22023", f'invalid value for parameter "endoption": {end}')
    _positive("subexpr", group, 0)
    found = _nth(searcher(pattern, flags, "regexp_instr"), text, start, number, group)
    if found is None:
        return 0
    match, group = found
    return (match.end(group) if end else match.start(group)) + 1


def _substr(
    text: str, pattern: str, start: int = 1, number: int = 1, flags: str = "", group: int = 0
) -> str | None:
    _positive("start", start)
    _positive("n", number)
    _positive("subexpr", group, 0)
    found = _nth(searcher(pattern, flags, "regexp_substr"), text, start, number, group)
    return None if found is None else found[0][found[1]]


def _like_text(text: str, pattern: str, flags: str) -> bool:
    tree, _ = parse(pattern, _like_options(flags))
    found: bool = has_match(pa.array([text]), tree, pattern)[0].as_py()
    return found


def _like_options(flags: str) -> Options:
    options = parse_options(flags)
    if options.every:
        raise InputError("22023", 'regexp_like() does not support the "global" option')
    return options


_LIKE_ROWS = rowwise(_like_text)


def _like(args: Sequence[Datum], info: CallInfo) -> pa.Array | Evaluated:
    """As ~, with flags."""
    if len(args) < 3:
        return _match(Options(), negate=False)(args, info)
    if isinstance(args[2], pa.Scalar):
        try:
            options = _like_options(args[2].as_py())
        except InputError:
            return _LIKE_ROWS(args, info)
        return _match(options, negate=False)(args[:2], info)
    return _LIKE_ROWS(args, info)


def _substring(text: str, pattern: str) -> str | None:
    """substring(text from pattern): the first group, or the whole match where there is none."""
    found = searcher(pattern)
    match = found.regex.search(text)
    return None if match is None else match[1 if found.groups else 0]


# --- replacing ---------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1024)
def _template(replacement: str) -> tuple[str | int, ...]:
    """Text, and numbers of groups (0 is the whole match)."""
    parts: list[str | int] = []
    position = 0
    while position < len(replacement):
        char = replacement[position]
        following = replacement[position + 1 : position + 2]
        if char == "\\" and following and following in "&123456789":
            parts.append(0 if following == "&" else int(following))
            position += 2
            continue
        position += 2 if char == "\\" and following == "\\" else 1
        parts.append(char)
    return tuple(parts)


def _replaced(text: str, found: Searcher, replacement: str, start: int, number: int) -> str:
    """The `number`th match from `start` replaced, or all of them where that is 0."""
    parts = _template(replacement)
    out, end = [], 0
    for place, match in enumerate(found.all(text, start), 1):
        if number and place < number:
            continue
        out.append(text[end : match.start()])
        out += [
            part if isinstance(part, str) else (match[part] or "") if part <= found.groups else ""
            for part in parts
        ]
        end = match.end()
        if number:
            break
    out.append(text[end:])
    return "".join(out)


def _replace_text(text: str, pattern: str, replacement: str, flags: str = "") -> str:
    found = searcher(pattern, flags)
    return _replaced(text, found, replacement, 0, 0 if found.every else 1)


def _replace_from(
    text: str, pattern: str, replacement: str, start: int, number: int = 1, flags: str = ""
) -> str:
    _positive("start", start)
    _positive("n", number, 0)
    return _replaced(text, searcher(pattern, flags), replacement, start - 1, number)


_REPLACE_ROWS = rowwise(_replace_text)


def _replace(args: Sequence[Datum], info: CallInfo) -> pa.Array | Evaluated:
    """regexp_replace(text, pattern, replacement [, flags]); constants go to RE2."""
    if isinstance(args[0], pa.Array) and all(isinstance(datum, pa.Scalar) for datum in args[1:]):
        pattern, replacement, *flags = (datum.as_py() for datum in args[1:])
        try:
            found = searcher(pattern, *flags)
        except InputError:
            return _REPLACE_ROWS(args, info)
        tree, _ = parse(pattern, _plain(parse_options(flags[0] if flags else "")))
        parts = _template(replacement)
        if not nullable(tree) and all(isinstance(part, str) or part <= found.groups for part in parts):
            template = "".join(
                f"\\{part}" if isinstance(part, int) else "\\\\" if part == "\\" else part for part in parts
            )
            try:
                return pc.replace_substring_regex(
                    args[0], render.re2(tree), template, max_replacements=-1 if found.every else 1
                )
            except (render.NoSuchAssertion, pa.ArrowInvalid):
                pass
    return _REPLACE_ROWS(args, info)


def _plain(options: Options) -> Options:
    return Options(options.fold, options.literal, options.dot_stops, options.lines)


# --- SIMILAR TO --------------------------------------------------------------------------------------------------------


def similar_pattern(pattern: str, escape: str = "\\") -> str:
    """SQL's pattern as a regular expression over the whole text.  Raises InputError."""
    if len(escape) > 1:
        raise InputError("22025", "invalid escape string")
    out = ["^(?:"]
    position, bracket = 0, False
    while position < len(pattern):
        char = pattern[position]
        position += 1
        if escape and char == escape:
            if position == len(pattern):
                break
            char = pattern[position]
            position += 1
            if char == '"':
                raise InputError("0A000", "SQL's substring patterns are not supported")
            out.append("\\" + char if char.isascii() else char)
        elif bracket:
            if char == "]":
                bracket = False
            out.append("\\\\" if char == "\\" else char)
        elif char == "[":
            bracket = True
            out.append(char)
            if pattern[position : position + 1] == "^":
                out.append("^")
                position += 1
            if pattern[position : position + 1] == "]":
                raise InputError("0A000", "SIMILAR TO with ] at the begin of brackets is not supported")
        else:
            shown = {"%": ".*", "_": ".", "(": "(?:", ".": "\\.", "^": "\\^", "$": "\\$", "\\": "\\\\"}
            out.append(shown.get(char, char))
    return "".join(out) + ")$"


# --- the functions -----------------------------------------------------------------------------------------------------


def _operator(name: str, operator: str, *, fold: bool, negate: bool) -> Function:
    kernel = _match(Options(fold=fold), negate)
    return Function(
        name,
        tuple(Overload((subject, TEXT), BOOL, kernel, can_fail=True) for subject in (TEXT, BPCHAR, NAME)),
        operator,
    )


def _function(
    name: str, one: Callable[..., Any], result: Any, params: tuple[Any, ...], least: int = 2
) -> Function:
    """`one` of the first `least` parameters and more; those that may find nothing are nullable."""
    kernel = rowwise(one)
    return Function(
        name,
        tuple(
            Overload(params[:count], result, kernel, can_fail=True, nullable=True)
            for count in range(least, len(params) + 1)
        ),
    )


FUNCTIONS: tuple[Function, ...] = (
    _operator("regex_match", "~", fold=False, negate=False),
    _operator("regex_imatch", "~*", fold=True, negate=False),
    _operator("regex_not_match", "!~", fold=False, negate=True),
    _operator("regex_not_imatch", "!~*", fold=True, negate=True),
    Function(
        "regexp_replace",
        (
            *(Overload((TEXT,) * count, TEXT, _replace, can_fail=True) for count in (3, 4)),
            *(
                Overload(
                    (TEXT, TEXT, TEXT, INT4, INT4, TEXT)[:count], TEXT, rowwise(_replace_from), can_fail=True
                )
                for count in (4, 5, 6)
            ),
        ),
    ),
    _function("regexp_match", _regexp_match, array_of(TEXT), (TEXT, TEXT, TEXT)),
    _function("regexp_split_to_array", _split("regexp_split_to_array"), array_of(TEXT), (TEXT, TEXT, TEXT)),
    Function("regexp_like", tuple(Overload((TEXT,) * count, BOOL, _like, can_fail=True) for count in (2, 3))),
    _function("regexp_count", _count, INT4, (TEXT, TEXT, INT4, TEXT)),
    _function("regexp_instr", _instr, INT4, (TEXT, TEXT, INT4, INT4, INT4, TEXT, INT4)),
    _function("regexp_substr", _substr, TEXT, (TEXT, TEXT, INT4, INT4, TEXT, INT4)),
    _function("similar_to_escape", similar_pattern, TEXT, (TEXT, TEXT), 1),
)

OVERLOADS = {"substring": [Overload((TEXT, TEXT), TEXT, rowwise(_substring), can_fail=True, nullable=True)]}
"""Added to functions of other families."""
