"""Where in the project's YAML files a model, one of its columns or a test of these is written."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import yaml

from ..given_files import read_text
from .findings import Place
from .nodes import Node

_SECTIONS = {
    "model": "models",
    "seed": "seeds",
    "snapshot": "snapshots",
    "unit_test": "unit_tests",
    "function": "functions",
}
_TESTS = ("data_tests", "tests")


def of_node(root: Path, node: Node) -> Place:
    """Where the node is declared, or its own file where it is not."""
    found = _entry(root, node)
    return Place(node.file) if found is None else _place(root, str(node.declared_in), found)


def of_column(root: Path, node: Node, column: str) -> Place | None:
    """Where the node's column is declared."""
    entry = _entry(root, node)
    found = None if entry is None else _column(entry, column)
    return None if found is None else _place(root, str(node.declared_in), found)


def of_test(root: Path, test: Node, attached: Node | None) -> Place:
    """Where a generic test is written: below a column, or below its model."""
    entry = None if attached is None else _entry(root, attached, test.file)
    if entry is None:
        return Place(test.file)
    column = test.extra.get("column")
    owner = entry if column is None else _column(entry, column) or entry
    metadata = test.extra["test"]
    name = ".".join(part for part in (metadata.get("namespace"), metadata["name"]) if part)
    found = next((item for item in _tests(owner) if name in _names(item)), owner)
    return _place(root, test.file, found)


def _place(root: Path, file: str, node: yaml.Node) -> Place:
    """Of an item of a list, what names it is meant."""
    named = _value(node, "name") if isinstance(node, yaml.MappingNode) else None
    shown = named or (node.value[0][0] if isinstance(node, yaml.MappingNode) and node.value else node)
    mark = shown.start_mark
    length = shown.end_mark.column - mark.column if shown.end_mark.line == mark.line else 1
    text = _text(root / file).splitlines()[mark.line]
    return Place(file, mark.line + 1, mark.column + 1, max(length, 1), text)


def _entry(root: Path, node: Node, file: str | None = None) -> yaml.MappingNode | None:
    path = file or node.declared_in
    document = None if path is None else _document(root / path)
    if document is None:
        return None
    if node.type == "source":
        for source in _items(document, "sources"):
            if _scalar(source, "name") == node.extra["source"]:
                return _named(source, "tables", node.name)
        return None
    return _named(document, _SECTIONS.get(node.type, ""), node.name)


def _column(entry: yaml.MappingNode, column: str) -> yaml.MappingNode | None:
    return _named(entry, "columns", column)


def _tests(entry: yaml.Node) -> Iterator[yaml.Node]:
    for word in _TESTS:
        listed = _value(entry, word)
        if isinstance(listed, yaml.SequenceNode):
            yield from listed.value


def _names(item: yaml.Node) -> list[str]:
    """What a test in a list may be called: itself, or the key of what says more of it."""
    if isinstance(item, yaml.ScalarNode):
        return [item.value]
    if isinstance(item, yaml.MappingNode):
        return [str(key.value) for key, _ in item.value] + [_scalar(item, "test_name") or ""]
    return []


def _named(node: yaml.Node, section: str, name: str) -> yaml.MappingNode | None:
    return next((item for item in _items(node, section) if _scalar(item, "name") == name), None)


def _items(node: yaml.Node, section: str) -> list[yaml.MappingNode]:
    listed = _value(node, section)
    if not isinstance(listed, yaml.SequenceNode):
        return []
    return [item for item in listed.value if isinstance(item, yaml.MappingNode)]


def _value(node: yaml.Node, name: str) -> yaml.Node | None:
    if not isinstance(node, yaml.MappingNode):
        return None
    found: list[yaml.Node] = [value for key, value in node.value if key.value == name]
    return found[0] if found else None


def _scalar(node: yaml.Node, name: str) -> str | None:
    found = _value(node, name)
    return str(found.value) if isinstance(found, yaml.ScalarNode) else None


@lru_cache(maxsize=1000)
def _text(path: Path) -> str:
    return read_text(path)


@lru_cache(maxsize=1000)
def _document(path: Path) -> yaml.Node | None:
    """What the file says, with lines; None if it is not there, or is no YAML before Jinja."""
    try:
        found: yaml.Node | None = yaml.compose(_text(path), Loader=_LOADER)
    except (OSError, UnicodeDecodeError, yaml.YAMLError):
        return None
    return found


_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
