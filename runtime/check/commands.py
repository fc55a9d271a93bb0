"""The commands: what they are told, and what they exit with.

0: nothing is wrong; 1: something is; 2: it could not be looked at.
"""

from __future__ import annotations

import gc
import json
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from ..config import DATABASE, DEFAULT_PORT, DEFAULT_USER
from ..directory import RuntimeInfo
from ..errors import PtvcError

if TYPE_CHECKING:
    from .run import Subject
    from .running import Running

WRONG, IMPOSSIBLE = 1, 2

ProjectOption = Annotated[
    Path, typer.Option("--project-dir", help="The dbt project.", envvar="DBT_PROJECT_DIR")
]
ManifestOption = Annotated[
    Path | None,
    typer.Option(
        "--manifest",
        help="A manifest.json that `dbt compile` has written, or its directory: it is taken as it is, and dbt is not run.",
    ),
]
ProfilesOption = Annotated[Path | None, typer.Option("--profiles-dir", help="As dbt's option.")]
TargetOption = Annotated[str | None, typer.Option("--target", "-t", help="As dbt's option.")]
VarsOption = Annotated[str | None, typer.Option("--vars", help="As dbt's option.")]
JsonOption = Annotated[bool, typer.Option("--json", help="JSON, as docs/check.md describes it.")]


CatalogOption = Annotated[
    Path | None,
    typer.Option("--catalog", help="A catalog.json of `dbt docs generate`, for columns of sources."),
]
PathOption = Annotated[
    Path | None,
    typer.Option("--path", help="Directory of a runtime that runs: compares with it, and asks it."),
]
HostOption = Annotated[str | None, typer.Option(help="Address of a runtime, in place of its directory.")]
PortOption = Annotated[int, typer.Option(help="Port there.")]
UserOption = Annotated[str, typer.Option(help="As whom; PGPASSWORD holds the password.")]


@contextmanager
def _not_collecting() -> Iterator[None]:
    """Nearly everything that is made here is needed to the end: to look for what is not takes a fifth of the time."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


@_not_collecting()
def check(
    project: ProjectOption = Path("."),
    manifest: ManifestOption = None,
    profiles: ProfilesOption = None,
    target: TargetOption = None,
    variables: VarsOption = None,
    catalog: CatalogOption = None,
    state: Annotated[
        Path | None,
        typer.Option(
            "--state", help="Directory of a former manifest.json: says what is built anew, and why."
        ),
    ] = None,
    path: PathOption = None,
    host: HostOption = None,
    port: PortOption = DEFAULT_PORT,
    user: UserOption = DEFAULT_USER,
    as_json: JsonOption = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="What cannot be checked, and warnings, are errors.")
    ] = False,
) -> None:
    """Type every model and test of a dbt project, without a runtime; exits with 1 if something is wrong, 2 if it cannot tell."""
    began, comparison = monotonic(), None
    from ..no_pandas import without_pandas

    without_pandas()  # it takes a while to load, and nothing here has values of it
    from . import report, text
    from .changes import Action, Comparison
    from .checker import Result
    from .findings import NotParsed
    from .nodes import Project

    with _or_impossible(), ExitStack() as stack:
        running = stack.enter_context(_running(path, host, port, user))
        dbt = _DbtOptions(project, manifest, profiles, target, variables, catalog)
        try:
            subject = stack.enter_context(dbt.subject(running))
        except NotParsed as error:
            known, found = Project("", project, {}), Result(findings=[error.finding])
        else:
            version = subject.check()
            known, found = version.project, version.result
            foreign = None if running is None else running.foreign(known)
            if state is not None:
                comparison = Comparison(subject.former(state), version, foreign=foreign)
            elif running is not None:
                comparison = Comparison(running.former(version), version, running.costs(known), foreign)
    compared = None if comparison is None else comparison.compared()
    seconds = monotonic() - began
    if as_json:
        print(json.dumps(report.report(found, known, seconds, compared), indent=2))
    else:
        console = Console(soft_wrap=True, highlight=False)
        for paragraph in text.paragraphs(found, known, compared):
            console.print(paragraph, end="\n\n")
        console.print(text.summary(found, known, seconds))
    refused = compared is not None and any(c.action is Action.REFUSED for c in compared.changes)
    if found.errors or refused or (strict and (found.warnings or found.not_checked)):
        raise typer.Exit(WRONG)


@dataclass(frozen=True, slots=True)
class _DbtOptions:
    """Where the project is, and what dbt is told of it."""

    project: Path
    manifest: Path | None
    profiles: Path | None
    target: str | None
    variables: str | None
    catalog: Path | None = None

    def subject(self, running: Running | None = None) -> AbstractContextManager[Subject]:
        from .declared import of_catalog
        from .run import Known, of_manifest, of_project

        known = Known(running, {} if self.catalog is None else of_catalog(self.catalog))
        if self.manifest is not None:
            return of_manifest(self.manifest, self.project, known)
        options = {"--profiles-dir": self.profiles, "--target": self.target, "--vars": self.variables}
        given = [part for name, value in options.items() if value is not None for part in (name, str(value))]
        return of_project(self.project, given, known)


def _running(
    path: Path | None, host: str | None, port: int, user: str
) -> AbstractContextManager[Running | None]:
    if path is None and host is None:
        return nullcontext()
    from .running import connected

    if host is None:
        assert path is not None
        info = RuntimeInfo.read(path)
        if info is None:
            raise PtvcError(f"no runtime serves {path}", hint=f"Start it with: ptvc up --path {path}")
        host, port = info.host, info.port
    return connected(
        {"host": host, "port": port, "user": user, "dbname": DATABASE, "application_name": "ptvc check"}
    )


@contextmanager
def _or_impossible() -> Iterator[None]:
    """What could not be looked at is told apart from what is wrong."""
    import psycopg

    try:
        yield
    except (PtvcError, psycopg.Error) as error:
        problems = Console(stderr=True, soft_wrap=True, highlight=False)
        problems.print(f"error: {str(error).strip()}", markup=False)
        if isinstance(error, PtvcError) and error.hint:
            problems.print(f"hint: {error.hint}", markup=False)
        raise typer.Exit(IMPOSSIBLE) from None


@_not_collecting()
def lineage(
    of: Annotated[
        str | None, typer.Argument(metavar="[MODEL[.COLUMN]]", help="All models unless named.")
    ] = None,
    project: ProjectOption = Path("."),
    manifest: ManifestOption = None,
    profiles: ProfilesOption = None,
    target: TargetOption = None,
    variables: VarsOption = None,
    catalog: CatalogOption = None,
    upstream: Annotated[
        bool, typer.Option("--upstream", help="All that is above, up to the sources.")
    ] = False,
    downstream: Annotated[bool, typer.Option("--downstream", help="All that is below.")] = False,
    path: Annotated[
        Path | None,
        typer.Option("--path", help="Directory of a runtime that runs: knows columns of sources."),
    ] = None,
    host: HostOption = None,
    port: PortOption = DEFAULT_PORT,
    user: UserOption = DEFAULT_USER,
    as_json: JsonOption = False,
    openlineage: Annotated[
        bool, typer.Option("--openlineage", help="JSON: datasets with OpenLineage's columnLineage facet.")
    ] = False,
) -> None:
    """Say of which columns of its inputs each column of a model is made, without a runtime."""
    from ..no_pandas import without_pandas

    without_pandas()
    from ..lineage.graph import Name
    from . import lineage as lineage_of
    from .findings import NotParsed
    from .lineage_datasets import datasets
    from .lineage_text import Shown

    with _or_impossible(), ExitStack() as stack:
        running = stack.enter_context(_running(path, host, port, user))
        dbt = _DbtOptions(project, manifest, profiles, target, variables, catalog)
        try:
            with dbt.subject(running) as subject:
                found = subject.check().result
                graph = lineage_of.graph(subject.project, found, subject.environment)
        except NotParsed as error:
            raise PtvcError(
                f"dbt cannot parse the project: {error.finding.message}", hint="See `ptvc check`."
            ) from error
        shown = Shown(graph, subject.project, found)
        node, column = (None, None) if of is None else shown.find(of)
    console = Console(soft_wrap=True, highlight=False)
    if openlineage:
        print(json.dumps(datasets(subject.project, found, graph, node), indent=2))
        return
    chosen = [subject.project.nodes[id_] for id_ in graph.relations] if node is None else [node]
    names = [
        Name(one.id, name)
        for one in chosen
        for name in ((column,) if column is not None else found.checked[one.id].schema.names)
    ]
    if as_json:
        document: dict[str, object] = {"version": 1, "models": [shown.to_json(one, column) for one in chosen]}
        if upstream:
            document["upstream"] = [edge for name in names for edge in shown.walk_json(name, down=False)]
        if downstream:
            document["downstream"] = [edge for name in names for edge in shown.walk_json(name, down=True)]
        print(json.dumps(document, indent=2))
    elif upstream or downstream or column is not None:
        for name in names:
            for down in (*((False,) if upstream or not downstream else ()), *((True,) if downstream else ())):
                console.print(shown.tree(name, down=down))
    else:
        for one in chosen:
            for line in shown.relation(one):
                console.print(line)
