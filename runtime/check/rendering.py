"""The project through dbt itself: parsed as dbt parses it, and each node rendered by dbt's own Jinja, with a stand-in for the connection.

Parsing is dbt's `parse`, with its partial parsing, and writes what that writes.  Rendering is what `dbt compile` does with a node.  Nodes are
rendered one by one, in the order in which they are checked: macros that look at the catalog find there what was checked before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from click.exceptions import ClickException
from dbt.adapters.factory import adapter_management, get_adapter, register_adapter, reset_adapters
from dbt.artifacts.schemas.manifest import WritableManifest
from dbt.cli.exceptions import ExceptionExit, ResultExit
from dbt.cli.main import cli
from dbt.context.providers import generate_runtime_macro_context
from dbt.context.query_header import generate_query_header_context
from dbt.contracts.graph.manifest import Manifest
from dbt.contracts.graph.nodes import UnitTestDefinition
from dbt.mp_context import get_mp_context
from dbt.parser.unit_tests import UnitTestManifestLoader
from dbt_common.exceptions import DbtBaseException

from ..errors import InvalidParameter
from ..given_files import read_text
from . import places, yaml_places
from .checker import NotRendered
from .environment import Environment
from .findings import ERROR, Finding, NotParsed, Place
from .nodes import Node, Project
from .stand_in import NoAnswer, columns_in_relation, connections_to, relation_in
from .template_context import LeanCompiler

ADAPTER = "ptvc"


@dataclass(frozen=True, slots=True)
class Parsed:
    """A project as dbt has parsed it."""

    config: Any
    manifest: Manifest
    project: Project


def parse(root: Path, options: Sequence[str]) -> Parsed:
    """`options` are those of `dbt parse`."""
    quiet = [
        "--quiet",
        "--log-level",
        "none",
        "--log-level-file",
        "none",
        "--no-version-check",
        "--no-send-anonymous-usage-stats",
    ]
    arguments = [*quiet, "parse", "--project-dir", str(root), *options]
    context = cli.make_context(cli.name, arguments)
    context.obj = {"manifest": None, "callbacks": [], "dbt_runner_command_args": arguments}
    try:
        with _unregistered_after(), context:
            cli.invoke(context)
    except ExceptionExit as error:
        raise _not_parsed(error.exception, root) from error
    except ResultExit as error:
        raise InvalidParameter("dbt could not parse the project") from error
    except ClickException as error:
        raise InvalidParameter(
            error.format_message(), hint="These are the options of `dbt parse`."
        ) from error
    config, manifest = context.obj["runtime_config"], context.obj["manifest"]
    if config.credentials.type != ADAPTER:
        raise InvalidParameter(
            f"the profile is one of {config.credentials.type}, and what is checked is what the runtime of {ADAPTER} takes",
            hint=f"Name a target of type {ADAPTER} with --target.",
        )
    return Parsed(config, manifest, Project.from_json(_json(manifest), Path(config.project_root)))


def former(parsed: Parsed, state: Path) -> Parsed:
    """What the manifest in a directory holds, with the macros that it had, under the profile that there is now."""
    path = state / "manifest.json" if state.is_dir() else state
    manifest = Manifest.from_writable_manifest(WritableManifest.read_and_check_versions(str(path)))
    manifest.build_flat_graph()  # type: ignore[no-untyped-call]
    return Parsed(parsed.config, manifest, parsed.project)


def _json(manifest: Manifest) -> dict[str, Any]:
    """As much of manifest.json as is read of it."""
    found: dict[str, Any] = {
        section: {id_: node.to_dict(omit_none=True) for id_, node in getattr(manifest, section).items()}
        for section in ("nodes", "sources", "functions", "unit_tests")
    }
    found["metadata"] = {"project_name": manifest.metadata.project_name}
    return found


@contextmanager
def rendering(parsed: Parsed, environment: Environment) -> Iterator[Renderer]:
    with adapter_management(), _unregistered_after():
        register_adapter(parsed.config, get_mp_context())
        adapter: Any = get_adapter(parsed.config)
        adapter.connections = connections_to(environment)(parsed.config, get_mp_context())
        adapter.get_columns_in_relation = partial(columns_in_relation, environment)
        adapter.get_relation = partial(relation_in, environment, adapter._relation)
        adapter.set_macro_context_generator(generate_runtime_macro_context)
        adapter.set_macro_resolver(parsed.manifest)
        adapter.connections.set_query_header(generate_query_header_context(parsed.config, parsed.manifest))
        yield Renderer(parsed, adapter)


@contextmanager
def _unregistered_after() -> Iterator[None]:
    """dbt keeps adapters for its next invocation in this process, which is to find none of another project, nor one that asks nobody."""
    try:
        yield
    finally:
        reset_adapters()  # type: ignore[no-untyped-call]


class Renderer:
    """A `checker.Rendered`."""

    def __init__(self, parsed: Parsed, adapter: Any) -> None:
        self._parsed = parsed
        self._adapter = adapter
        self._compiler = LeanCompiler(parsed.config, adapter, parsed.manifest)

    def __call__(self, node: Node) -> str:
        with self._adapter.connection_named(node.id):
            try:
                if node.type == "unit_test":
                    return self._unit_test(node)
                manifest = self._parsed.manifest
                known: Any = manifest.functions if node.type == "function" else manifest.nodes
                return (
                    self._compiler.compile_node(known[node.id], manifest, {}, write=False).compiled_code or ""
                )
            except NoAnswer as error:
                raise NotRendered(f"its Jinja asks a runtime: {error}") from error
            except DbtBaseException as error:
                if (asked := _no_answer(error)) is not None:
                    raise NotRendered(f"its Jinja asks a runtime: {asked}") from error
                raise NotRendered("Jinja", self._finding(node, error)) from error

    def _unit_test(self, node: Node) -> str:
        manifest = self._parsed.manifest
        definition = manifest.unit_tests[node.id]
        assert isinstance(definition, UnitTestDefinition)
        loader = UnitTestManifestLoader(manifest, self._parsed.config, {node.id})
        own = loader.load()
        return self._compiler.compile_node(own.nodes[node.id], own, {}, write=False).compiled_code or ""  # type: ignore[arg-type]

    def _finding(self, node: Node, error: DbtBaseException) -> Finding:
        message, root = _message(error), self._parsed.project.root
        if node.type == "unit_test":
            return Finding(ERROR, "jinja", message, node.id, yaml_places.of_node(root, node))
        place = _in_jinja(error, message, node.file, node.raw, root)
        return Finding(ERROR, "jinja", message, node.id, place or Place(node.file))


def _in_jinja(error: BaseException, message: str, file: str, raw: str, root: Path) -> Place | None:
    """Where in a template the error has come up, or what it names stands."""
    lines, first = raw.splitlines(), places.first_line(file, raw, root)
    if (named := _UNDEFINED.search(message)) is not None:
        found = places.first_of(file, lines, named[1], first)
        if found is not None:
            return found
    line = getattr(error, "lineno", None) or _line_of_jinja(error) or _said_line(message)
    if line is None or not 0 < line <= len(lines):
        return None
    return Place(file, first + line - 1, 0, 1, lines[line - 1])


def _said_line(message: str) -> int | None:
    found = _LINE.search(message)
    return int(found[1]) if found is not None else None


def _no_answer(error: BaseException) -> NoAnswer | None:
    """dbt wraps what a macro raises."""
    found: BaseException | None = error
    while found is not None and not isinstance(found, NoAnswer):
        found = found.__cause__ or found.__context__
    return found


def _line_of_jinja(error: BaseException) -> int | None:
    """The line of the template that Jinja has been at."""
    found: BaseException | None = error
    while found is not None:
        traceback, line = found.__traceback__, None
        while traceback is not None:
            if traceback.tb_frame.f_code.co_filename == "<template>":
                line = line or traceback.tb_lineno
            traceback = traceback.tb_next
        if line is not None:
            return line
        found = found.__cause__ or found.__context__
    return None


def _message(error: BaseException | None) -> str:
    """Without the stack of macros, which dbt adds below."""
    lines = str(getattr(error, "msg", None) or error).strip().splitlines()
    return "\n".join(line for line in lines if not line.lstrip().startswith((">", "in macro"))).strip()


_FILE = re.compile(
    r"\(([^()\s]+\.(?:sql|yml|yaml|csv|py|md))\)|(?:in|at path|file) ([^\s:,]+\.(?:sql|yml|yaml|csv|py|md))"
)
_LINE = re.compile(r"line (\d+)")
_NAMED = re.compile(r"named '([^']+)'")
_UNDEFINED = re.compile(r"'(\w+)' is undefined")


def _not_parsed(error: BaseException | None, root: Path) -> Exception:
    """A finding where the project is wrong, an error where it cannot be looked at."""
    message = _message(error)
    node = getattr(error, "node", None)
    match = _FILE.search(message)
    file = getattr(node, "original_file_path", None) or (match and (match[1] or match[2]))
    if error is None or file is None:
        return InvalidParameter(f"dbt cannot parse the project: {message}")
    try:
        text = read_text(root / file)
    except OSError:
        text = ""
    place = None
    if (named := _NAMED.search(message)) is not None:
        place = places.first_of(str(file), text.splitlines(), named[1].rpartition(".")[2])
    place = place or _in_jinja(error, message, str(file), getattr(node, "raw_code", text), root)
    return NotParsed(
        Finding(ERROR, "parse", message, getattr(node, "unique_id", ""), place or Place(str(file)))
    )
