"""The commands: what they are told, and what they exit with.

0: nothing is wrong; 1: something is; 2: it could not be looked at.
"""

from __future__ import annotations

import json
from contextlib import AbstractContextManager
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from ..errors import PtvcError

if TYPE_CHECKING:
    from .run import Subject

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


def check(
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[FILE]...", help="Says only what is wrong in these; all is checked."),
    ] = None,
    project: ProjectOption = Path("."),
    manifest: ManifestOption = None,
    profiles: ProfilesOption = None,
    target: TargetOption = None,
    variables: VarsOption = None,
    state: Annotated[
        Path | None,
        typer.Option(
            "--state", help="Directory of a former manifest.json: says what is built anew, and why."
        ),
    ] = None,
    as_json: JsonOption = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="What cannot be checked, and warnings, are errors.")
    ] = False,
) -> None:
    """Type every model and test of a dbt project, without a runtime; exits with 1 if something is wrong, 2 if it cannot tell."""
    from . import report, text
    from .changes import Comparison
    from .checker import Result
    from .findings import NotParsed
    from .nodes import Project

    began = monotonic()
    console = Console(soft_wrap=True, highlight=False)
    try:
        with _subject(project, manifest, profiles, target, variables) as subject:
            version = subject.check()
            known, found = version.project, version.result
            changes = None
            if state is not None:
                changes = Comparison(subject.former(state), version).changes()
    except NotParsed as error:
        known, found, changes = Project("", project, {}), Result(findings=[error.finding]), None
    seconds = monotonic() - began
    if as_json:
        print(json.dumps(report.report(found, known, seconds, changes), indent=2))
    else:
        for finding in found.findings:
            console.print(text.finding(finding, known), end="\n\n")
        for line in text.not_checked(found, known):
            console.print(line, end="\n\n")
        if changes is not None:
            for line in text.changes(changes, known):
                console.print(line)
            console.print()
        console.print(text.summary(found, known, seconds))
    if found.errors or (strict and (found.warnings or found.not_checked)):
        raise typer.Exit(WRONG)


def _subject(
    project: Path, manifest: Path | None, profiles: Path | None, target: str | None, variables: str | None
) -> AbstractContextManager[Subject]:
    from .run import of_manifest, of_project

    if manifest is not None:
        return of_manifest(manifest, project)
    options = {"--profiles-dir": profiles, "--target": target, "--vars": variables}
    return of_project(
        project, [part for name, value in options.items() if value is not None for part in (name, str(value))]
    )


def lineage(
    of: Annotated[
        str | None, typer.Argument(metavar="[MODEL[.COLUMN]]", help="All models unless named.")
    ] = None,
    project: ProjectOption = Path("."),
    manifest: ManifestOption = None,
    profiles: ProfilesOption = None,
    target: TargetOption = None,
    variables: VarsOption = None,
    upstream: Annotated[
        bool, typer.Option("--upstream", help="All that is above, up to the sources.")
    ] = False,
    downstream: Annotated[bool, typer.Option("--downstream", help="All that is below.")] = False,
    as_json: JsonOption = False,
    openlineage: Annotated[
        bool, typer.Option("--openlineage", help="JSON: datasets with OpenLineage's columnLineage facet.")
    ] = False,
) -> None:
    """Say of which columns of its inputs each column of a model is made, without a runtime."""
    from ..lineage.graph import Name
    from . import lineage as lineage_of
    from .findings import NotParsed
    from .lineage_datasets import datasets
    from .lineage_text import Shown

    console = Console(soft_wrap=True, highlight=False)
    try:
        with _subject(project, manifest, profiles, target, variables) as subject:
            found = subject.check().result
            graph = lineage_of.graph(subject.project, found, subject.environment)
    except NotParsed as error:
        raise PtvcError(
            f"dbt cannot parse the project: {error.finding.message}", hint="See `ptvc check`."
        ) from error
    shown = Shown(graph, subject.project, found)
    node, column = (None, None) if of is None else shown.find(of)
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
