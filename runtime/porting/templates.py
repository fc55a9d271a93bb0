"""SQL with Jinja in it, as SQL with placeholders, which a parser can read and which Jinja is put back into.

Tags and comments become comments, values and relations become names, each of its own.  `{% if %}` chooses among texts: each of them is a
reading, of the same length, in which what is not chosen is blank.  What is only known when dbt compiles makes the template `Dynamic`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import product

from ..dialects.values import Kind


class Dynamic(Exception):
    """What the template says is not known before dbt compiles it: at `offset`, because of `reason`.  `hint`: what that means."""

    def __init__(self, reason: str, offset: int, hint: str | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.offset = offset
        self.hint = hint


class PieceKind(Enum):
    TEXT = "text"
    VALUE = "value"  # {{ }}
    TAG = "tag"  # {% %}
    COMMENT = "comment"  # {# #}


@dataclass(frozen=True, slots=True)
class Piece:
    """`raw` is `source[start:end]`; `code` what is between the braces."""

    kind: PieceKind
    raw: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.raw)

    @property
    def code(self) -> str:
        return self.raw[2:-2].removeprefix("-").removeprefix("+").removesuffix("-").removesuffix("+").strip()

    @property
    def word(self) -> str:
        """Of a tag, the first."""
        return self.code.split(maxsplit=1)[0] if self.code else ""


_OPEN = re.compile(r"\{\{|\{%|\{#")
_KINDS = {"{{": PieceKind.VALUE, "{%": PieceKind.TAG, "{#": PieceKind.COMMENT}
_WITHIN = re.compile(r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|\}\}|%\}|[{}]""", re.DOTALL)


def pieces(source: str) -> list[Piece]:
    """All of the source, in order.  Raises Dynamic for Jinja that does not end."""
    found, at = [], 0
    while (match := _OPEN.search(source, at)) is not None:
        if match.start() > at:
            found.append(Piece(PieceKind.TEXT, source[at : match.start()], at))
        end = _end(source, match)
        found.append(Piece(_KINDS[match[0]], source[match.start() : end], match.start()))
        at = end
    if at < len(source):
        found.append(Piece(PieceKind.TEXT, source[at:], at))
    return found


def _end(source: str, opening: re.Match[str]) -> int:
    if opening[0] == "{#":
        end = source.find("#}", opening.end())
        if end >= 0:
            return end + 2
        raise Dynamic("a comment of Jinja does not end", opening.start())
    closing, depth, at = ("}}" if opening[0] == "{{" else "%}"), 0, opening.end()
    while (match := _WITHIN.search(source, at)) is not None:
        at = match.end()
        if match[0] == closing and depth == 0:
            return match.end()
        if match[0] == "{":
            depth += 1
        elif match[0] in ("}", "}}", "%}"):
            depth = max(depth - len(match[0].strip("%")), 0)
    raise Dynamic("Jinja does not end", opening.start())


# --- what pieces stand for ---


@dataclass(frozen=True, slots=True)
class Relation:
    """`key` says which to who knows relations; `name` is what the relation is called in the text around."""

    key: str
    name: str


@dataclass(frozen=True, slots=True)
class Opaque:
    """A value.  `text`: its text, where that is known.  `wanted`: what the planner is shown in its place.  `in_quotes`: outside of them it
    would be any SQL."""

    kind: Kind | None
    text: str | None = None
    wanted: str | None = None
    in_quotes: bool = False


@dataclass(frozen=True, slots=True)
class Inline:
    """SQL of the dialect that the text around is in."""

    sql: str


class Nothing:
    """A call of config, say."""


Meaning = Relation | Opaque | Inline | Nothing


Meanings = Callable[[Piece], Meaning]
"""Raises Dynamic for what is not known."""


# --- the text with placeholders ---

_PREFIX = "ptvc_j"
_MARK = re.compile(r"ptvc_j(\d+)_")
_NAME_BEHIND = r"""\s*\.\s*(?:`[^`]*`|"[^"]*"|\w+)"""


@dataclass(slots=True)
class Template:
    """`sql` has placeholders; `relations`, `values` are by placeholder."""

    source: str
    dialect: str
    sql: str = ""
    relations: dict[str, Relation] = field(default_factory=dict)
    values: dict[str, Opaque] = field(default_factory=dict)
    restored: dict[str, str] = field(default_factory=dict)
    tags: list[tuple[int, int]] = field(default_factory=list)
    _offsets: list[tuple[int, int]] = field(default_factory=list)
    conditions: list[tuple[int, int, str, bool]] = field(default_factory=list)

    @property
    def opaque(self) -> Mapping[str, Kind | None]:
        return {name: value.kind for name, value in self.values.items()}

    def offset(self, at: int) -> int:
        """Where in the source that is which is at `at` in the SQL."""
        before = [pair for pair in self._offsets if pair[0] <= at]
        sql, source = before[-1] if before else (0, 0)
        following = self._offsets[len(before)][1] if len(before) < len(self._offsets) else len(self.source)
        return min(source + at - sql, max(following - 1, source))

    def restore(self, sql: str) -> str:
        """Jinja in the places of placeholders."""
        marks = sorted(self.restored, key=len, reverse=True)
        patterns = [re.escape(mark) + (_NAME_BEHIND if mark in self.relations else "") for mark in marks]
        if not patterns:
            return sql

        def written(match: re.Match[str]) -> str:
            found = match[0]
            if found in self.restored:
                return self.restored[found]
            return self.restored[found[: found.index(".")].strip()]

        return re.sub("|".join(patterns), written, sql)

    def choices(self) -> Iterator[Mapping[str, bool]]:
        """Each way in which the conditions may turn out."""
        names = list(dict.fromkeys(name for _, _, name, _ in self.conditions))
        if len(names) > _MOST_CONDITIONS:
            raise Dynamic("too many conditions of Jinja", 0)
        for values in product((False, True), repeat=len(names)):
            yield dict(zip(names, values, strict=True))

    def reading(self, choice: Mapping[str, bool]) -> str:
        """The SQL, with what is not chosen blank."""
        found = self.sql
        for start, end, name, when in self.conditions:
            if choice[name] != when:
                found = found[:start] + _blank(found[start:end]) + found[end:]
        return found


_MOST_CONDITIONS = 4


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def template(
    source: str, dialect: str, meanings: Meanings, *, start: int = 0, end: int | None = None
) -> Template:
    """Of `source[start:end]`.  Raises Dynamic."""
    made = Template(source, dialect)
    builder = _Builder(made, meanings)
    for piece in pieces(source[: len(source) if end is None else end]):
        if piece.start >= start:
            builder.add(piece)
    builder.finish()
    return made


@dataclass(slots=True)
class _Open:
    """An `{% if %}` that is not ended: the conditions of its branches before, and where the branch began."""

    denied: list[str]
    name: str
    when: bool
    start: int
    outer: int


class _Builder:
    def __init__(self, made: Template, meanings: Meanings) -> None:
        self._made = made
        self._meanings = meanings
        self._parts: list[str] = []
        self._length = 0
        self._count = 0
        self._stack: list[_Open] = []

    def add(self, piece: Piece) -> None:
        match piece.kind:
            case PieceKind.TEXT:
                if _PREFIX in piece.raw:
                    raise Dynamic(f'"{_PREFIX}" is what placeholders are called', piece.start)
                self._put(piece.raw, piece.start)
            case PieceKind.COMMENT:
                self._comment(piece)
            case PieceKind.TAG:
                self._tag(piece)
            case PieceKind.VALUE:
                self._value(piece)

    def finish(self) -> None:
        if self._stack:
            raise Dynamic("an `if` that does not end", len(self._made.source) - 1)
        self._made.sql = "".join(self._parts)
        _whole_strings(self._made)
        _whole_names(self._made)

    def _put(self, text: str, source: int) -> None:
        self._made._offsets.append((self._length, source))
        self._parts.append(text)
        self._length += len(text)

    def _mark(self) -> str:
        self._count += 1
        return f"{_PREFIX}{self._count}_"

    def _comment(self, piece: Piece) -> None:
        mark = f"/*{self._mark()}*/"
        self._made.restored[mark] = piece.raw
        self._put(mark, piece.start)

    def _value(self, piece: Piece) -> None:
        meaning = self._meanings(piece)
        if isinstance(meaning, Nothing):
            return self._comment(piece)
        if isinstance(meaning, Inline):
            return self._put(meaning.sql, piece.start)
        mark = self._mark()
        self._made.restored[mark] = piece.raw
        if isinstance(meaning, Relation):
            self._made.relations[mark] = meaning
            return self._put(f"{mark}.{_quoted(meaning.name, self._made.dialect)}", piece.start)
        self._made.values[mark] = meaning
        return self._put(mark, piece.start)

    def _tag(self, piece: Piece) -> None:
        start = self._length
        match piece.word:
            case "if":
                self._comment(piece)
                self._branch(piece, [], piece.code[2:].strip())
            case "elif":
                denied = self._close(piece)
                self._comment(piece)
                self._branch(piece, denied, piece.code[4:].strip())
            case "else":
                denied = self._close(piece)
                if len(denied) != 1:
                    raise Dynamic("a chain of conditions of Jinja", piece.start)
                self._comment(piece)
                name, when = _condition(denied[0])
                self._stack.append(_Open(denied, name, not when, self._length, start))
            case "endif":
                self._close(piece)
                self._comment(piece)
            case "snapshot" | "endsnapshot":
                self._comment(piece)
            case "set" if "=" in piece.code:
                self._meanings(piece)
                self._comment(piece)
            case "do" if piece.code.startswith("do config("):
                self._comment(piece)
            case word:
                raise Dynamic(f"`{word}`", piece.start)
        self._made.tags.append((start, self._length))

    def _branch(self, piece: Piece, denied: list[str], code: str) -> None:
        if denied:
            raise Dynamic("a chain of conditions of Jinja", piece.start)
        name, when = _condition(code)
        self._stack.append(_Open([code], name, when, self._length, 0))

    def _close(self, piece: Piece) -> list[str]:
        if not self._stack:
            raise Dynamic(f"`{piece.word}` without an `if`", piece.start)
        open_ = self._stack.pop()
        self._made.conditions.append((open_.start, self._length, open_.name, open_.when))
        return open_.denied


def _condition(code: str) -> tuple[str, bool]:
    code = re.sub(r"\s+", " ", code)
    return (code[4:].strip(), False) if code.startswith("not ") else (code, True)


_BACKTICKS = ("bigquery", "databricks")


def _quoted(name: str, dialect: str) -> str:
    if re.fullmatch(r"[a-z_][a-z0-9_]*", name):
        return name
    return f"`{name}`" if dialect in _BACKTICKS else '"' + name.replace('"', '""') + '"'


_STRINGS = re.compile(r"""'(?:''|\\.|[^'\\])*'|"(?:""|\\.|[^"\\])*"|--[^\n]*|/\*.*?\*/""", re.DOTALL)
_ISO = re.compile(r"(\d{4})(-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?)?)")


def _whole_strings(made: Template) -> None:
    """A string with Jinja in it is one value: a text of which nothing is known, or a date that stands for the one that it is."""
    strings = ("'", '"') if made.dialect in _BACKTICKS else ("'",)
    parts, at, shift = [], 0, 0
    moves: list[tuple[int, int, int]] = []
    ends: list[tuple[int, int]] = []
    for match in _STRINGS.finditer(made.sql):
        marks = _MARK.findall(match[0])
        if not marks or match[0].startswith(("--", "/*")):
            continue
        if match[0][0] not in strings:
            continue
        ends.append((match.end(), made.offset(match.end())))
        text = _string(made, match)
        parts += [made.sql[at : match.start()], text]
        at = match.end()
        shift += len(text) - len(match[0])
        moves.append((match.start(), match.end(), shift))
    if not moves:
        return
    parts.append(made.sql[at:])

    def moved(place: int) -> int:
        by = 0
        for start, end, shift_behind in moves:
            if start < place < end:
                return start + by
            if end <= place:
                by = shift_behind
        return place + by

    made.sql = "".join(parts)
    made.tags = [(moved(a), moved(b)) for a, b in made.tags]
    made._offsets = sorted({(moved(a), b) for a, b in (*made._offsets, *ends)})
    made.conditions = [(moved(a), moved(b), name, when) for a, b, name, when in made.conditions]


def _string(made: Template, match: re.Match[str]) -> str:
    inner = match[0][1:-1]
    used = [f"{_PREFIX}{number}_" for number in _MARK.findall(inner)]
    source = made.offset(match.start())
    if "\\" in inner or any(mark not in made.values for mark in used):
        raise Dynamic("Jinja in a string", source)
    values = [made.values.pop(mark) for mark in used]
    written = inner if match[0][0] == "'" else inner.replace('""', '"').replace("'", "''")
    jinja = {mark: made.restored.pop(mark) for mark in used}
    for mark, raw in jinja.items():
        written = written.replace(mark, raw)
    written = f"'{written}'"
    known = values[0].text if len(used) == 1 and inner == used[0] else None
    if known is not None and (date := _ISO.fullmatch(known)) is not None:
        stand_in = next(
            text
            for year in range(1604, 9999, 4)
            if (text := f"'{year}{date[2]}'") not in made.sql and text not in made.restored
        )
        made.restored[stand_in] = written
        return stand_in
    mark = used[0]
    made.restored[mark] = written
    made.values[mark] = Opaque(
        Kind.TEXT, None, None if known is None else "'" + known.replace("'", "''") + "'"
    )
    return mark


def _whole_names(made: Template) -> None:
    for mark, value in made.values.items():
        at = made.sql.find(mark)
        around = made.sql[max(at - 1, 0) : at], made.sql[at + len(mark) : at + len(mark) + 1]
        if value.in_quotes or any(re.fullmatch(r"[\w$\"`]", one) for one in around):
            raise Dynamic(f"`{Piece(PieceKind.VALUE, made.restored[mark], 0).code}`", made.offset(at))


def covers_a_tag(made: Template, start: int, end: int) -> bool:
    return any(start < place < end for place, _ in made.tags)


def names_in(texts: Sequence[str]) -> set[str]:
    """The placeholders in them."""
    return {f"{_PREFIX}{number}_" for text in texts for number in _MARK.findall(text)}
