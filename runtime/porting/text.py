"""A port, for people: what is doubtful with its place, the files and what has become of them, and what to do next."""

from __future__ import annotations

from collections.abc import Iterator

import yaml
from rich.text import Text

from ..check.findings import WARNING, Finding
from ..check.nodes import Project as Nodes
from ..check.text import finding
from .outcomes import Note, Outcome, Ported, Weight
from .run import Port

_STYLES = {
    Outcome.PORTED: "green",
    Outcome.KEPT: "green",
    Outcome.DOUBTFUL: "bold yellow",
    Outcome.UNTOUCHED: "dim",
}
_WIDTH = max(len(outcome.value) for outcome in Outcome)


def paragraphs(found: Port) -> Iterator[Text]:
    """All but the summary."""
    nodes = Nodes(found.project.name, found.project.root, {})
    for one in found.files:
        for note in one.doubts:
            yield finding(_finding(note), nodes)
    shown = [line for one in found.files for line in _lines(one)]
    if shown:
        yield Text("\n").join(shown)
    unknown = sum(note.message.endswith(_NOT_KNOWN) for one in found.files for note in one.doubts)
    if unknown:
        yield Text(
            f"{unknown} of these for want of types: declare the data_type of all columns of the sources, or give --catalog"
        )


_NOT_KNOWN = "which is not known"
"""How the translator ends what it says of a type."""


def _finding(note: Note) -> Finding:
    return Finding(WARNING, "doubtful", note.message, "", note.place, hint=note.hint)


def _lines(one: Ported) -> Iterator[Text]:
    """The file, and below it what was changed or may be, but for what is doubtful, which is shown with its place."""
    if one.outcome is Outcome.UNTOUCHED:
        return
    line = Text(f"{one.outcome.value:<{_WIDTH}}  ", _STYLES[one.outcome])
    line.append(one.file, "bold")
    if one.doubts:
        lines = dict.fromkeys(str(note.place.line) for note in one.doubts if note.place.line)
        line.append(f": line {', '.join(lines)}" if lines else "", "yellow")
    yield line
    others = ((note.weight, note.message, note.hint) for note in one.notes if note.weight is not Weight.DOUBT)
    for weight, message, hint in dict.fromkeys(others):
        said = Text(f"{' ' * _WIDTH}  ")
        said.append("advice: " if weight is Weight.ADVICE else "", "blue")
        said.append(message if hint is None else f"{message}. {hint}")
        yield said


def summary(found: Port, seconds: float) -> Text:
    """One line."""
    counts = ", ".join(f"{len(found.with_outcome(outcome))} {outcome.value}" for outcome in Outcome)
    return Text(f"{counts} ({seconds:.1f} s)", "bold yellow" if found.doubtful else "bold green")


def next_steps(found: Port, written_to: str | None) -> Iterator[Text]:
    if written_to is None:
        yield Text("nothing is written: --out DIR writes a ported copy, --write the project itself")
        return
    yield Text(f"written to {written_to}; in profiles.yml:")
    yield Text(yaml.safe_dump(found.profile(), sort_keys=False).rstrip())
    yield Text(f"next: ptvc check --project-dir {written_to}")
