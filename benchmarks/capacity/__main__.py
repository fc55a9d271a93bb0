"""Measures, simulates, and prints the tables of docs/capacity.md, as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from . import measured, simulated
from .model import GB, WORKLOADS, Figures, month

COMMITS = (1, 100, 1_000, 5_000, 100_000, 1_000_000)
STREAMS = ((200, 1), (200, 100), (100, 2_000), (40, 50_000))
SIMULATED = (64, 1_024, 16_384, 262_144)


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    lines = [head, ["---"] * len(head), *rows]
    return ["| " + " | ".join(map(str, line)) + " |" for line in lines]


def model_rows() -> list[list[str]]:
    """A column for each workload."""
    months = [month(work) for work in WORKLOADS]

    def row(what: str, *values: str) -> list[str]:
        return [what, *values]

    return [
        row("history, encoded", *(f"{work.history / GB:,.0f} GB" for work in WORKLOADS)),
        row(
            "collections, commits a second",
            *(f"{work.collections:,}, {work.commits:,.0f}" for work in WORKLOADS),
        ),
        row("steps of views a second", *(f"{work.steps:,.0f}" for work in WORKLOADS)),
        row("parts", *(f"{found.parts:,.0f}" for found in months)),
        row(
            "bytes that merges write for one that is committed",
            *(f"{found.amplification:.1f}" for found in months),
        ),
        row("PUT and LIST a month", *(f"{found.writes / 1e6:,.1f} M" for found in months)),
        row("GET a month", *(f"{found.reads / 1e6:,.1f} M" for found in months)),
        row("consensus", *(f"{found.consensus_bytes / GB:,.2f} GB" for found in months)),
        row(
            "the coordinator's memory for parts",
            *(f"{found.coordinator_bytes / GB:,.2f} GB" for found in months),
        ),
        row("reading the parts at a start", *(f"{found.start_s:,.1f} s" for found in months)),
        row("cores of the coordinator", *(f"{found.coordinator_cores:.2f}" for found in months)),
        row("cores of merges", *(f"{found.merge_cores:.2f}" for found in months)),
        row("cores of steps", *(f"{found.step_cores:.1f}" for found in months)),
        row("stored, a month", *(f"${found.stored:,.0f}" for found in months)),
        row("requests, a month", *(f"${found.requested:,.0f}" for found in months)),
        row("cores, a month", *(f"${found.computed:,.0f}" for found in months)),
    ]


def main() -> None:
    print(
        *table(("rows", "parts", "PUT", "inline bytes", "bytes in blobs"), map(_commit_row, COMMITS)),
        sep="\n",
    )
    print()
    head = (
        "commits",
        "rows each",
        "PUT",
        "GET",
        "DELETE",
        "committed",
        "kept",
        "written by merges for one committed",
    )
    print(*table(head, (_stream_row(*given) for given in STREAMS)), sep="\n")
    print()
    print(measured.bookkeeping())
    print()
    found = [simulated.simulate(commits, 1 << 20) for commits in SIMULATED]
    rows = [
        (
            f"{s.commits:,}",
            f"{s.written:.2f}",
            f"{Figures().amplify(s.commits):.2f}",
            f"{s.merges / s.commits:.3f}",
        )
        for s in found
    ]
    print(*table(("commits", "simulated", "fitted", "merges for each commit"), rows), sep="\n")
    print()
    print(*table(("", *(work.name for work in WORKLOADS)), model_rows()), sep="\n")


def _commit_row(rows: int) -> Sequence[object]:
    found = measured.commit(rows)
    return f"{rows:,}", found.parts, found.puts, f"{found.inline:,}", f"{found.blob:,}"


def _stream_row(commits: int, rows: int) -> Sequence[object]:
    found = measured.stream(commits, rows)
    asked = found.requests
    return (
        *(commits, f"{rows:,}", asked["PUT"], asked["GET"], asked["DELETE"]),
        *(f"{found.encoded:,}", f"{found.live:,}", f"{found.amplification:.2f}"),
    )


if __name__ == "__main__":
    main()
