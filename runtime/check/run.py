"""A check from beginning to end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ..clock import SystemClock
from .checker import Checker, NotRendered, Rendered, Result, SourceColumns
from .environment import Environment
from .nodes import Node, Project


@dataclass(frozen=True, slots=True)
class Subject:
    """What is checked: a project, how its code is made SQL, and the catalog that it fills."""

    project: Project
    rendered: Rendered
    environment: Environment

    def check(self, sources: SourceColumns | None = None) -> Result:
        return Checker(self.project, self.environment, self.rendered, sources).run()


@contextmanager
def of_manifest(manifest: Path, root: Path) -> Iterator[Subject]:
    """As `dbt compile` has left it: nothing is rendered, dbt is not needed."""
    yield Subject(Project.read(manifest, root), _compiled, _environment())


@contextmanager
def of_project(root: Path, options: Sequence[str]) -> Iterator[Subject]:
    """As the files are now; `options` are those of `dbt parse`."""
    from .rendering import parse, rendering  # which loads dbt

    parsed, environment = parse(root.resolve(), options), _environment()
    with rendering(parsed, environment) as renderer:
        yield Subject(parsed.project, renderer, environment)


def _environment() -> Environment:
    return Environment(SystemClock().now_ms() * 1000)


def _compiled(node: Node) -> str:
    if node.compiled is None:
        raise NotRendered("the manifest has no compiled code of it: `dbt compile` writes that")
    return node.compiled
