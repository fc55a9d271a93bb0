"""A dbt project's files as they lie there: dbt is not run, as its adapter for the other warehouse may not be there, nor its packages."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

import yaml

from ..errors import InvalidParameter
from .jinja import refs

FILE = "dbt_project.yml"

_FOLDERS = {
    "models": ("model-paths", "models"),
    "seeds": ("seed-paths", "seeds"),
    "snapshots": ("snapshot-paths", "snapshots"),
    "tests": ("test-paths", "tests"),
    "macros": ("macro-paths", "macros"),
    "analyses": ("analysis-paths", "analyses"),
}
_RELATIONS = ("models", "seeds", "snapshots")
_YAML = (".yml", ".yaml")


@dataclass(frozen=True, slots=True)
class File:
    """`section` is what dbt_project.yml calls its kind; `below` its path below the folder of these."""

    path: str
    section: str
    below: PurePosixPath

    @property
    def name(self) -> str:
        return self.below.stem

    @property
    def suffix(self) -> str:
        return self.below.suffix.lower()


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    type: str | None
    quoted: bool = False


@dataclass(slots=True)
class Project:
    """`config` is dbt_project.yml; `entries` what YAML says of a node, by section and name; `tables` of sources."""

    root: Path
    config: Mapping[str, Any]
    files: list[File]
    entries: dict[tuple[str, str], Mapping[str, Any]] = field(default_factory=dict)
    tables: dict[tuple[str, str], Mapping[str, Any]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return str(self.config.get("name") or "")

    def text(self, path: str) -> str:
        try:
            return (self.root / path).read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise InvalidParameter(f"{path} is not UTF-8", hint="dbt reads no other.") from error

    def of(self, *sections: str, suffix: str = ".sql") -> list[File]:
        return [file for file in self.files if file.section in sections and file.suffix == suffix]

    def yaml_files(self) -> list[str]:
        return [file.path for file in self.files if file.suffix in _YAML]

    def named(self, name: str) -> File | None:
        return next((one for one in self.files if one.section in _RELATIONS and one.name == name), None)

    def folder_config(self, file: File, key: str) -> Any:
        """What dbt_project.yml says of the file's folder, the nearest; None if nothing."""
        found, at = None, self.config.get(file.section)
        for part in ("", self.name, *file.below.parts[:-1], file.name):
            at = at if not part else at.get(part) if isinstance(at, Mapping) else None
            if isinstance(at, Mapping):
                found = next((at[name] for name in (f"+{key}", key) if name in at), found)
        return found

    def declared_config(self, file: File, key: str) -> Any:
        """What the YAML entry of the file's node says, else what its folder's config is."""
        entry = self.entries.get((file.section, file.name)) or {}
        config = entry.get("config")
        if isinstance(config, Mapping) and key in config:
            return config[key]
        return self.folder_config(file, key)

    def columns(self, entry: Mapping[str, Any] | None) -> list[Column]:
        listed = (entry or {}).get("columns") or []
        return [
            Column(str(one["name"]), one.get("data_type"), bool(one.get("quote")))
            for one in listed
            if isinstance(one, Mapping) and one.get("name")
        ]

    def chosen(self, selection: list[str]) -> set[str]:
        """Paths of files that the selection names: by name, by path, or by a pattern; all if it is empty."""
        chosen = set()
        for one in selection:
            found = {
                file.path
                for file in self.files
                if fnmatch.fnmatch(file.name, one)
                or fnmatch.fnmatch(file.path, one)
                or file.path.startswith(one.rstrip("/") + "/")
            }
            if not found:
                raise InvalidParameter(
                    f'there is no model "{one}"', hint="Name models, their paths, or folders."
                )
            chosen |= found
        return chosen


def read(root: Path) -> Project:
    path = root / FILE
    if not path.is_file():
        raise InvalidParameter(f"there is no {FILE} in {root}", hint="Name the project with --project-dir.")
    config = _load(path.read_text(encoding="utf-8"))
    if not isinstance(config, Mapping):
        raise InvalidParameter(f"{path} is not YAML of dbt")
    project = Project(root, config, [])
    for section, (key, default) in _FOLDERS.items():
        for folder in config.get(key) or [default]:
            project.files += _below(root, section, str(folder))
    for file in project.yaml_files():
        _declare(project, _load(project.text(file)))
    return project


def _below(root: Path, section: str, folder: str) -> Iterator[File]:
    start = root / folder
    for path in sorted(start.rglob("*")) if start.is_dir() else ():
        if path.is_file() and path.suffix.lower() in (".sql", ".csv", ".py", *_YAML):
            below = PurePosixPath(path.relative_to(start).as_posix())
            yield File(path.relative_to(root).as_posix(), section, below)


def _load(text: str) -> Any:
    try:
        return yaml.load(text, Loader=_LOADER)
    except yaml.YAMLError:
        return None


_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _declare(project: Project, document: Any) -> None:
    if not isinstance(document, Mapping):
        return
    for section in _RELATIONS:
        for entry in _mappings(document.get(section)):
            project.entries[section, str(entry.get("name"))] = entry
    for source in _mappings(document.get("sources")):
        for table in _mappings(source.get("tables")):
            project.tables[str(source.get("name")), str(table.get("name"))] = table


def _mappings(listed: Any) -> list[Mapping[str, Any]]:
    return [one for one in listed if isinstance(one, Mapping)] if isinstance(listed, list) else []


def in_order(files: list[File], texts: Mapping[str, str]) -> list[File]:
    """Each after those that it reads by `ref`."""
    by_name = {file.name: file for file in files}
    ordered: dict[str, File] = {}
    under_way: set[str] = set()

    def visit(file: File) -> None:
        if file.path in under_way:
            return
        under_way.add(file.path)
        for name in refs(texts[file.path]):
            if name in by_name:
                visit(by_name[name])
        ordered[file.path] = file

    for file in files:
        visit(file)
    return list(ordered.values())
