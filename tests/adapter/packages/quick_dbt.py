"""A plug-in of the pytest that runs elementary's tests: dbt does once what it would do for each of some thousand commands.

What it has parsed is kept for each set of `--vars` (dbt keeps the last only, and those tests take turns between several), the tree of a
template for each text, and `manifest.json` is written when the tests read it, not twice a command.
"""

from __future__ import annotations

import hashlib
import json
from importlib import import_module
from pathlib import Path
from typing import Any

import dbt.parser.manifest as parsing
import dbt.task.runnable as running
import jinja2

_full_manifest = parsing.ManifestLoader.get_full_manifest.__func__  # type: ignore[attr-defined]
_parse = jinja2.Environment.parse
_trees: dict[tuple[type, str], Any] = {}
_unwritten: dict[str, Any] = {}


def _kept_manifest(cls: Any, config: Any, *args: Any, **kwargs: Any) -> Any:
    variables = json.dumps(config.cli_vars, sort_keys=True, default=str).encode()
    kept = f"partial_parse_{hashlib.sha256(variables).hexdigest()[:16]}.msgpack"
    parsing.PARTIAL_PARSE_FILE_NAME = kept  # type: ignore[attr-defined]
    return _full_manifest(cls, config, *args, **kwargs)


def _kept_tree(self: Any, source: str, name: str | None = None, filename: str | None = None) -> Any:
    key = (type(self), source)
    if key not in _trees:
        _trees[key] = _parse(self, source, name, filename)
    return _trees[key]


def _write_later(manifest: Any, target_path: str, which: str | None = None) -> None:
    manifest.build_parent_and_child_maps()
    manifest.build_group_map()
    _unwritten[target_path] = manifest


def pytest_collection_finish() -> None:
    """From now on the program's modules can be imported, and so the one that reads `manifest.json`."""
    runner = import_module("adapter_query_runner").AdapterQueryRunner
    load = runner._load_manifest_maps

    def load_what_is_written(self: Any) -> None:
        while _unwritten:
            target_path, manifest = _unwritten.popitem()
            manifest.write(str(Path(self._project_dir, target_path, "manifest.json")))
        load(self)

    runner._load_manifest_maps = load_what_is_written


parsing.ManifestLoader.get_full_manifest = classmethod(_kept_manifest)  # type: ignore[method-assign, assignment]
parsing.write_manifest = running.write_manifest = _write_later  # type: ignore[attr-defined]
jinja2.Environment.parse = _kept_tree  # type: ignore[method-assign]
