"""A check from beginning to end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from ..clock import SystemClock
from .changes import Version
from .checker import Checker, NotRendered, Rendered, SourceColumns
from .environment import Environment
from .nodes import Node, Project


@dataclass(frozen=True, slots=True)
class Subject:
    """What is checked: a project, how its code is made SQL, and the catalog that it fills."""

    project: Project
    rendered: Rendered
    environment: Environment
    former_of: Callable[[Path], AbstractContextManager[Subject]]

    def check(self, sources: SourceColumns | None = None) -> Version:
        result = Checker(self.project, self.environment, self.rendered, sources).run()
        return Version(self.project, result, self.environment)

    def former(self, state: Path, sources: SourceColumns | None = None) -> Version:
        """As the manifest in a directory says it was: by its compiled code, or, where it has none, rendered now."""
        with self.former_of(state) as subject:
            return subject.check(sources)


@contextmanager
def of_manifest(manifest: Path, root: Path) -> Iterator[Subject]:
    """As `dbt compile` has left it: nothing is rendered, dbt is not needed."""
    former = partial(of_manifest, root=root)
    yield Subject(Project.read(manifest, root), _compiled, _environment(), former)


@contextmanager
def of_project(root: Path, options: Sequence[str]) -> Iterator[Subject]:
    """As the files are now; `options` are those of `dbt parse`."""
    from .rendering import former, parse, rendering  # which loads dbt

    parsed = parse(root.resolve(), options)

    @contextmanager
    def of_state(state: Path) -> Iterator[Subject]:
        project = Project.read(state, root)
        if all(node.compiled is not None for node in project.of_type("model")):
            yield Subject(project, _compiled, _environment(), of_state)
            return
        environment = _environment()
        with rendering(former(parsed, state), environment) as renderer:
            yield Subject(project, renderer, environment, of_state)

    environment = _environment()
    with rendering(parsed, environment) as renderer:
        yield Subject(parsed.project, renderer, environment, of_state)


def _environment() -> Environment:
    return Environment(SystemClock().now_ms() * 1000)


def _compiled(node: Node) -> str:
    if node.compiled is None:
        raise NotRendered("the manifest has no compiled code of it: `dbt compile` writes that")
    return node.compiled
