"""The command: what it is told, and what it exits with.

0: nothing is doubtful; 1: something is, or the check of the result finds errors; 2: the project could not be looked at.
"""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from ..check.commands import IMPOSSIBLE, WRONG, JsonOption, ProjectOption
from ..errors import InvalidParameter, PtvcError

if TYPE_CHECKING:
    from .run import Port


class Dialect(StrEnum):
    SNOWFLAKE = "snowflake"
    BIGQUERY = "bigquery"
    REDSHIFT = "redshift"
    DUCKDB = "duckdb"
    DATABRICKS = "databricks"


def port(
    dialect: Annotated[
        Dialect, typer.Option("--from", help="The warehouse that the project was written for.")
    ],
    project: ProjectOption = Path("."),
    models: Annotated[
        list[str] | None,
        typer.Option(
            "--models", help="Names, paths or patterns of files, and nothing else; repeat for more."
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Write a ported copy of the project there.")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--write", help="Overwrite the project's files.")] = False,
    keep: Annotated[
        bool,
        typer.Option(
            "--keep", help="Leave models in their dialect, with `+dialect`, where they can be translated."
        ),
    ] = False,
    catalog: Annotated[
        Path | None,
        typer.Option(
            "--catalog",
            help="A catalog.json that `dbt docs generate` has written for the other warehouse: types of sources' columns.",
        ),
    ] = None,
    checking: Annotated[bool, typer.Option("--check", help="Run `ptvc check` on the result.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Rewrite a dbt project of another warehouse for this one, and say what is doubtful; exits with 1 if anything is."""
    began = monotonic()
    problems = Console(stderr=True, soft_wrap=True, highlight=False)
    try:
        found, checked, target = _port(
            problems, dialect.value, project, models or [], out, overwrite, keep, catalog, checking
        )
    except PtvcError as error:
        problems.print(f"error: {error}", markup=False)
        if error.hint:
            problems.print(f"hint: {error.hint}", markup=False)
        raise typer.Exit(IMPOSSIBLE) from None
    from . import report, text

    seconds, written_to = monotonic() - began, None if target is None else str(target)
    if as_json:
        print(json.dumps(report.report(found, seconds, written_to, checked), indent=2))
    else:
        console = Console(soft_wrap=True, highlight=False)
        for paragraph in text.paragraphs(found):
            console.print(paragraph, end="\n\n")
        console.print(text.summary(found, seconds))
        for line in text.next_steps(found, written_to):
            console.print(line)
        if checked is not None:
            _print_check(console, checked)
    if found.doubtful or (checked is not None and checked["summary"]["errors"]):
        raise typer.Exit(WRONG)


def _port(
    problems: Console,
    dialect: str,
    project: Path,
    models: list[str],
    out: Path | None,
    overwrite: bool,
    keep: bool,
    catalog: Path | None,
    checking: bool,
) -> tuple[Port, dict[str, Any] | None, Path | None]:
    from ..no_pandas import without_pandas

    without_pandas()
    try:
        from . import run
        from .models import Way
    except ModuleNotFoundError as error:
        if error.name != "sqlglot":
            raise
        raise InvalidParameter("ptvc port needs sqlglot", hint="pip install 'dbt-ptvc[dialects]'") from error
    if out is not None and overwrite:
        raise InvalidParameter("--out and --write are two ways to write", hint="Give one of them.")
    found = run.port(
        project, dialect, selection=models, way=Way.KEEP if keep else Way.REWRITE, catalog=catalog
    )
    target = out if out is not None else project if overwrite else None
    if overwrite and (why := run.uncommitted(project)) is not None:
        problems.print(f"warning: {why}", markup=False)
    if out is not None:
        run.copy(project, out)
    if target is not None:
        run.write(found, target)
    checked = None
    if checking:
        with run.result_of(found, target) as result, run.profiles(found) as profiles:
            checked = check_of(result, profiles, next(iter(found.profile())))
    return found, checked, target


def check_of(project: Path, profiles: Path, profile: str) -> dict[str, Any]:
    """What `ptvc check` says, as JSON, with the profile of that name."""
    began = monotonic()
    from ..check import report
    from ..check.checker import Result
    from ..check.findings import ERROR, Finding, NotParsed, Place
    from ..check.nodes import Project
    from ..check.run import of_project

    try:
        options = {"--profiles-dir": "", "--target-path": "target", "--log-path": "logs"}
        given = [part for name, below in options.items() for part in (name, str(profiles / below))]
        given += ["--profile", profile]
        with of_project(project, given) as subject:
            version = subject.check()
            return report.report(version.result, version.project, monotonic() - began)
    except NotParsed as error:
        found = error.finding
    except PtvcError as error:
        found = Finding(ERROR, error.sqlstate, error.message, "", Place(""), hint=error.hint)
    return report.report(Result(findings=[found]), Project("", project, {}), monotonic() - began)


def _print_check(console: Console, checked: dict[str, Any]) -> None:
    for one in checked["findings"]:
        place = ":".join(str(part) for part in (one["file"], one["line"], one["column"]) if part)
        console.print(f"check: {one['severity']}[{one['code']}]: {one['message']} ({place})", markup=False)
        if one["hint"]:
            console.print(f"  hint: {one['hint']}", markup=False)
    counts = checked["summary"]
    console.print(
        f"check: {counts['errors']} errors, {counts['warnings']} warnings, "
        f"{counts['not_checked']} not checked, {counts['checked']} checked",
        markup=False,
    )
