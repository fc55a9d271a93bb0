"""Results as tables for a terminal and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.table import Table

from .appends import AppendCost, AppendRate
from .dbt_adapters import DbtResult
from .end_to_end import EndToEndResult
from .engine import HydrationResult, StepResult
from .files import SnapshotResult
from .footprint import DiskResult, ProcessesResult, UpsertResult
from .footprint.processes import COORDINATOR_MIB
from .formats import FormatResult
from .hydration import JobHydration, Recomputation
from .idle import IdleResult
from .isolation import ReadResult, RunawayResult
from .kafka import BacklogResult, SinkResult
from .measure import FreshnessResult, Latencies, Machine, plain
from .memory import MemoryResult
from .merges import MergeResult
from .reads import QueryResult
from .recovery import RecoveryResult
from .replication import ReplicationResult
from .responsiveness import ResponsivenessResult
from .statements import PgbenchResult, PlanningResult, StatementResult
from .storage import StorageResult
from .transactions import TransactionResult
from .webhooks import WebhookResult

MIN_WIDTH = 120
"""Columns of a table that goes to a file or a pipe."""

console = Console() if Console().is_terminal else Console(width=MIN_WIDTH)

Result = (
    StepResult
    | HydrationResult
    | JobHydration
    | Recomputation
    | EndToEndResult
    | TransactionResult
    | StatementResult
    | PlanningResult
    | PgbenchResult
    | IdleResult
    | MemoryResult
    | MergeResult
    | FormatResult
    | RecoveryResult
    | QueryResult
    | ReadResult
    | RunawayResult
    | ResponsivenessResult
    | StorageResult
    | AppendCost
    | AppendRate
    | DbtResult
    | DiskResult
    | ProcessesResult
    | UpsertResult
    | WebhookResult
    | BacklogResult
    | FreshnessResult
    | SinkResult
    | ReplicationResult
    | SnapshotResult
)


def write_json(path: Path, machine: Machine, results: Iterable[Result]) -> None:
    """One object: the machine, and a list of results by kind."""
    by_kind: dict[str, list[object]] = {}
    for result in results:
        by_kind.setdefault(type(result).__name__, []).append(plain(result))
    path.write_text(json.dumps({"machine": plain(machine), **by_kind}, indent=1) + "\n")


def show(results: list[Result]) -> None:
    """A table for every kind of result that there is."""
    _show_steps([r for r in results if isinstance(r, StepResult)])
    _show_growth([r for r in results if isinstance(r, StepResult)])
    _show_hydrations([r for r in results if isinstance(r, HydrationResult)])
    _show_jobs([r for r in results if isinstance(r, JobHydration)])
    _show_recomputations([r for r in results if isinstance(r, Recomputation)])
    _show_end_to_end([r for r in results if isinstance(r, EndToEndResult)])
    _show_transactions([r for r in results if isinstance(r, TransactionResult)])
    _show_statements([r for r in results if isinstance(r, StatementResult)])
    _show_planning([r for r in results if isinstance(r, PlanningResult)])
    _show_pgbench([r for r in results if isinstance(r, PgbenchResult)])
    _show_idle([r for r in results if isinstance(r, IdleResult)])
    _show_memory([r for r in results if isinstance(r, MemoryResult)])
    _show_merges([r for r in results if isinstance(r, MergeResult)])
    _show_formats([r for r in results if isinstance(r, FormatResult)])
    _show_recoveries([r for r in results if isinstance(r, RecoveryResult)])
    _show_rates([r for r in results if isinstance(r, AppendRate)])
    _show_queries([r for r in results if isinstance(r, QueryResult)])
    _show_isolation(results)
    _show_responsiveness([r for r in results if isinstance(r, ResponsivenessResult)])
    _show_storage([r for r in results if isinstance(r, StorageResult)])
    _show_appends([r for r in results if isinstance(r, AppendCost)])
    _show_dbt([r for r in results if isinstance(r, DbtResult)])
    _show_disk([r for r in results if isinstance(r, DiskResult)])
    _show_processes([r for r in results if isinstance(r, ProcessesResult)])
    _show_upserts([r for r in results if isinstance(r, UpsertResult)])
    _show_webhooks([r for r in results if isinstance(r, WebhookResult)])
    _show_backlogs([r for r in results if isinstance(r, BacklogResult)])
    _show_freshness([r for r in results if isinstance(r, FreshnessResult)])
    _show_sinks([r for r in results if isinstance(r, SinkResult)])
    _show_replication([r for r in results if isinstance(r, ReplicationResult)])
    _show_snapshots([r for r in results if isinstance(r, SnapshotResult)])


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left")
    for i, column in enumerate(columns):
        table.add_column(column, justify="left" if i == 0 else "right")
    return table


def _ms(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.2f}" if value < 100 else f"{value:,.0f}"


def _three(latencies: Latencies | None) -> list[str]:
    if latencies is None:
        return ["-", "-", "-"]
    return [_ms(latencies.median_ms), _ms(latencies.p99_ms), _ms(latencies.max_ms)]


def _show_steps(results: list[StepResult]) -> None:
    if not results:
        return
    table = _table(
        "Steps (milliseconds; ratio of medians, taken in turns)",
        *("workload", "where", "base", "change", "median", "p99", "max", "CPU"),
        *("reference", "ratio", "DuckDB anew", "load"),
    )
    for r in results:
        table.add_row(
            r.workload,
            r.place,
            f"{r.base_rows:,}",
            f"{r.change_rows:,}",
            *_three(r.engine),
            _ms(r.engine.cpu_ms),
            _ms(r.reference.median_ms if r.reference else None),
            f"{r.against_reference:.2f}" if r.against_reference is not None else "-",
            _ms(r.duckdb.median_ms if r.duckdb else None),
            f"{r.load_1min:.1f}",
        )
    console.print(table)


def _show_growth(results: list[StepResult]) -> None:
    """How a step of one size grows from the smallest base to the largest one."""
    by_size: dict[tuple[str, str, int], list[StepResult]] = {}
    for r in results:
        by_size.setdefault((r.workload, r.place, r.change_rows), []).append(r)
    table = _table(
        "Growth with the base (ratio of medians; the reference's own growth beside it)",
        *("workload", "where", "change", "bases", "growth", "reference"),
    )
    for (workload, place, rows), entries in by_size.items():
        low, high = (f(entries, key=lambda r: r.base_rows) for f in (min, max))
        if low.base_rows == high.base_rows:
            continue
        reference = "-"
        if low.reference is not None and high.reference is not None:
            reference = f"{high.reference.median_ms / low.reference.median_ms:.2f}"
        growth = f"{high.engine.median_ms / low.engine.median_ms:.2f}"
        bases = f"{low.base_rows:,} to {high.base_rows:,}"
        table.add_row(workload, place, f"{rows:,}", bases, growth, reference)
    if table.row_count:
        console.print(table)


def _show_hydrations(results: list[HydrationResult]) -> None:
    if not results:
        return
    table = _table(
        "Hydration at the engine",
        *("workload", "where", "base", "seconds", "reference s", "input MiB", "memory MiB", "peak MiB"),
    )
    for r in results:
        reference = "-" if r.reference_seconds is None else f"{r.reference_seconds:.2f}"
        table.add_row(
            *(r.workload, r.place, f"{r.base_rows:,}", f"{r.seconds:.2f}", reference),
            *(f"{r.input_mib:,.0f}", f"{r.memory_mib:,.0f}", f"{r.peak_mib:,.0f}"),
        )
    console.print(table)


def _show_jobs(results: list[JobHydration]) -> None:
    if not results:
        return
    table = _table(
        "Hydration as a Spark job, through the running system (seconds)",
        *("view", "base", "CREATE to hydrated", "reported", "job", "CPU", "COPY in", "load"),
    )
    for r in results:
        table.add_row(
            r.view,
            f"{r.base_rows:,}",
            f"{r.wall_seconds:.2f}",
            "-" if r.reported_seconds is None else f"{r.reported_seconds:.2f}",
            "none" if r.spark_job_id is None else str(r.spark_job_id),
            f"{r.cpu_seconds:.2f}",
            f"{r.copy_seconds:.2f}",
            f"{r.load_1min:.1f}",
        )
    console.print(table)


def _show_recomputations(results: list[Recomputation]) -> None:
    if not results:
        return
    table = _table(
        "Views recomputed by others (seconds)",
        *("view", "program", "base", "first", "best after", "CPU each", "load"),
    )
    for r in results:
        table.add_row(
            *(r.view, r.program, f"{r.base_rows:,}", f"{r.first_seconds:.2f}", f"{r.best_seconds:.2f}"),
            *(f"{r.cpu_seconds:.2f}", f"{r.load_1min:.1f}"),
        )
    console.print(table)


def _show_end_to_end(results: list[EndToEndResult]) -> None:
    if not results:
        return
    table = _table(
        "INSERT to visible in a view, through pgwire (milliseconds)",
        *("read", "base", "", "median", "p99", "max", "CPU each", "load"),
    )
    for r in results:
        for name, latencies in (("insert", r.insert), ("visible", r.visible), ("whole", r.whole)):
            table.add_row(
                *(r.read, f"{r.base_rows:,}", name),
                *_three(latencies),
                _ms(r.cpu_ms_each),
                f"{r.load_1min:.1f}",
            )
    console.print(table)


def _show_transactions(results: list[TransactionResult]) -> None:
    if not results:
        return
    table = _table(
        "A transaction of deletes and COPY, then a read of the view, through pgwire (milliseconds; medians, taken in turns)",
        *(
            "workload",
            "base",
            "change",
            "write",
            "read",
            "whole",
            "p99",
            "DuckDB anew",
            "ratio",
            "PostgreSQL's write",
            "and its row",
            "CPU",
            "load",
        ),
    )
    for r in results:
        anew = None if r.duckdb is None else r.duckdb.median_ms
        table.add_row(
            r.workload,
            f"{r.base_rows:,}",
            f"{r.change_rows:,}",
            _ms(r.write.median_ms),
            _ms(r.read.median_ms),
            _ms(r.whole.median_ms),
            _ms(r.whole.p99_ms),
            _ms(anew),
            "-" if anew is None else f"{r.whole.median_ms / anew:.2f}",
            *(_ms(None if one is None else one.median_ms) for one in (r.postgres_write, r.postgres)),
            _ms(r.cpu_ms_each),
            f"{r.load_1min:.1f}",
        )
    console.print(table)


def _show_statements(results: list[StatementResult]) -> None:
    if not results:
        return
    table = _table(
        "Small statements, through pgwire (milliseconds)",
        *("statement", "median", "p99", "max", "CPU each", "load"),
    )
    for r in results:
        table.add_row(r.statement, *_three(r.latencies), _ms(r.cpu_ms_each), f"{r.load_1min:.1f}")
    console.print(table)


def _show_planning(results: list[PlanningResult]) -> None:
    if not results:
        return
    table = _table("Planning (milliseconds)", "statement", "median", "p99", "max", "CPU", "load")
    for r in results:
        table.add_row(r.statement, *_three(r.latencies), _ms(r.latencies.cpu_ms), f"{r.load_1min:.1f}")
    console.print(table)


def _show_pgbench(results: list[PgbenchResult]) -> None:
    if not results:
        return
    table = _table("pgbench", "script", "protocol", "clients", "", "tps", "ms", "retries each", "load")
    for r in results:
        table.add_row(
            *(r.script, r.protocol, str(r.clients), r.database),
            *(f"{r.tps:,.0f}", _ms(r.latency_ms), f"{r.retries:.2f}", f"{r.load_1min:.1f}"),
        )
    console.print(table)


def _show_memory(results: list[MemoryResult]) -> None:
    if not results:
        return
    table = _table(
        "Resident memory, as a multiple of the input in Arrow",
        *("workload", "base", "input MiB", "change", "median", "most", "at rest", "load"),
    )
    for r in results:
        while_stepping = (_times(mib, r.input_mib) for mib in (r.median_mib, r.peak_mib))
        table.add_row(
            *(r.workload, f"{r.base_rows:,}", f"{r.input_mib:,.0f}"),
            f"{r.change_rows:,}" if r.change_rows else "hydration",
            *(*while_stepping, _times(r.rest_mib, r.input_mib), f"{r.load_1min:.1f}"),
        )
    console.print(table)


def _times(mib: float | None, input_mib: float) -> str:
    return "-" if mib is None else f"{mib / input_mib:.2f}x"


def _show_merges(results: list[MergeResult]) -> None:
    if not results:
        return
    table = _table("Merges", "older", "newer", "text", "median ms", "max", "CPU each", "ns per row", "load")
    for r in results:
        table.add_row(
            f"{r.older:,}",
            f"{r.newer:,}",
            "yes" if r.text else "no",
            *map(_ms, (r.merge.median_ms, r.merge.max_ms, r.merge.cpu_ms)),
            f"{r.ns_per_row:.0f}",
            f"{r.load_1min:.1f}",
        )
    console.print(table)


def _show_formats(results: list[FormatResult]) -> None:
    if not results:
        return
    table = _table("Formats of messages", "format", "bytes each", "median ms", "max", "payloads/s", "load")
    for r in results:
        table.add_row(
            r.format,
            f"{r.bytes_each:.0f}",
            *map(_ms, (r.batch.median_ms, r.batch.max_ms)),
            f"{r.per_second:,.0f}",
            f"{r.load_1min:.1f}",
        )
    console.print(table)


def _show_webhooks(results: list[WebhookResult]) -> None:
    if not results:
        return
    table = _table(
        "Webhooks", "asked for /s", "answered /s", "median ms", "p99 ms", "max ms", "refused", "cores", "load"
    )
    for r in results:
        table.add_row(
            f"{r.rate:,}",
            f"{r.answered_per_second:,.0f}",
            f"{r.latency.median_ms:.1f}",
            f"{r.latency.p99_ms:.1f}",
            f"{r.latency.max_ms:.1f}",
            f"{r.refused:,}",
            f"{r.cpu_seconds:.2f}",
            f"{r.load_1min:.1f}",
        )
    console.print(table)


def _show_backlogs(results: list[BacklogResult]) -> None:
    if not results:
        return
    table = _table(
        "A topic's messages until they are durable; in Flink until they are dropped",
        "system",
        "source",
        "messages",
        "seconds",
        "a second",
        "CPU in s",
        "up after s",
        "load",
    )
    for r in results:
        table.add_row(
            r.system,
            r.source,
            f"{r.messages:,}",
            f"{r.seconds:.1f}",
            f"{r.per_second:,.0f}",
            f"{r.cpu_s:.1f}",
            "-" if r.start_s is None else f"{r.start_s:.1f}",
            f"{r.load_1min:.1f}",
        )
    console.print(table)


def _show_freshness(results: list[FreshnessResult]) -> None:
    if not results:
        return
    table = _table(
        "From a message or a transaction to a view, in milliseconds",
        "source",
        "a second",
        "of them",
        "median",
        "p99",
        "max",
        "CPU of one",
        "load",
    )
    for r in results:
        latencies = [*_three(r.latencies), _ms(r.latencies.cpu_ms)]
        table.add_row(r.source, f"{r.rate:,}", f"{r.latencies.count:,}", *latencies, f"{r.load_1min:.1f}")
    console.print(table)


def _show_idle(results: list[IdleResult]) -> None:
    if not results:
        return
    table = _table("Idle views", "views", "created in s", "% of a core", "without views", "load")
    for r in results:
        table.add_row(
            f"{r.views:,}",
            f"{r.create_seconds:.1f}",
            f"{r.core_percent:.1f}",
            f"{r.with_none:.1f}",
            f"{r.load_1min:.1f}",
        )
    console.print(table)


def _show_storage(results: list[StorageResult]) -> None:
    if not results:
        return
    table = _table(
        "What is kept after many updates of few rows", "rows", "updates", "bytes, of once", "batches"
    )
    for r in results:
        table.add_row(f"{r.keys:,}", f"{r.updates:,}", f"{r.ratio:.2f}x", f"{r.batches}")
    console.print(table)


def _show_upserts(results: list[UpsertResult]) -> None:
    if not results:
        return
    table = _table(
        f"The state of an UPSERT source, {results[0].keys:,} keys; MiB",
        *(
            "phase",
            "records",
            "per second",
            "per CPU second",
            "longest batch, ms",
            "resident, most",
            "resident",
        ),
        *("without files' pages", "of these before", "state in memory", "state in files", "load"),
    )
    for r in results:
        table.add_row(
            r.phase,
            f"{r.records:,}",
            f"{r.records / r.seconds:,.0f}",
            f"{r.records / r.cpu_s:,.0f}",
            f"{r.longest_ms:,.0f}",
            *(f"{mib:,.0f}" for mib in (r.peak_mib, r.resident_mib, r.private_mib, r.own_mib)),
            *(f"{mib:,.0f}" for mib in (r.state_mib, r.files_mib)),
            f"{r.load_1min:.1f}",
        )
    console.print(table)


def _show_disk(results: list[DiskResult]) -> None:
    for r in results:
        table = _table(
            f"The directory after a dbt build over {r.trips:,} trips, MiB; once: {r.once_mib:.1f}, of which the input {r.input_mib:.1f}",
            *("folder", "built", "of once", f"{r.rest_s:.0f} s later", "of once"),
        )
        whole = {"all": (sum(r.built.values()), sum(r.rested.values()))}
        folders = {top: (r.built.get(top, 0.0), r.rested.get(top, 0.0)) for top in {**r.built, **r.rested}}
        for name, (built, rested) in {
            **dict(sorted(folders.items(), key=lambda f: -max(f[1]))),
            **whole,
        }.items():
            times = (f"{mib / r.once_mib:.2f}x" for mib in (built, rested))
            table.add_row(name, f"{built:.1f}", next(times), f"{rested:.1f}", next(times))
        console.print(table)


def _show_processes(results: list[ProcessesResult]) -> None:
    if not results:
        return
    roles = list(dict.fromkeys(held.role for r in results for held in r.processes))
    table = _table(
        f"Memory by process, MiB, over {results[0].base_rows:,} rows; the goals are {COORDINATOR_MIB} of the coordinator and `goal` of all but the JVM",
        *("workload", "at", *roles, "all", "goal", "files", "load"),
    )
    for r in results:
        by_role = [sum(h.own_mib for h in r.processes if h.role == role) for role in roles]
        files = sum(h.files_mib for h in r.processes if h.role != "JVM")
        table.add_row(
            *(r.workload, r.moment, *(f"{mib:.0f}" for mib in by_role)),
            *(f"{r.all_mib:.0f}", f"{r.goal_mib:.0f}", f"{files:.0f}", f"{r.load_1min:.1f}"),
        )
    console.print(table)


def _show_appends(results: list[AppendCost]) -> None:
    if not results:
        return
    table = _table("An append of one row", "database", "batches before", "ms (median)", "load")
    for r in results:
        table.add_row(r.database, f"{r.history:,}", f"{r.median_ms:.3f}", f"{r.load_1min:.1f}")
    console.print(table)


def _show_recoveries(results: list[RecoveryResult]) -> None:
    if not results:
        return
    table = _table(
        "A worker's death to the next row in the view (seconds)", "base", "deaths", "median", "most", "load"
    )
    for r in results:
        table.add_row(
            f"{r.base_rows:,}",
            str(len(r.seconds)),
            f"{median(r.seconds):.2f}",
            f"{max(r.seconds):.2f}",
            f"{r.load_1min:.1f}",
        )
    console.print(table)


def _show_responsiveness(results: list[ResponsivenessResult]) -> None:
    if not results:
        return
    table = _table(
        "SELECT 1 while others work, and what held the loop (milliseconds)",
        *("load", "seconds", "median", "p99", "max", "stalls", "longest", "with a core", "machine"),
    )
    for r in results:
        table.add_row(
            *(r.load, f"{r.seconds:.1f}", *_three(r.probe), str(r.stalls)),
            *(f"{r.longest_stall_ms:.0f}", f"{r.longest_held_ms:.0f}", f"{r.load_1min:.1f}"),
        )
    console.print(table)


def _show_queries(results: list[QueryResult]) -> None:
    if not results:
        return
    table = _table(
        f"One-off queries over {results[0].rows:,} rows (milliseconds; taken in turns)",
        *("query", "median", "p99", "CPU", "two at once", "PostgreSQL", "ratio", "DuckDB", "ratio", "load"),
    )
    for r in results:
        median_ms = r.ptvc.median_ms
        others = [
            text
            for other in (r.postgres, r.duckdb)
            for text in (
                ("-", "-") if other is None else (_ms(other.median_ms), f"{median_ms / other.median_ms:.2f}")
            )
        ]
        own = (median_ms, r.ptvc.p99_ms, r.ptvc.cpu_ms, r.two_at_once.median_ms)
        table.add_row(r.query, *map(_ms, own), *others, f"{r.load_1min:.1f}")
    console.print(table)


def _show_isolation(results: list[Result]) -> None:
    reads = [r for r in results if isinstance(r, ReadResult)]
    if reads:
        table = _table(
            "Reads, and beside a query that runs away (milliseconds)",
            *("read", "median", "p99", "max", "beside: median", "p99", "max", "ratio", "load"),
        )
        for r in reads:
            ratio = "-" if r.beside is None else f"{r.beside.median_ms / r.idle.median_ms:.2f}"
            table.add_row(r.read, *_three(r.idle), *_three(r.beside), ratio, f"{r.load_1min:.1f}")
        console.print(table)
    runaways = [r for r in results if isinstance(r, RunawayResult)]
    if runaways:
        table = _table(
            "The query that runs away",
            *("rows", "most MiB", "cancel to error ms", "CPU afterwards %", "MiB afterwards", "load"),
        )
        for w in runaways:
            table.add_row(
                *(f"{w.rows:,}", f"{w.most_mib:,.0f}", _ms(w.cancel_ms)),
                *(f"{w.after_percent:.0f}", f"{w.after_mib:,.0f}", f"{w.load_1min:.1f}"),
            )
        console.print(table)


def _show_rates(results: list[AppendRate]) -> None:
    if not results:
        return
    table = _table("Appends of one row", "database", "writers", "per second", "lost races of each", "load")
    for r in results:
        table.add_row(
            r.database, f"{r.writers}", f"{r.per_second:,.0f}", f"{r.lost:.2f}", f"{r.load_1min:.1f}"
        )
    console.print(table)


def _show_dbt(results: list[DbtResult]) -> None:
    if not results:
        return
    table = _table(
        "dbt (seconds, medians; CPU of dbt's process, and of the server meanwhile)",
        *("what", "adapter", "runs", "wall", "CPU dbt", "CPU server", "load"),
    )
    for r in results:
        cpu = (
            "-" if value is None else f"{value:.2f}" for value in (r.dbt_cpu_seconds, r.server_cpu_seconds)
        )
        table.add_row(r.what, r.adapter, str(r.count), f"{r.wall_seconds:.2f}", *cpu, f"{r.load_1min:.1f}")
    console.print(table)


def _show_sinks(results: list[SinkResult]) -> None:
    if not results:
        return
    table = _table(
        "A view's rows until they are durable in a topic",
        "sink",
        "what",
        "messages",
        "MB",
        "seconds",
        "a second",
        "CPU in s",
        "load",
    )
    for r in results:
        table.add_row(
            r.sink,
            r.what,
            f"{r.messages:,}",
            f"{r.nbytes / 1e6:.1f}",
            f"{r.seconds:.1f}",
            f"{r.per_second:,.0f}",
            f"{r.cpu_s:.1f}",
            f"{r.load_1min:.1f}",
        )
    console.print(table)


def _show_snapshots(results: list[SnapshotResult]) -> None:
    if not results:
        return
    table = _table(
        "Parquet files of four columns, until all rows are counted (Spark) or durable",
        *("what", "rows", "seconds", "a second", "CPU in s", "load"),
    )
    for r in results:
        table.add_row(
            r.what,
            f"{r.rows:,}",
            f"{r.seconds:.2f}",
            f"{r.per_second:,.0f}",
            f"{r.cpu_s:.1f}",
            f"{r.load_1min:.1f}",
        )
    console.print(table)


def _show_replication(results: list[ReplicationResult]) -> None:
    if not results:
        return
    table = _table(
        "Rows of a database until they are here; of a sink, until they are there",
        *("what", "rows", "seconds", "a second", "CPU in s", "load"),
    )
    for r in results:
        table.add_row(
            r.what,
            f"{r.rows:,}",
            f"{r.seconds:.2f}",
            f"{r.per_second:,.0f}",
            f"{r.cpu_s:.1f}",
            f"{r.load_1min:.1f}",
        )
    console.print(table)
