"""A check from beginning to end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from ..clock import SystemClock
from ..errors import InvalidParameter
from .changes import Version
from .checker import Checker, NotRendered, Rendered
from .declared import Columns
from .environment import Environment
from .nodes import Node, Project
from .running import Running


@dataclass(frozen=True, slots=True)
class Subject:
    """What is checked: a project, how its code is made SQL, the catalog that it fills, and what else knows columns of sources."""

    project: Project
    rendered: Rendered
    environment: Environment
    known: Known
    former_of: Callable[[Path], AbstractContextManager[Subject]]

    def check(self) -> Version:
        result = Checker(self.project, self.environment, self.rendered, self.known).run()
        return Version(self.project, result, self.environment)

    def former(self, state: Path) -> Version:
        """As the manifest in a directory says it was: by its compiled code, or, where it has none, rendered now."""
        with self.former_of(state) as subject:
            return subject.check()


@dataclass(frozen=True, slots=True)
class Known:
    """Of sources, what is known beside the project: from a runtime that runs, and from a catalog.json."""

    running: Running | None = None
    catalog: Mapping[str, Columns] = field(default_factory=dict)

    def columns_of(self, node: Node) -> Columns | None:
        """A catalog.json does not say where NULL may not be."""
        found = None if self.running is None else self.running.columns_of(node)
        return found if found is not None else self.catalog.get(node.id)

    def own_tables_of(self, source: Node) -> Mapping[str, Columns]:
        return {} if self.running is None else self.running.own_tables_of(source)

    def environment(self) -> Environment:
        ask = None if self.running is None else self.running.ask
        return Environment(SystemClock().now_ms() * 1000, ask)


NOTHING = Known()


@contextmanager
def of_manifest(manifest: Path, root: Path, known: Known = NOTHING) -> Iterator[Subject]:
    """As `dbt compile` has left it: nothing is rendered, dbt is not needed."""
    project, former = Project.read(manifest, root), partial(of_manifest, root=root, known=known)
    models = project.of_type("model")
    if models and all(model.compiled is None for model in models):
        raise InvalidParameter(
            "the manifest has no compiled code: `dbt parse` writes none",
            hint="Run `dbt compile`, or leave --manifest out: then the project's files are checked.",
        )
    yield Subject(project, _compiled, known.environment(), known, former)


@contextmanager
def of_project(root: Path, options: Sequence[str], known: Known = NOTHING) -> Iterator[Subject]:
    """As the files are now; `options` are those of `dbt parse`."""
    from .rendering import former, parse, rendering  # which loads dbt

    parsed = parse(root.resolve(), options)

    @contextmanager
    def of_state(state: Path) -> Iterator[Subject]:
        project, environment = Project.read(state, root), known.environment()
        if all(node.compiled is not None for node in project.of_type("model")):
            yield Subject(project, _compiled, environment, known, of_state)
            return
        with rendering(former(parsed, state), environment) as renderer:
            yield Subject(project, renderer, environment, known, of_state)

    environment = known.environment()
    with rendering(parsed, environment) as renderer:
        yield Subject(parsed.project, renderer, environment, known, of_state)


def _compiled(node: Node) -> str:
    if node.compiled is None:
        raise NotRendered("the manifest has no compiled code of it: `dbt compile` writes that")
    return node.compiled
