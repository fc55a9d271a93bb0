"""One file of SQL: what becomes of its text, and what is doubtful in it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from ..check.findings import Place
from ..check.places import in_text
from ..dialects.rewriting import Edit, applied, edits, same
from ..dialects.translate import survey
from ..errors import PtvcError, Unsupported
from . import config_calls, configs
from .jinja import Known, Reader, refs
from .outcomes import Note, Outcome, Ported, Weight
from .project import File, Project
from .relations import Columns, Relations, translated
from .templates import Dynamic, Piece, PieceKind, Template, covers_a_tag, names_in, pieces, template

MARK = "-- ptvc port:"
_MARKED = re.compile(rf"^[ \t]*{re.escape(MARK)}.*\n", re.MULTILINE)

_HAVE_A_DIALECT = ("models", "tests")
_REWRITE = "Write the model in PostgreSQL's SQL."


class Way(Enum):
    """What is made of what can be translated."""

    REWRITE = "rewrite"
    KEEP = "keep"


@dataclass(slots=True)
class Draft:
    """A file before it is written.  `source` is what was `written`, without marks of a port before.  `ported`: its text in PostgreSQL's SQL, None if there is none; `reads`: keys of relations;
    `configs`: constant arguments of its config calls.  `macros`: of dbt and packages, which write SQL for the adapter."""

    file: File
    written: str
    source: str
    dialect: str
    ported: str | None = None
    planned: bool = False
    notes: list[Note] = field(default_factory=list)
    reads: set[str] = field(default_factory=set)
    configs: dict[str, Any] = field(default_factory=dict)
    macros: frozenset[str] = frozenset()
    made_a_view: bool = False

    @property
    def name(self) -> str:
        snapshot = re.search(r"\{%-?\s*snapshot\s+(\w+)", self.source)
        return self.file.name if snapshot is None else snapshot[1]

    @property
    def can_have_a_dialect(self) -> bool:
        return self.file.section in _HAVE_A_DIALECT

    def in_dialect(self, way: Way) -> bool:
        """Whether it stays as it was written.  What has macros that write PostgreSQL's SQL is rewritten in any case."""
        return self.ported is None or (way is Way.KEEP and self.can_have_a_dialect and not self.macros)

    def doubt(self, offset: int | None, message: str, hint: str | None = None) -> None:
        self.note(Weight.DOUBT, offset, message, hint)

    def note(self, weight: Weight, offset: int | None, message: str, hint: str | None = None) -> None:
        self.notes.append(self.placed(weight, offset, message, hint))

    def placed(self, weight: Weight, offset: int | None, message: str, hint: str | None) -> Note:
        place = Place(self.file.path) if offset is None else in_text(self.source, offset, self.file.path)
        return Note(weight, place, message, hint)

    def finished(self, way: Way, folder_dialect: str | None) -> Ported:
        """`folder_dialect`: the dialect that dbt_project.yml gives the file."""
        in_dialect = self.in_dialect(way)
        added: dict[str, str] = {}
        if in_dialect and self.can_have_a_dialect and folder_dialect != self.dialect:
            added["dialect"] = f"'{self.dialect}'"
        elif not in_dialect and self.can_have_a_dialect and folder_dialect:
            added["dialect"] = "none"
        if self.made_a_view:
            added["materialized"] = "'view'"
        if in_dialect and self.macros:
            called = ", ".join(sorted(self.macros))
            self.doubt(
                None, f"{called} writes PostgreSQL's SQL into it, which is read as {self.dialect}'s", _REWRITE
            )
        text = self.source if in_dialect or self.ported is None else self.ported
        text = _MARKED.sub("", _configured(text, self.dialect, added, in_dialect))
        self.notes.sort(key=lambda note: note.place.line)
        text = _marked(text, self.source, [note for note in self.notes if note.weight is Weight.DOUBT])
        doubtful = any(note.weight is Weight.DOUBT for note in self.notes)
        outcome = Outcome.DOUBTFUL if doubtful else Outcome.KEPT if in_dialect else Outcome.PORTED
        return Ported(
            self.file.path, outcome, None if text == self.written else text, self.notes, self.planned
        )


# --- configs and marks ---


def _configured(text: str, dialect: str, added: Mapping[str, str], in_dialect: bool) -> str:
    """Each config call as it is to be; what is added goes into the first, or into one of its own."""
    parts, left = [], dict(added)
    try:
        found = pieces(text)
    except Dynamic:
        return text
    for piece in found:
        if piece.kind is PieceKind.TEXT or not config_calls.is_config(piece):
            parts.append(piece.raw)
            continue

        def fate(argument: config_calls.Argument, given: Mapping[str, str] = added) -> configs.Fate | None:
            if argument.name in given or (argument.name == "dialect" and not in_dialect):
                return configs.Fate("")
            return configs.fate(dialect, argument.name, argument.value)

        try:
            parts.append(config_calls.changed(piece, fate, left))
            left = {}
        except Dynamic:
            parts.append(piece.raw)
    made = "".join(parts)
    if found and parts and parts[0] == "":
        made = made.lstrip("\n")
    if left:
        arguments = ", ".join(f"{name}={value}" for name, value in left.items())
        call = f"{{{{ config({arguments}) }}}}\n"
        snapshot = re.search(r"\{%-?\s*snapshot\s+\w+\s*-?%\}\n?", made)
        at = 0 if snapshot is None else snapshot.end()
        made = made[:at] + call + made[at:]
    return made


def _marked(text: str, source: str, doubts: Sequence[Note]) -> str:
    """With a comment above each line that something is doubtful in."""
    lines = text.splitlines(keepends=True)
    starts = _starts(text)
    wanted: dict[int, list[str]] = {}
    for note in doubts:
        at = starts[min(_line_in(lines, note.place, source), len(starts) - 1)]
        wanted.setdefault(at, []).append(_comment(note))
    made = []
    for number, line in enumerate(lines or [""]):
        indent = line[: len(line) - len(line.lstrip())] if line.strip() else ""
        made += [f"{indent}{comment}\n" for comment in dict.fromkeys(wanted.get(number, ()))]
        made.append(line)
    return "".join(made)


def _line_in(lines: Sequence[str], place: Place, source: str) -> int:
    """Lines of configs may have gone from the text, above the line."""
    wanted = place.text.strip()
    behind = source.splitlines()[place.line :] if place.line else []
    at = len(lines) - len(behind) - 1
    if place.line and 0 <= at < len(lines) and lines[at].strip() == wanted:
        return at
    return next((number for number, line in enumerate(lines) if wanted and line.strip() == wanted), 0)


_STRINGS = re.compile(r"""'(?:''|\\.|[^'\\])*'|--[^\n]*|/\*.*?\*/""", re.DOTALL)


def _starts(text: str) -> list[int]:
    """Of each line, the line above which a comment may stand: not within Jinja, a string or a comment."""
    count = text.count("\n") + 1
    starts = list(range(count))
    spans = [(one.start(), one.end()) for one in _STRINGS.finditer(text)]
    try:
        spans += [(one.start, one.end) for one in pieces(text) if one.kind is not PieceKind.TEXT]
    except Dynamic:
        return [0] * count
    for start, end in sorted(spans):
        first, last = text.count("\n", 0, start), text.count("\n", 0, end)
        for line in range(first + 1, last + 1):
            starts[line] = starts[first]
    return starts


def _comment(note: Note) -> str:
    said = note.message if note.hint is None else f"{note.message}. {note.hint}"
    return f"{MARK} " + re.sub(r"\s+", " ", re.sub(r"\{[{%#]|[}%#]\}", "", said)).strip()


def read_configs(draft: Draft, piece: Piece) -> None:
    try:
        found = config_calls.arguments(piece)
    except Dynamic:
        draft.doubt(piece.start, "the arguments of config() are only known when dbt compiles")
        return
    for argument in found:
        draft.configs[argument.name] = argument.value
        fate = configs.fate(draft.dialect, argument.name, argument.value)
        if fate is None:
            continue
        said = _said(argument.name, argument.value, fate)
        weight = Weight.DOUBT if fate.doubt else Weight.CHANGE
        draft.note(weight, piece.start + argument.start, said, fate.hint)


def _said(name: str, value: Any, fate: configs.Fate) -> str:
    if fate.value is None:
        return f"{name} is left out: {fate.why}"
    return f"{name}: {fate.why}" if fate.value == "" else f"{name}: {value} is {fate.value} here: {fate.why}"


# --- SQL ---


class Files:
    """What all files are ported with."""

    def __init__(self, project: Project, known: Known, relations: Relations) -> None:
        self.project = project
        self.known = known
        self.relations = relations

    def draft(self, file: File) -> Draft:
        written = self.project.text(file.path)
        draft = Draft(file, written, _MARKED.sub("", written), self.known.dialect)
        key = f"ref:{draft.name}"
        try:
            for piece in pieces(draft.source):
                if piece.kind is not PieceKind.TEXT and config_calls.is_config(piece):
                    read_configs(draft, piece)
            self._translate(draft, key)
        except Dynamic as error:
            draft.doubt(
                error.offset,
                f"contains Jinja that is only known when dbt compiles: {error.reason}",
                (error.hint or _DYNAMIC_HINT)
                if draft.can_have_a_dialect
                else "Write it in PostgreSQL's SQL.",
            )
        columns = self.relations.columns.get(key)
        if columns is not None and not self.relations.defined(key):
            self.relations.declare(key, self.known.refs.get(draft.name, draft.name), columns)
        elif columns is None:
            self.relations.declare(
                key, self.known.refs.get(draft.name, draft.name), self._declared(draft, key)
            )
        return draft

    def _declared(self, draft: Draft, key: str) -> Columns | None:
        """What a catalog, or its contract, says of a model that is not translated."""
        entry = self.project.entries.get(("models", draft.name)) or {}
        config = entry.get("config") or {}
        contract = draft.configs.get("contract") or config.get("contract") or entry.get("contract") or {}
        enforced = isinstance(contract, Mapping) and contract.get("enforced")
        if enforced:
            return translated(self.project.columns(entry), self.known.dialect)
        return self.relations.fallback.get(key)

    def _translate(self, draft: Draft, key: str) -> None:
        alias = str(draft.configs.get("alias") or self.known.refs.get(draft.name, draft.name))
        reader = Reader(self.known, key, alias)
        try:
            made = template(draft.source, draft.dialect, reader)
        finally:
            draft.macros = frozenset(reader.macros)
            draft.reads = reader.read - {key} | {f"ref:{name}" for name in refs(draft.source)}
        attempt = _Attempt(draft, made, self.relations, key, alias)
        if attempt.run():
            return
        if attempt.undefined and (outside := draft.reads & attempt.declared):
            # What is declared is not all that there is: of the rest nothing is known.
            attempt = _Attempt(draft, made, self.relations, key, alias, frozenset(outside))
            if attempt.run():
                return
        draft.notes += attempt.notes


_DYNAMIC_HINT = (
    "The model keeps its dialect: dbt build translates what Jinja has made of it, and refuses what cannot be."
)


class _Attempt:
    """A translation of all readings of a template.  `unknown`: keys of relations of which nothing is taken to be known."""

    def __init__(
        self,
        draft: Draft,
        made: Template,
        relations: Relations,
        key: str,
        alias: str,
        unknown: frozenset[str] = frozenset(),
    ) -> None:
        self.draft = draft
        self.made = made
        self.relations = relations
        self.key = key
        self.alias = alias
        self.unknown = unknown
        self.notes: list[Note] = []
        self.undefined = False
        self.declared = {one for one in draft.reads if one.startswith("source:")}

    def run(self) -> bool:
        draft, readings, made = self.draft, [], self.made
        for number, choice in enumerate(made.choices()):
            text = made.reading(choice)
            if not text.strip():
                raise Dynamic("a query that a condition may leave out", 0)
            found = survey(text, draft.dialect, self._columns_of, made.opaque)
            if number == 0:
                self.relations.columns[self.key] = found.columns
            if found.sql is None:
                self._refuse(found.refused)
                continue
            readings.append((choice, text, found.sql))
            if not self._plan(found.sql, first=number == 0):
                return False
        if self.notes:
            return False
        try:
            sql = self._edited(readings)
        except PtvcError as error:
            self._note(None, error)
            return False
        draft.ported = made.restore(sql)
        return True

    def _columns_of(self, schema: str | None, _name: str) -> Columns | None:
        relation = self.made.relations.get(schema or "")
        return (
            None
            if relation is None or relation.key in self.unknown
            else self.relations.columns.get(relation.key)
        )

    def _refuse(self, refused: Sequence[PtvcError]) -> None:
        """What several readings refuse is said once."""
        for error in refused:
            self._note(None if error.position is None else self.made.offset(error.position - 1), error)

    def _note(self, offset: int | None, error: PtvcError) -> None:
        message = self.made.restore(error.message)
        note = self.draft.placed(Weight.DOUBT, offset, message, error.hint)
        if note not in self.notes:
            self.notes.append(note)

    # --- the planner ---

    def _plan(self, sql: str, *, first: bool) -> bool:
        """Whether the planner takes it, or cannot be asked."""
        shown = self._shown(sql)
        if shown is None:
            self.draft.planned = False
            return True
        try:
            if first:
                self.relations.plan(self.key, self.alias, shown)
                self.draft.planned = True
            else:
                self.relations.plan(f"{self.key}:{hash(sql)}", self.alias, shown)
        except PtvcError as error:
            self.undefined = error.sqlstate in ("42703", "42P01")
            self._note(self._where(shown, error), _of_the_planner(error))
            return False
        return True

    def _shown(self, sql: str) -> str | None:
        """The text without placeholders; None if one of them cannot be shown to the planner."""
        used = names_in([sql])
        if self.unknown & {self.made.relations[mark].key for mark in used if mark in self.made.relations}:
            return None
        for mark in sorted(used, key=len, reverse=True):
            relation = self.made.relations.get(mark)
            if relation is not None:
                if not self.relations.defined(relation.key):
                    return None
                sql = sql.replace(f"{mark}.", f'"{self.relations.schema(relation.key)}".')
                continue
            wanted = self.made.values[mark].wanted
            if wanted is None:
                return None
            sql = sql.replace(mark, wanted)
        return sql

    def _where(self, shown: str, error: PtvcError) -> int | None:
        """The place in the source of the word that the planner means, if it is there once."""
        match = None if error.position is None else re.match(r"[\w.]+", shown[error.position - 1 :])
        if match is None:
            return None
        found = [
            one.start() for one in re.finditer(rf"(?<![\w.]){re.escape(match[0])}(?!\w)", self.draft.source)
        ]
        return found[0] if found else None

    # --- the text ---

    def _edited(self, readings: Sequence[tuple[Mapping[str, bool], str, str]]) -> str:
        """The template with the edits of all readings, which have to be of one mind where they have the same text."""
        merged: set[Edit] = set()
        for _, text, sql in readings:
            merged.update(edits(text, self.draft.dialect, sql))
        ordered = sorted(merged)
        for one, other in itertools.pairwise(ordered):
            if other.start < one.end or (one.start, one.end) == (other.start, other.end):
                raise _apart()
        if any(covers_a_tag(self.made, one.start, one.end) for one in ordered):
            raise _apart()
        for choice, text, sql in readings:
            chosen = [one for one in ordered if not self._is_blank(choice, one)]
            if not same(applied(text, chosen), sql):
                raise _apart()
        return applied(self.made.sql, ordered)

    def _is_blank(self, choice: Mapping[str, bool], edit: Edit) -> bool:
        return any(
            start <= edit.start and edit.end <= end and choice[name] != when
            for start, end, name, when in self.made.conditions
        )


def _apart() -> Unsupported:
    return Unsupported(
        "what is rewritten is divided by a condition of Jinja", hint="Write whole expressions on both sides."
    )


def _of_the_planner(error: PtvcError) -> PtvcError:
    """What it says is of the translated text, which is not shown."""
    return PtvcError(
        f"the runtime does not take its translation: {error.message}",
        sqlstate=error.sqlstate,
        hint=error.hint or _REWRITE,
    )


# --- advice ---

_FILTER = re.compile(r"\s*(where|and|having|qualify)\b", re.IGNORECASE)


def advise(draft: Draft, materialized: str | None) -> None:
    """An incremental model that only looks at what is new is a materialized view, which does so by itself."""
    if materialized != "incremental":
        return
    try:
        found = pieces(draft.source)
    except Dynamic:
        return
    depth, filters = 0, True
    for piece in found:
        if piece.kind is PieceKind.TAG and piece.word == "if":
            depth += 1
            filters &= re.sub(r"\s", "", piece.code) == "ifis_incremental()"
        elif piece.kind is PieceKind.TAG and piece.word == "endif":
            depth -= 1
        elif piece.kind is PieceKind.TAG and piece.word in ("else", "elif", "for"):
            filters = False
        elif depth and piece.kind is PieceKind.TEXT and piece.raw.strip() and piece.raw.lstrip()[:2] != "--":
            first = found[found.index(piece) - 1]
            if first.kind is PieceKind.TAG and first.word == "if":
                filters &= _FILTER.match(piece.raw) is not None
    if filters and draft.configs.get("incremental_strategy") != "microbatch":
        draft.note(
            Weight.ADVICE,
            None,
            "incremental with no more than a filter of what is new",
            "materialized_view keeps it up to date by itself, with changes of old rows too; take the filter out.",
        )


def untouched(path: str) -> Ported:
    return Ported(path, Outcome.UNTOUCHED)
