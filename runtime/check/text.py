"""What was found, as a compiler would say it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from rich.text import Text

from .changes import Action, Compared, Cost, Reason
from .checker import Result
from .findings import ERROR, Finding, Place
from .nodes import Project

_STYLES = {ERROR: "bold red"}


def paragraphs(result: Result, project: Project, compared: Compared | None) -> Iterator[Text]:
    """All but the summary."""
    for found in result.findings:
        yield finding(found, project)
    yield from not_checked(result, project)
    if compared is not None:
        yield Text("\n").join(changes(compared, project))


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
        shown = Text("not checked", "bold yellow")
        shown.append(f": {_listed(names)}\n  = {reason}")
        yield shown


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


_ACTIONS = {
    Action.NEW: ("new", "green"),
    Action.GONE: ("gone", "dim"),
    Action.IN_PLACE: ("in place", "green"),
    Action.REBUILT: ("rebuilt", "bold yellow"),
    Action.REFILLED: ("refilled", "green"),
    Action.ONWARD: ("onward", "green"),
    Action.CUT_OVER: ("cut over", "green"),
    Action.REFUSED: ("refused", "bold red"),
}
_WORDS_AROUND = 3
_WIDTH = max(len(word) for word, _ in _ACTIONS.values())


def changes(compared: Compared, project: Project) -> Iterator[Text]:
    """An object a line, and below it why; then those that could not be compared."""
    if unknown := compared.not_compared:
        shown = Text("not compared", "bold yellow")
        shown.append(
            f": {_listed([node.name for node in unknown])}\n  = the text is the same, but what it means could not be checked, now or before"
        )
        yield shown
    if not compared.changes:
        yield Text("no object changes" if not unknown else "no other object changes", "bold green")
        return
    for change in compared.changes:
        word, style = _ACTIONS[change.action]
        line = Text(f"{word:<{_WIDTH}}  ", style)
        line.append(f"{change.node.kind.replace('_', ' ')} {change.node.name}", "bold")
        if change.because_of is not None:
            below = project.nodes[change.because_of].name
            sink = change.node.kind == "sink" and change.action in (Action.CUT_OVER, Action.REFUSED)
            reads = "reads what takes the place of" if sink else "rests on"
            line.append(f": {reads} {below}")
        if change.kept:
            line.append(
                f"; {_count(len(change.kept), 'object')} over it {'goes' if len(change.kept) == 1 else 'go'} on"
            )
        if change.cost is not None:
            line.append(f" ({_cost(change.cost)})", "dim")
        for reason in change.reasons:
            line.append(f"\n{' ' * _WIDTH}  {reason.part}: ", "blue")
            line.append(_reason(reason))
        if change.why_not_in_place is not None:
            line.append(f"\n{' ' * _WIDTH}  not in place: {change.why_not_in_place}")
        if change.why_refused is not None:
            whose = "its target: " if change.node.kind == "sink" else ""
            line.append(f"\n{' ' * _WIDTH}  {whose}{change.why_refused}")
        yield line


def _reason(reason: Reason) -> str:
    if reason.before is None:
        return f"+ {reason.after}" if reason.part != "text" else str(reason.after)
    if reason.after is None:
        return f"- {reason.before}"
    before, after = _differing(reason.before.split(" "), reason.after.split(" "))
    return f"{before} -> {after}"


def _differing(before: list[str], after: list[str]) -> tuple[str, str]:
    """Both texts, of which what they begin and end with alike is left out but for a few words."""
    most = min(len(before), len(after))
    start = next((i for i in range(most) if before[i] != after[i]), most)
    end = next((i for i in range(most - start) if before[-1 - i] != after[-1 - i]), most - start)
    start, end = max(start - _WORDS_AROUND, 0), max(end - _WORDS_AROUND, 0)
    start, end = (start if start > 1 else 0), (end if end > 1 else 0)
    return _cut(before, start, end), _cut(after, start, end)


def _cut(words: list[str], start: int, end: int) -> str:
    middle = " ".join(words[start : len(words) - end])
    return f"{'... ' if start else ''}{middle}{' ...' if end else ''}"


def _cost(cost: Cost) -> str:
    said = []
    if cost.rows is not None:
        said.append(f"{cost.rows:,} rows read")
    if cost.seconds is not None:
        said.append(f"{cost.seconds:.1f} s last time")
    if cost.by_job is not None:
        said.append("by a Spark job" if cost.by_job else "in the resident task")
    return ", ".join(said)


def summary(result: Result, project: Project, seconds: float) -> Text:
    """One line: what was found, in how many nodes of each type, those among them that are wrong or could not be checked."""
    types = Counter(project.nodes[id_].type for id_ in result.looked_at if id_ in project.nodes)
    counts = [
        _count(types[type_], type_)
        for type_ in ("model", "seed", "source", "snapshot", "function", "test", "unit_test")
        if types[type_]
    ]
    said = [_count(result.errors, "error")]
    if result.warnings:
        said.append(_count(result.warnings, "warning"))
    if result.not_checked:
        said.append(f"{len(result.not_checked)} not checked")
    style = "red" if result.errors else "yellow" if result.warnings or result.not_checked else "green"
    shown = Text(", ".join(said), f"bold {style}")
    if not project.nodes and result.findings:
        shown.append(f", and nothing else is known of the project ({seconds:.1f} s)")
    else:
        shown.append(f" in {', '.join(counts) or 'a project without models'} ({seconds:.1f} s)")
    return shown


def _count(number: int, noun: str) -> str:
    return f"{number} {noun.replace('_', ' ')}{'' if number == 1 else 's'}"
