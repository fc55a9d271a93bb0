"""A dbt project as its manifest has it: nodes, and an order in which each comes after those that it reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from dbt.adapters.ptvc.staging.staged import in_place, staging_schema
from dbt.adapters.ptvc.translation import dialect_of

from .artifacts import read_artifact

RELATIONS = ("model", "seed", "snapshot", "source", "function")
"""Types of nodes that others may read."""

_DECLARED = ("source", "seed")
"""They come first: they read nothing."""

_KINDS = {"materializedview": "materialized_view"}


@dataclass(frozen=True, slots=True)
class Node:
    """A node of the manifest, of whichever type.  `file` and `declared_in` are paths from the project: of its code, and of the
    YAML that says more of it.  `compiled` is its code after Jinja, if the manifest has that."""

    id: str
    type: str
    name: str
    package: str
    schema: str
    alias: str
    file: str
    raw: str
    compiled: str | None
    language: str
    config: Mapping[str, Any]
    columns: Mapping[str, Mapping[str, Any]]
    depends_on: tuple[str, ...]
    declared_in: str | None = None
    constraints: tuple[Mapping[str, Any], ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """Its materialization; of what has none, its type."""
        if self.type not in ("model", "test"):
            return self.type
        found = str(self.config.get("materialized") or "view")
        return _KINDS.get(found, found)

    @property
    def dialect(self) -> str | None:
        """That its query is written in, if it is another warehouse's."""
        return dialect_of(self.config, generic=self.is_generic_test)

    @property
    def contract(self) -> bool:
        """Whether a contract is enforced."""
        return bool((self.config.get("contract") or {}).get("enforced"))

    @property
    def shown(self) -> str:
        return (
            f"{self.type.replace('_', ' ')} {self.name}"
            if self.type != "source"
            else f"source {self.extra['source']}.{self.name}"
        )

    @property
    def is_generic_test(self) -> bool:
        return self.type == "test" and bool(self.extra.get("test"))

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> Node:
        patch = raw.get("patch_path") or ""
        file = str(raw.get("original_file_path") or "")
        type_ = str(raw["resource_type"])
        return cls(
            id=raw["unique_id"],
            type=type_,
            name=raw["name"],
            package=raw.get("package_name") or "",
            schema=str(raw.get("schema") or ""),
            alias=raw.get("alias") or raw.get("identifier") or raw["name"],
            file=file,
            raw=raw.get("raw_code") or "",
            compiled=raw.get("compiled_code"),
            language=raw.get("language") or "sql",
            config=raw.get("config") or {},
            columns=raw.get("columns") or {},
            depends_on=tuple((raw.get("depends_on") or {}).get("nodes") or ()),
            declared_in=patch.partition("://")[2] or (file if file.endswith((".yml", ".yaml")) else None),
            constraints=tuple(raw.get("constraints") or ()),
            extra=_extra(raw),
        )


def _extra(raw: Mapping[str, Any]) -> dict[str, Any]:
    """What only some types have."""
    found: dict[str, Any] = {}
    if raw.get("test_metadata"):
        found |= {
            "test": raw["test_metadata"],
            "column": raw.get("column_name"),
            "attached": raw.get("attached_node"),
        }
    if raw.get("source_name"):
        found["source"] = raw["source_name"]
    for name in ("root_path", "arguments", "returns", "model", "expect"):
        if raw.get(name) is not None:
            found[name] = raw[name]
    return found


@dataclass(frozen=True, slots=True)
class Project:
    """`nodes` by id, each after those that it depends on."""

    name: str
    root: Path
    nodes: Mapping[str, Node]

    @classmethod
    def from_json(cls, manifest: Mapping[str, Any], root: Path) -> Project:
        found: dict[str, Node] = {}
        for section in ("sources", "nodes", "functions", "unit_tests"):
            for id_, raw in (manifest.get(section) or {}).items():
                if (raw.get("config") or {}).get("enabled", True):
                    found[id_] = Node.from_json(raw)
        found = _in_place(found)
        declared = {id_: node for id_, node in found.items() if node.type in _DECLARED}
        name = (manifest.get("metadata") or {}).get("project_name") or ""
        return cls(name, root, in_order(declared | found))

    @classmethod
    def read(cls, manifest: Path, root: Path) -> Project:
        """A manifest.json, or that in a directory."""
        return read_artifact(
            manifest, "manifest", lambda found: cls.from_json(found, root), "`dbt parse` or `dbt compile`"
        )

    def of_type(self, *types: str) -> list[Node]:
        return [node for node in self.nodes.values() if node.type in types]

    def named(self, name: str) -> Node | None:
        """By name, or by id; a model before what else has the name, and this project's before a package's."""
        if name in self.nodes:
            return self.nodes[name]
        found = [node for node in self.of_type(*RELATIONS) if node.name == name]
        found.sort(key=lambda node: (node.type != "model", node.package != self.name))
        if not found and "." in name:
            source, _, table = name.partition(".")
            found = [n for n in self.of_type("source") if n.name == table and n.extra.get("source") == source]
        return found[0] if found else None


def _in_place(nodes: Mapping[str, Node]) -> dict[str, Node]:
    """Their compiled code names what a run of dbt has staged by its place: `dbt build` writes into a manifest where it read that."""
    schemas = {node.schema for node in nodes.values() if node.schema}
    staged_beside = [schema for schema in schemas if staging_schema(schema) not in schemas]
    return {
        id_: node if node.compiled is None else replace(node, compiled=in_place(node.compiled, staged_beside))
        for id_, node in nodes.items()
    }


def in_order(nodes: Mapping[str, Node]) -> dict[str, Node]:
    """Each after those that it depends on; what is alike in that, in the order that it came in."""
    ordered: dict[str, Node] = {}
    under_way: set[str] = set()
    for root in nodes:
        pending: list[tuple[str, Iterable[str] | None]] = [(root, None)]
        while pending:
            id_, rest = pending.pop()
            if rest is not None:
                ordered[id_] = nodes[id_]
                continue
            if id_ in ordered or id_ in under_way or id_ not in nodes:
                continue
            under_way.add(id_)
            pending.append((id_, ()))
            pending += [(below, None) for below in reversed(nodes[id_].depends_on)]
    return ordered
