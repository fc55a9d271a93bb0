"""What was found, as a compiler would say it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rich.text import Text

from .checker import Result
from .findings import ERROR, Finding, Place
from .nodes import Project

_STYLES = {ERROR: "bold red"}


def finding(found: Finding, project: Project) -> Text:
    style = _STYLES.get(found.severity, "bold yellow")
    shown = Text()
    shown.append(f"{found.severity}[{found.code}]", style)
    shown.append(": ")
    shown.append(found.message, "bold")
    width = len(str(max(found.place.line, found.compiled.line if found.compiled else 0))) or 1
    node = project.nodes.get(found.node)
    where = _where(found.place)
    shown.append(f"\n{' ' * width}--> ", "blue")
    shown.append(where)
    if node is not None and node.file != found.place.file:
        shown.append(f" ({node.shown})", "dim")
    if found.place.line:
        _excerpt(shown, found.place, width, style)
    if found.compiled is not None:
        shown.append(f"\n{' ' * width}::: ", "blue")
        shown.append(f"compiled, line {found.compiled.line}")
        _excerpt(shown, found.compiled, width, style)
    for word, text in (("detail", found.detail), ("hint", found.hint)):
        if text:
            shown.append(f"\n{' ' * width} = ", "blue")
            shown.append(f"{word}: {text}")
    return shown


def _where(place: Place) -> str:
    numbers = [str(number) for number in (place.line, place.column) if number]
    return ":".join([place.file, *numbers])


def _excerpt(shown: Text, place: Place, width: int, style: str) -> None:
    bar = f"\n{' ' * width} |"
    shown.append(bar, "blue")
    shown.append(f"\n{place.line:>{width}} |", "blue")
    line = place.text.rstrip()
    shown.append(f" {line.expandtabs(4)}")
    if place.column:
        before = len(line[: place.column - 1].expandtabs(4))
        shown.append(bar, "blue")
        shown.append(f" {' ' * before}")
        shown.append("^" * max(1, min(place.length, len(line) - place.column + 1)), style)


def not_checked(result: Result, project: Project) -> Iterator[Text]:
    """A line for each reason, with those that it is about."""
    by_reason: dict[str, list[str]] = {}
    for left in result.not_checked:
        by_reason.setdefault(left.reason, []).append(project.nodes[left.node].name)
    for reason, names in by_reason.items():
        listed = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
        shown = Text("not checked", "bold yellow")
        shown.append(f": {listed}\n  = {reason}")
        yield shown


def summary(result: Result, project: Project, seconds: float) -> Text:
    """One line."""
    counts = [
        _count(sum(1 for id_ in result.checked if project.nodes[id_].type == type_), type_)
        for type_ in ("model", "seed", "source", "snapshot", "function", "test", "unit_test")
        if any(project.nodes[id_].type == type_ for id_ in result.checked)
    ]
    said = [_count(result.errors, "error")]
    if result.warnings:
        said.append(_count(result.warnings, "warning"))
    if result.not_checked:
        said.append(f"{len(result.not_checked)} not checked")
    shown = Text(", ".join(said), "bold red" if result.errors else "bold green")
    shown.append(f" in {', '.join(counts) or 'nothing'} ({seconds:.1f} s)")
    return shown


def _count(number: int, noun: str) -> str:
    return f"{number} {noun.replace('_', ' ')}{'' if number == 1 else 's'}"


def relative(path: Path) -> str:
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)
