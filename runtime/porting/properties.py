"""`dbt_project.yml` and the YAML beside models: configs, types of columns, and SQL in them."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

import yaml

from ..check.findings import Place
from ..dialects.rewriting import applied, edits
from ..dialects.translate import survey, type_of
from . import configs
from .models import Way
from .outcomes import Note, Outcome, Ported, Weight
from .project import FILE
from .yaml_edits import Document, Entry, plain

_NODES = ("models", "seeds", "snapshots", "sources", "tests", "data_tests", "analyses", "macros")
_SQL_KEYS = ("expression", "where", "row_condition", "loaded_at_field", "filter")
_TEXT = re.compile(
    r"(?:character varying|char varying|varchar|string|text|nvarchar)\s*\(\s*(\d+)\s*\)", re.IGNORECASE
)


def ported_type(type_: str, dialect: str) -> str | None:
    """Of a column that is declared; None where there is none with the same values."""
    bounded = _TEXT.fullmatch(type_.strip())
    if bounded is not None and dialect in ("snowflake", "bigquery"):  # which count letters
        return f"varchar({bounded[1]})"
    return type_of(type_, dialect)


class Properties:
    """A YAML file that is ported."""

    def __init__(self, path: str, text: str, dialect: str) -> None:
        self._path = path
        self._dialect = dialect
        self._document = Document(text)
        self._notes: list[Note] = []

    def port(self) -> Ported:
        if self._document.tree is None:
            self._notes.append(
                Note(Weight.DOUBT, Place(self._path), "is not YAML before Jinja: it is not read")
            )
            return self._ported()
        for entry in list(self._document.entries()):
            section = entry.path[0]
            if section == "unit_tests":
                self._unit_test(entry)
            elif section in _NODES:
                self._entry(entry)
            elif section in ("on-run-start", "on-run-end") and len(entry.path) == 1:
                self._note(Weight.DOUBT, entry, f"SQL in {section} is not translated", _LOOK)
        return self._ported()

    def _ported(self) -> Ported:
        text = self._document.edited()
        changed = text != self._document.text
        doubtful = any(note.weight is Weight.DOUBT for note in self._notes)
        outcome = Outcome.DOUBTFUL if doubtful else Outcome.PORTED if changed else Outcome.UNTOUCHED
        return Ported(self._path, outcome, text if changed else None, self._notes)

    def _note(self, weight: Weight, entry: Entry, message: str, hint: str | None = None) -> None:
        mark = entry.key.start_mark
        lines = self._document.text.splitlines()
        length = max(entry.key.end_mark.column - mark.column, 1)
        place = Place(self._path, mark.line + 1, mark.column + 1, length, lines[mark.line])
        self._notes.append(Note(weight, place, message, hint))
        if weight is Weight.DOUBT:
            said = message if hint is None else f"{message}. {hint}"
            self._document.insert_line(
                mark.line, " " * mark.column + "# ptvc port: " + " ".join(said.split())
            )

    # --- entries ---

    def _entry(self, entry: Entry) -> None:
        key, above = str(entry.path[-1]), entry.path[-2] if len(entry.path) > 1 else None
        if key in ("data_type", "type") and "columns" in entry.path and "constraints" not in entry.path:
            if key == "data_type":
                self._type(entry)
        elif key == "database" and len(entry.path) == 3 and entry.path[0] == "sources":
            self._document.remove(entry)
            self._note(Weight.CHANGE, entry, f"database is left out: {configs.ONE_DATABASE.why}")
        elif above in ("column_types", "+column_types"):
            self._type(entry)
        elif key in _SQL_KEYS and isinstance(entry.value, yaml.ScalarNode):
            self._sql(entry)
        elif self._is_config(entry):
            self._config(entry)

    def _is_config(self, entry: Entry) -> bool:
        """Below `config:`, or in dbt_project.yml, where folders have the names of configs only with a mapping."""
        if "config" in entry.path[:-1]:
            return entry.path[-2] == "config"
        if self._path != FILE or any(str(part).startswith("+") for part in entry.path[:-1]):
            return False
        return str(entry.path[-1]).startswith("+") or not isinstance(entry.value, yaml.MappingNode)

    def _config(self, entry: Entry) -> None:
        name, value = str(entry.path[-1]), plain(entry.value)
        fate = configs.fate(self._dialect, name, value)
        if fate is None:
            return
        weight = Weight.DOUBT if fate.doubt else Weight.CHANGE
        if fate.value is None:
            self._document.remove(entry)
            self._note(weight, entry, f"{name} is left out: {fate.why}", fate.hint)
        elif fate.value:
            self._document.replace(entry.value, fate.value)
            self._note(weight, entry, f"{name}: {value} is {fate.value} here: {fate.why}", fate.hint)
        else:
            self._note(weight, entry, f"{name}: {fate.why}", fate.hint)

    def _type(self, entry: Entry) -> None:
        written = str(entry.value.value)
        found = ported_type(written, self._dialect)
        if found is None:
            self._note(
                Weight.DOUBT,
                entry,
                f"the type {written} has none here that is known to have the same values",
                _TYPE_HINTS.get(
                    re.split(r"\W", written.strip().lower())[0], "Name the type of PostgreSQL that is meant."
                ),
            )
        elif re.sub(r"\s", "", found.lower()) != re.sub(r"\s", "", written.lower()):
            self._document.replace(
                entry.value, found if "," not in found or not entry.owner.flow_style else f'"{found}"'
            )
            self._note(Weight.CHANGE, entry, f"{written} is {found} here")

    def _sql(self, entry: Entry) -> None:
        """An expression, the end of one, or a condition: rewritten where it means the same whatever the types of its columns are."""
        text = str(entry.value.value)
        if "{{" in text or "{%" in text:
            self._note(Weight.DOUBT, entry, f"SQL with Jinja in {entry.path[-1]} is not translated", _LOOK)
            return
        for begin in ("select 1 as v from t where ", "select 1 as v from t where x "):
            found = survey(begin + text, self._dialect)
            if found.sql is None:
                continue
            rewritten = applied(begin + text, edits(begin + text, self._dialect, found.sql))
            if not rewritten.startswith(begin):
                continue
            rewritten = rewritten.removeprefix(begin)
            if rewritten != text:
                self._document.replace(entry.value, json.dumps(rewritten, ensure_ascii=False))
                self._note(Weight.CHANGE, entry, f"{text} is {rewritten} here")
            return
        self._note(
            Weight.DOUBT,
            entry,
            f"what {entry.path[-1]} says is not known to mean the same here: {text}",
            _LOOK,
        )

    def _unit_test(self, entry: Entry) -> None:
        if entry.path[-1] == "format" and plain(entry.value) == "sql":
            self._note(Weight.DOUBT, entry, "SQL in a unit test's rows is not translated", _LOOK)

    # --- dbt_project.yml ---

    def give_dialect(self, name: str) -> None:
        """`+dialect` for the project's models."""
        line = f"+dialect: {self._dialect}"
        sections = {entry.path: entry for entry in self._document.entries() if len(entry.path) <= 3}
        project, models = sections.get(("models", name)), sections.get(("models",))
        if (known := sections.get(("models", name, "+dialect"))) is not None:
            self._document.replace(known.value, self._dialect)
        elif project is not None and isinstance(project.value, yaml.MappingNode) and project.value.value:
            first = project.value.value[0][0].start_mark
            if not project.value.flow_style:
                self._document.insert_line(first.line, " " * first.column + line)
        elif models is not None:
            indent = " " * (models.key.start_mark.column + 2)
            self._document.insert_line(models.key.start_mark.line + 1, f"{indent}{name}:\n{indent}  {line}")
        else:
            self._append(f"models:\n  {name}:\n    {line}")

    def say_once(self, comment: str) -> None:
        self._document.insert_line(0, comment)

    def _append(self, text: str) -> None:
        end = self._document.text.count("\n") + 1
        before = "" if self._document.text.endswith("\n") else "\n"
        self._document.insert_line(end, f"{before}\n{text}")


_LOOK = "Look whether it means the same here."
_TYPE_HINTS = {
    "variant": "jsonb holds documents; what reads them is written otherwise.",
    "object": "jsonb holds documents; what reads them is written otherwise.",
    "array": "Name the element: text[], say; or jsonb.",
    "super": "jsonb holds documents; what reads them is written otherwise.",
    "json": "jsonb holds documents; what reads them is written otherwise.",
    "struct": "jsonb holds documents, and types of your own fields.",
    "float": "It has four bytes or eight: real, or double precision.",
    "timestamp_tz": "timestamptz keeps the instant, and not the offset that it was written with.",
    "varchar": "Its length counts bytes: text holds all of it.",
}


def port_all(
    files: Sequence[tuple[str, str]], dialect: str, way: Way, project: str, mark: str
) -> list[Ported]:
    """YAML files by path and text."""
    found = []
    for path, text in files:
        properties = Properties(path, text, dialect)
        if path == FILE:
            properties.say_once(mark)
        if path == FILE and way is Way.KEEP:
            properties.give_dialect(project)
        found.append(properties.port())
    return found
