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
    as_json: JsonOption = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="What cannot be checked, and warnings, are errors.")
    ] = False,
) -> None:
    """Type every model and test of a dbt project, without a runtime; exits with 1 if something is wrong, 2 if it cannot tell."""
    from . import report, text
    from .checker import Result
    from .findings import NotParsed
    from .nodes import Project

    began = monotonic()
    console = Console(soft_wrap=True, highlight=False)
    try:
        with _subject(project, manifest, profiles, target, variables) as subject:
            known, found = subject.project, subject.check()
    except NotParsed as error:
        known, found = Project("", project, {}), Result(findings=[error.finding])
    seconds = monotonic() - began
    if as_json:
        print(json.dumps(report.report(found, known, seconds), indent=2))
    else:
        for finding in found.findings:
            console.print(text.finding(finding, known), end="\n\n")
        for line in text.not_checked(found, known):
            console.print(line, end="\n\n")
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
