"""A port from beginning to end: nothing is written before all is known."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml

from ..check.findings import Place
from ..errors import InvalidParameter
from . import properties, relations
from .jinja import Known
from .models import Draft, Files, Way, advise, untouched
from .outcomes import Note, Outcome, Ported, Weight
from .project import FILE, File, Project, in_order, read
from .relations import Relations

_QUERIES = ("models", "snapshots", "tests", "analyses")
_ONCE = "# ptvc port: from {}; what has `dialect` in its config still is in it."
_NOT_COPIED = (".git", "target", "logs", ".venv", "venv")


@dataclass(slots=True)
class Port:
    """What has become of a project's files, in the order of the project.  `profile`: what profiles.yml is to hold."""

    project: Project
    dialect: str
    files: list[Ported] = field(default_factory=list)

    def with_outcome(self, outcome: Outcome) -> list[Ported]:
        return [one for one in self.files if one.outcome is outcome]

    @property
    def doubtful(self) -> bool:
        return bool(self.with_outcome(Outcome.DOUBTFUL))

    def profile(self) -> dict[str, Any]:
        """One for profiles.yml."""
        name = str(self.project.config.get("profile") or self.project.name)
        output = {"type": "ptvc", "path": ".ptvc", "schema": "public", "threads": 4}
        return {name: {"target": "dev", "outputs": {"dev": output}}}


def port(
    root: Path,
    dialect: str,
    *,
    selection: Sequence[str] = (),
    way: Way = Way.REWRITE,
    catalog: Path | None = None,
) -> Port:
    """`selection`: names, paths or patterns of models; nothing else is ported then."""
    project = read(root)
    chosen = project.chosen(list(selection)) if selection else None
    texts = {file.path: project.text(file.path) for file in project.files if file.suffix == ".sql"}
    known = _known(project, dialect, texts)
    once = project.text(FILE).startswith(_ONCE.format(dialect))
    found = _columns(project, dialect, catalog, once)
    files = Files(project, known, found)
    drafts: dict[str, Draft] = {}
    ported: dict[str, Ported] = {}
    for file in in_order(project.of(*_QUERIES), texts):
        if (chosen is not None and file.path not in chosen) or (
            once and not _remains(project, file, texts, dialect)
        ):
            ported[file.path] = untouched(file.path)
            found.columns.setdefault(f"ref:{file.name}", None)
        else:
            drafts[file.path] = files.draft(file)
    _finish(project, drafts, ported, way, dialect)
    if chosen is None:
        ported |= {file.path: _macros(project, file, dialect) for file in project.of("macros")}
        ported |= {file.path: _python(file) for file in project.of("models", suffix=".py")}
        paths = [FILE, *project.yaml_files()]
        written = [(path, project.text(path)) for path in paths]
        if once:
            ported |= {path: untouched(path) for path in paths}
        else:
            mark = _ONCE.format(dialect)
            ported |= {
                one.file: one for one in properties.port_all(written, dialect, way, project.name, mark)
            }
    order = [FILE, *(file.path for file in project.files)]
    return Port(project, dialect, [ported[path] for path in order if path in ported])


def _remains(project: Project, file: File, texts: Mapping[str, str], dialect: str) -> bool:
    """Of a project that was ported before: whether the file still is in the dialect."""
    text = texts[file.path]
    return (
        re.search(rf"dialect\s*=\s*['\"]{dialect}['\"]", text) is not None
        or project.declared_config(file, "dialect") == dialect
    )


# --- what is known beforehand ---


def _known(project: Project, dialect: str, texts: Mapping[str, str]) -> Known:
    refs = {}
    for file in (
        *project.of("models", "snapshots"),
        *project.of("seeds", suffix=".csv"),
        *project.of("models", suffix=".py"),
    ):
        alias = re.search(r"\balias\s*=\s*['\"](\w+)['\"]", texts.get(file.path, ""))
        snapshot = re.search(r"\{%-?\s*snapshot\s+(\w+)", texts.get(file.path, ""))
        name = file.name if snapshot is None else snapshot[1]
        refs[name] = alias[1] if alias else str(project.declared_config(file, "alias") or name)
    for section, name in project.entries:
        if section == "snapshots":
            refs.setdefault(name, name)
    sources = {key: str(table.get("identifier") or key[1]) for key, table in project.tables.items()}
    macros = {name for path, text in texts.items() for name in re.findall(r"\{%-?\s*macro\s+(\w+)", text)}
    variables = project.config.get("vars") or {}
    own = variables.get(project.name)
    merged = {**variables, **(own if isinstance(own, Mapping) else {})}
    return Known(dialect, refs, sources, merged, frozenset(macros))


def _columns(project: Project, dialect: str, catalog: Path | None, once: bool) -> Relations:
    """`once`: the project's YAML has PostgreSQL's types already."""
    found = Relations()
    by_catalog = {} if catalog is None else relations.of_catalog(catalog, dialect)
    for (source, name), table in project.tables.items():
        key = f"source:{source}.{name}"
        columns = by_catalog.get(key) or relations.translated(
            project.columns(table), None if once else dialect
        )
        found.declare(key, str(table.get("identifier") or name), columns)
    for file in project.of("seeds", suffix=".csv"):
        alias = str(project.declared_config(file, "alias") or file.name)
        found.declare(f"ref:{file.name}", alias, relations.of_seed(project, file, None if once else dialect))
    for file in project.of("models", suffix=".py"):
        found.declare(f"ref:{file.name}", file.name, by_catalog.get(f"ref:{file.name}"))
    found.fallback = by_catalog
    return found


# --- after all models ---


def _finish(
    project: Project, drafts: Mapping[str, Draft], ported: dict[str, Ported], way: Way, dialect: str
) -> None:
    """What depends on more than one model: one that has a dialect cannot read an ephemeral one."""
    materialized = {
        f"ref:{draft.name}": draft.configs.get("materialized")
        or project.declared_config(draft.file, "materialized")
        for draft in drafts.values()
    }
    by_key = {f"ref:{draft.name}": draft for draft in drafts.values()}
    for draft in drafts.values():
        if not draft.can_have_a_dialect or not draft.in_dialect(way):
            continue
        kind = materialized[f"ref:{draft.name}"]
        below = [by_key[key] for key in sorted(draft.reads) if materialized.get(key) == "ephemeral"]
        for one in (*below, *([draft] if kind == "ephemeral" else [])):
            if not one.made_a_view:
                one.made_a_view = True
                one.note(Weight.CHANGE, None, f"ephemeral is view here: {draft.name} has a `dialect`")
    for path, draft in drafts.items():
        advise(draft, materialized[f"ref:{draft.name}"])
        folder = project.declared_config(draft.file, "dialect")
        if way is Way.KEEP and draft.file.section == "models":
            folder = dialect
        ported[path] = draft.finished(way, folder)


_VARIANT = re.compile(r"\{%-?\s*macro\s+(\w+?)__(\w+)")


def _macros(project: Project, file: File, dialect: str) -> Ported:
    """Macros stay: models that call them keep their dialect, so what they make is translated."""
    text, notes = project.text(file.path), []
    variants = {(match[1], match[2]) for match in _VARIANT.finditer(text)}
    lines = text.splitlines()
    for prefix, name in sorted(variants):
        others = {one for one, macro in variants if macro == name}
        if prefix == dialect and not others & {"ptvc", "postgres", "default"}:
            number = next(at for at, line in enumerate(lines, 1) if f"{prefix}__{name}" in line)
            place = Place(file.path, number, 1, 1, lines[number - 1])
            notes.append(
                Note(
                    Weight.DOUBT,
                    place,
                    f"{prefix}__{name} is not called here",
                    f"Write ptvc__{name}, or default__{name}.",
                )
            )
    return Ported(file.path, Outcome.DOUBTFUL if notes else Outcome.UNTOUCHED, None, notes)


def _python(file: File) -> Ported:
    note = Note(
        Weight.DOUBT,
        Place(file.path, 1),
        "a Python model is not translated: its session is a SparkSession here, and its frames are PySpark's",
        "Look whether it calls what only the other warehouse has.",
    )
    return Ported(file.path, Outcome.DOUBTFUL, None, [note])


# --- writing ---


def write(found: Port, target: Path) -> None:
    """The files that change, into the project itself or a copy."""
    for one in found.files:
        if one.text is not None:
            path = target / one.file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(one.text, encoding="utf-8")


def copy(root: Path, target: Path) -> None:
    """The whole project, without what dbt and Git make.  Refuses a directory that holds anything."""
    if target.exists() and any(target.iterdir()):
        raise InvalidParameter(f"{target} is not empty", hint="Name a new directory with --out.")
    inside = target.resolve()
    if inside.is_relative_to(root.resolve()):
        raise InvalidParameter(f"{target} is in the project itself", hint="Name one outside with --out.")

    def left_out(folder: str, names: list[str]) -> set[str]:
        """At the top only: models may well be in a folder that is called `logs`."""
        return {name for name in names if name in _NOT_COPIED} if Path(folder) == root else set()

    shutil.copytree(root, target, ignore=left_out, dirs_exist_ok=True)


def uncommitted(root: Path) -> str | None:
    """Why what is overwritten could not be had back; None if Git has it."""
    try:
        done = subprocess.run(
            ["git", "-C", str(root), "status", "--porcelain", "--", "."],
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError:
        return "there is no Git: what is overwritten cannot be had back"
    if done.returncode:
        return f"{root} is not in Git: what is overwritten cannot be had back"
    return "the working tree has changes that are not committed" if done.stdout.strip() else None


@contextmanager
def result_of(found: Port, target: Path | None) -> Iterator[Path]:
    """A directory with the ported project: where it was written, else a copy for the moment."""
    if target is not None:
        yield target
        return
    with TemporaryDirectory() as folder:
        place = Path(folder) / "project"
        copy(found.project.root, place)
        write(found, place)
        yield place


@contextmanager
def profiles(found: Port) -> Iterator[Path]:
    """A directory with a profiles.yml that the ported project can be checked with."""
    with TemporaryDirectory() as folder:
        (Path(folder) / "profiles.yml").write_text(yaml.safe_dump(found.profile()), encoding="utf-8")
        yield Path(folder)
