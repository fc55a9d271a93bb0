"""`python -m benchmarks`: engine, hydration, end-to-end, transactions, statements, pgbench, isolation, responsiveness, idle, control, exchange, merges,
formats, lakes, memory, files, footprint, reads, recovery, storage, kafka, replication, webhooks, dbt, dbt-tests, all."""

from __future__ import annotations

import signal
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer

from .appends import DATABASES, run_append_cost, run_append_rate
from .control import run_control
from .dbt import run_dbt, run_dbt_tests
from .end_to_end import run_end_to_end
from .engine import application, run_in_process, run_resident
from .exchange import (
    count_exchanges,
    run_critical_paths,
    run_divided,
    run_levels,
    run_links,
    run_look_ups,
    run_round_trips,
    run_through_runtime,
)
from .exchange.steps import DIVIDED
from .files import run_among_workers, run_snapshots, s3a_jars
from .footprint import run_disk, run_processes, run_upserts
from .formats import run_formats
from .hydration import TPCH_NAMES, VIEWS, bases, run_hydration
from .idle import run_idle
from .isolation import run_isolation
from .kafka import flink_jars, run_backlogs, run_freshness, run_sinks
from .lakes import run_lake_sinks
from .maven import NoJars
from .measure import Machine
from .memory import run_memory
from .merges import run_merges
from .reads import run_reads
from .recovery import run_recovery
from .replication import run_backlogs as run_contents
from .replication import run_freshness as run_transaction_freshness
from .replication import run_mysql_backlogs, run_sink
from .report import Result, console, show, write_json
from .responsiveness import run_responsiveness
from .statements import run_pgbench, run_planning, run_statements
from .storage import run_storage
from .transactions import run_transactions
from .webhooks import run_webhooks
from .workloads import WORKLOADS

app = typer.Typer(
    help="The benchmark suite; see benchmarks/README.md.", no_args_is_help=True, add_completion=False
)

OutputOption = Annotated[
    Path | None, typer.Option("--output", help="Write the results as JSON to this file.")
]
RowsOption = Annotated[int, typer.Option("--rows", help="Rows of the base.")]
BasesOption = Annotated[str, typer.Option("--bases", help="Sizes of the base, with commas between them.")]
ChangesOption = Annotated[
    str,
    typer.Option("--changes", help="Sizes of a change, with commas between them; else each workload's own."),
]
WorkloadsOption = Annotated[str, typer.Option("--workloads", help="Which, with commas between them.")]
PlacesOption = Annotated[str, typer.Option("--places", help="process, resident, or both.")]
ScaleOption = Annotated[float, typer.Option("--scale", help="More or fewer repetitions: a factor.")]
CountOption = Annotated[int, typer.Option("--count", help="How many inserts of each kind.")]
RepeatsOption = Annotated[int, typer.Option("--repeats", help="How many hydrations.")]

BASES = "100000,1000000"
REPEATS = 3
ALL_WORKLOADS = ",".join(WORKLOADS)
ALL_DIVIDED = ",".join(DIVIDED)


def numbers(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise typer.BadParameter(f"not a list of whole numbers: {text}") from None


@app.command()
def engine(
    bases: BasesOption = BASES,
    changes: ChangesOption = "",
    workloads: WorkloadsOption = ALL_WORKLOADS,
    places: PlacesOption = "process,resident",
    scale: ScaleOption = 1.0,
    output: OutputOption = None,
) -> None:
    """Latency of steps of each workload, beside a bare reference and a recomputation in DuckDB."""
    machine = Machine.now()
    finish(_engine(bases, changes, workloads, places, scale), machine, output)


def _engine(bases: str, changes: str, workloads: str, places: str, scale: float) -> list[Result]:
    if unknown := set(workloads.split(",")) - set(WORKLOADS):
        raise typer.BadParameter(
            f"no workload {', '.join(sorted(unknown))}: there are {', '.join(WORKLOADS)}"
        )
    if unknown := set(places.split(",")) - {"process", "resident"}:
        raise typer.BadParameter(f"no place {', '.join(sorted(unknown))}: there are process, resident")
    chosen = [(WORKLOADS[name], base) for name in workloads.split(",") for base in numbers(bases)]
    given = numbers(changes) if changes else None
    runs = []
    if "process" in places:
        for workload, base in chosen:
            console.log(f"{workload.name}, base {base:,}, in this process")
            runs.append(run_in_process(workload, base, given or workload.changes, scale))
    if "resident" in places:
        with application() as spark:
            for workload, base in chosen:
                console.log(f"{workload.name}, base {base:,}, in resident tasks")
                runs.append(run_resident(spark, workload, base, given or workload.changes, scale))
    return [*(step for run in runs for step in run.steps), *(run.hydration for run in runs)]


@app.command()
def hydration(
    rows: RowsOption = 1_000_000,
    repeats: RepeatsOption = REPEATS,
    views: Annotated[
        str, typer.Option("--views", help="Which, with commas between them; tpch is q01 to q22.")
    ] = "W2,five,tpch",
    tpch_scale: Annotated[float, typer.Option("--tpch-scale", help="TPC-H's scale factor.")] = 0.5,
    output: OutputOption = None,
) -> None:
    """Views hydrated as Spark jobs through the running system; Spark SQL's and DuckDB's own recompute."""
    machine = Machine.now()
    finish(_hydration(rows, repeats, _view_names(views), tpch_scale), machine, output)


def _view_names(text: str) -> list[str]:
    names = [n for name in text.split(",") for n in (TPCH_NAMES if name == "tpch" else (name,))]
    if unknown := set(names) - set(VIEWS):
        raise typer.BadParameter(f"no view {', '.join(sorted(unknown))}: there are {', '.join(VIEWS)}")
    return names


def _hydration(rows: int, repeats: int, names: Collection[str], tpch_scale: float) -> list[Result]:
    results: list[Result] = []
    for base in bases(names, rows, tpch_scale):
        console.log(f"{', '.join(v.name for v in base.views)}: hydration over {base.rows:,} rows")
        jobs, recomputations = run_hydration(base, repeats)
        results += [*jobs, *recomputations]
    return results


@app.command(name="end-to-end")
def end_to_end(rows: RowsOption = 10_000, count: CountOption = 200, output: OutputOption = None) -> None:
    """INSERT acknowledged to visible in a dependent view, through pgwire."""
    machine = Machine.now()
    console.log(f"end to end, {count} inserts over a base of {rows:,} rows")
    finish(list(run_end_to_end(rows, count)), machine, output)


@app.command()
def transactions(
    rows: RowsOption = 1_000_000,
    changes: ChangesOption = "",
    workloads: WorkloadsOption = "W1,W2,W3,W4,W5,W6",
    scale: ScaleOption = 1.0,
    postgres: Annotated[bool, typer.Option(help="A PostgreSQL does the same transactions beside.")] = False,
    output: OutputOption = None,
) -> None:
    """A transaction of deletes and COPY, then a read of the view, through pgwire, beside DuckDB's recomputation."""
    machine = Machine.now()
    results: list[Result] = []
    for name in workloads.split(","):
        console.log(f"{name}, transactions over a base of {rows:,} rows")
        workload = WORKLOADS[name]
        sizes = numbers(changes) if changes else list(workload.changes)
        results += run_transactions(workload, rows, sizes, scale, postgres)
    finish(results, machine, output)


@app.command()
def statements(
    rows: RowsOption = 100_000,
    count: Annotated[int, typer.Option("--count", help="How many statements of each kind.")] = 1_000,
    planning: Annotated[bool, typer.Option("--planning", help="Planning only, without a runtime.")] = False,
    output: OutputOption = None,
) -> None:
    """Constant SELECTs, look-ups, changes of a row, through pgwire; planning of TPC-H's fifth query."""
    machine = Machine.now()
    results: list[Result] = []
    if not planning:
        console.log(f"{count:,} statements of each kind over {rows:,} rows")
        results += run_statements(rows, count)
    finish([*results, *run_planning(count)], machine, output)


@app.command()
def pgbench(
    scale: Annotated[int, typer.Option("--scale", help="Accounts, in 100,000.")] = 10,
    seconds: Annotated[int, typer.Option("--seconds", help="How long each script runs.")] = 10,
    clients: Annotated[str, typer.Option("--clients", help="How many, with commas between them.")] = "1,8",
    output: OutputOption = None,
) -> None:
    """pgbench's built-in scripts, beside PostgreSQL."""
    machine = Machine.now()
    console.log(f"pgbench, {scale * 100_000:,} accounts")
    finish(list(run_pgbench(scale, seconds, numbers(clients))), machine, output)


@app.command()
def reads(
    rows: RowsOption = 1_000_000,
    repeats: Annotated[int, typer.Option("--repeats", help="How often each query is asked.")] = 11,
    output: OutputOption = None,
) -> None:
    """One-off queries over tables without indexes, beside PostgreSQL and DuckDB."""
    machine = Machine.now()
    console.log(f"one-off queries over {rows:,} rows")
    finish(list(run_reads(rows, repeats)), machine, output)


@app.command()
def idle(
    views: Annotated[int, typer.Option("--views", help="How many views.")] = 1_000,
    seconds: Annotated[float, typer.Option("--seconds", help="How long to look.")] = 30.0,
    output: OutputOption = None,
) -> None:
    """CPU time that views take to which nothing happens."""
    machine = Machine.now()
    console.log(f"{views:,} idle views")
    finish([run_idle(views, seconds)], machine, output)


@app.command()
def control(
    rounds: Annotated[int, typer.Option("--rounds", help="How often each takes its turn.")] = 30,
    before: Annotated[
        Path | None, typer.Option("--before", help="A checkout of older code, which takes turns as well.")
    ] = None,
    output: OutputOption = None,
) -> None:
    """Look-ups and steps of one row, with replicas that come in by a Unix socket and over TLS."""
    machine = Machine.now()
    console.log(f"{rounds} rounds")
    finish(run_control(rounds, before), machine, output)


@app.command()
def exchange(
    rows: RowsOption = 1_000_000,
    workers: Annotated[int, typer.Option("--workers", help="How many processes share the view.")] = 2,
    workloads: WorkloadsOption = ALL_DIVIDED,
    changes: ChangesOption = "1,100,10000,100000",
    scale: ScaleOption = 1.0,
    parts: Annotated[
        str, typer.Option("--parts", help="Of costs, look-ups, steps, links, model, runtime.")
    ] = "costs,look-ups,steps,links,model",
    output: OutputOption = None,
) -> None:
    """One view in several processes: exchanges of plans, ways between processes, what a level costs, and steps beside those of one process."""
    machine = Machine.now()
    if unknown := set(workloads.split(",")) - set(DIVIDED):
        raise typer.BadParameter(
            f"{', '.join(sorted(unknown))}: those that are divided are {', '.join(DIVIDED)}"
        )
    names, sizes = workloads.split(","), numbers(changes)
    results: list[Result] = []
    if "costs" in parts:
        console.log("exchanges of plans, round trips, levels")
        results += [*count_exchanges(), *run_round_trips(scale), *run_levels(workers, scale)]
    if "look-ups" in parts:
        console.log(f"look-ups in an index of {rows:,} rows")
        results += run_look_ups(workers, rows, scale)
    if "steps" in parts:
        console.log(f"steps over a base of {rows:,} rows, in one process and in {workers}")
        results += run_divided(names, rows, sizes, workers, scale)
    if "links" in parts:
        console.log("steps of two machines, with a link between them")
        results += run_links(names, rows, sizes, scale)
    if "model" in parts:
        console.log("steps by a model, with more workers than there are cores, and over a link")
        results += run_critical_paths(names, rows, sizes, scale)
    if "runtime" in parts:
        console.log(f"transactions over {rows:,} rows and reads of a view of one worker, and of {workers}")
        results += run_through_runtime(names, rows, sizes, workers, scale)
    finish(results, machine, output)


@app.command()
def webhooks(
    rate: Annotated[int, typer.Option("--rate", help="Requests a second.")] = 1_000,
    seconds: Annotated[float, typer.Option("--seconds", help="For how long.")] = 20.0,
    output: OutputOption = None,
) -> None:
    """Signed requests at a fixed rate, each answered when it is durable."""
    machine = Machine.now()
    console.log(f"{rate:,} webhook requests a second")
    finish([run_webhooks(rate, seconds)], machine, output)


@app.command()
def isolation(
    rows: RowsOption = 1_000_000,
    count: Annotated[int, typer.Option("--count", help="How many reads of each kind.")] = 50,
    output: OutputOption = None,
) -> None:
    """What a query that runs away costs the reads of others, and how soon it is gone once it is cancelled."""
    machine = Machine.now()
    console.log(f"{count} reads of each kind, and a query over {rows:,} rows that runs away")
    finish(list(run_isolation(rows, count)), machine, output)


@app.command()
def responsiveness(
    rows: RowsOption = 5_000_000,
    seconds: Annotated[float, typer.Option("--seconds", help="How long each load goes on.")] = 10.0,
    output: OutputOption = None,
) -> None:
    """How long SELECT 1 takes, and how long the event loop stands still, while others ask much of the coordinator."""
    machine = Machine.now()
    console.log(f"each load for {seconds:.0f} s, over {rows:,} rows")
    finish(list(run_responsiveness(rows, seconds)), machine, output)


@app.command()
def merges(output: OutputOption = None) -> None:
    """Merges of state in which half of the newer rows are retractions."""
    machine = Machine.now()
    console.log("merges")
    finish(list(run_merges()), machine, output)


@app.command()
def lakes(
    rows: RowsOption = 1_000_000, repeats: RepeatsOption = REPEATS, output: OutputOption = None
) -> None:
    """Contents and changes into tables of Iceberg and Delta Lake, by key and as a log, in this process."""
    machine = Machine.now()
    console.log(f"sinks into lakes, {rows:,} rows")
    finish(list(run_lake_sinks(rows, repeats)), machine, output)


@app.command()
def formats(output: OutputOption = None) -> None:
    """Payloads of messages to columns, by format, on one core."""
    machine = Machine.now()
    console.log("formats of messages")
    finish(list(run_formats()), machine, output)


@app.command()
def memory(
    rows: RowsOption = 1_000_000,
    changes: ChangesOption = "100,10000,100000",
    workloads: WorkloadsOption = "W1,W2,W3,W4,W5",
    scale: ScaleOption = 1.0,
    output: OutputOption = None,
) -> None:
    """Resident memory while steps follow each other, as a multiple of the input's size in Arrow."""
    machine = Machine.now()
    results: list[Result] = []
    with application() as spark:
        for name in workloads.split(","):
            console.log(f"{name}, memory over a base of {rows:,} rows")
            results += run_memory(spark, WORKLOADS[name], rows, numbers(changes), scale)
    finish(results, machine, output)


@app.command()
def footprint(
    rows: RowsOption = 1_000_000,
    trips: Annotated[
        int, typer.Option("--trips", help="Trips of the dbt project; 0 leaves it out.")
    ] = 300_000,
    workloads: WorkloadsOption = "W1,W2,W3,W4,W5,W6",
    rest: Annotated[float, typer.Option("--rest", help="Seconds until what is left is taken.")] = 70.0,
    keys: Annotated[
        int, typer.Option("--keys", help="Keys of the UPSERT source; 0 leaves it out.")
    ] = 10_000_000,
    output: OutputOption = None,
) -> None:
    """What a directory takes after a dbt build, by folder; what each process holds in memory; an UPSERT source's state."""
    machine = Machine.now()
    results: list[Result] = []
    if trips:
        console.log(f"dbt build over {trips:,} trips")
        results.append(run_disk(trips, rest))
    for name in filter(None, workloads.split(",")):
        console.log(f"{name}, processes over a base of {rows:,} rows")
        results += run_processes(WORKLOADS[name], rows, rest)
    if keys:
        console.log(f"the state of {keys:,} keys")
        results += run_upserts(keys, max(keys // 5, 1))
    finish(results, machine, output)


@app.command()
def kafka(
    broker: Annotated[
        str, typer.Option("--broker", help="host:port of one that is there; its topics are left alone.")
    ],
    messages: Annotated[int, typer.Option("--messages", help="Of the backlog; 0 leaves it out.")] = 1_000_000,
    rate: Annotated[int, typer.Option("--rate", help="Messages a second; 0 leaves it out.")] = 1_000,
    seconds: Annotated[int, typer.Option("--seconds", help="How long messages come at that rate.")] = 20,
    sink_rows: Annotated[
        int, typer.Option("--sink-rows", help="Of the view that is written; 0 leaves it out.")
    ] = 500_000,
    registry: Annotated[
        str | None, typer.Option("--registry", help="URL of a schema registry: sinks in Avro, too.")
    ] = None,
    flink: Annotated[
        bool,
        typer.Option("--flink", help="Apache Flink SQL reads the backlog as well; its jars come by Maven."),
    ] = False,
    output: OutputOption = None,
) -> None:
    """A topic that is read whole, as rows and by key; how soon a message is in a view; a view that is written to a topic."""
    if flink:
        with _named_jars():
            flink_jars()
    machine = Machine.now()
    results: list[Result] = []
    if messages:
        console.log(f"a backlog of {messages:,} messages")
        results += run_backlogs(broker, messages, flink=flink)
    if rate:
        console.log(f"{rate:,} messages a second")
        results.append(run_freshness(broker, rate, seconds))
    if sink_rows:
        console.log(f"sinks of {sink_rows:,} rows")
        results += run_sinks(broker, sink_rows, registry)
    finish(results, machine, output)


@app.command()
def replication(
    upstream: Annotated[
        str | None,
        typer.Option(
            "--upstream",
            help="libpq's connection string of a PostgreSQL that is there, with wal_level = logical.",
        ),
    ] = None,
    mysql: Annotated[
        str | None,
        typer.Option("--mysql", help="mysql://USER:PASSWORD@HOST:PORT of a MySQL or MariaDB that is there."),
    ] = None,
    rows: Annotated[int, typer.Option("--rows", help="Of the table; 0 leaves it out.")] = 500_000,
    rate: Annotated[int, typer.Option("--rate", help="Transactions a second; 0 leaves it out.")] = 500,
    seconds: Annotated[int, typer.Option("--seconds", help="How long they come at that rate.")] = 20,
    sink_rows: Annotated[
        int, typer.Option("--sink-rows", help="Of the view that is written; 0 leaves it out.")
    ] = 500_000,
    output: OutputOption = None,
) -> None:
    """A table that is read whole, and followed; how soon a transaction is in a view; a view that is written to a table."""
    machine = Machine.now()
    results: list[Result] = []
    if upstream is None and mysql is None:
        raise typer.BadParameter("one of --upstream and --mysql is needed")
    if mysql is not None and rows:
        console.log(f"MySQL: a table of {rows:,} rows")
        results += run_mysql_backlogs(mysql, rows)
    if upstream is not None and rows:
        console.log(f"a table of {rows:,} rows")
        results += run_contents(upstream, rows)
    if upstream is not None and rate:
        console.log(f"{rate:,} transactions a second")
        results.append(run_transaction_freshness(upstream, rate, seconds))
    if upstream is not None and sink_rows:
        console.log(f"a sink of {sink_rows:,} rows")
        results += run_sink(upstream, sink_rows)
    finish(results, machine, output)


@app.command()
def files(
    rows: RowsOption = 20_000_000,
    count: Annotated[int, typer.Option("--files", help="How many Parquet files.")] = 20,
    rounds: Annotated[int, typer.Option("--rounds", help="How often each reads them.")] = 3,
    s3: Annotated[
        str | None,
        typer.Option("--s3", help="URL/BUCKET of a server that is there, which takes any keys."),
    ] = None,
    spark_s3: Annotated[
        bool,
        typer.Option("--spark-s3", help="Spark counts the objects as well; its jars for that come by Maven."),
    ] = False,
    workers: Annotated[
        int,
        typer.Option(
            "--workers", help="Only: a cluster of one worker, and one of so many, in turns; 0 is all else."
        ),
    ] = 0,
    output: OutputOption = None,
) -> None:
    """Files that are there when a source begins: read by a job, by the source itself, and by several workers; Spark's own counts of them."""
    jars = None
    if spark_s3:
        with _named_jars():
            jars = s3a_jars()
    machine = Machine.now()
    console.log(f"{rows:,} rows in {count} files")
    if workers:
        finish(list(run_among_workers(rows, count, rounds, workers)), machine, output)
        return
    finish(list(run_snapshots(rows, count, rounds, s3, jars)), machine, output)


@app.command()
def recovery(
    rows: RowsOption = 5_000_000,
    deaths: Annotated[int, typer.Option("--deaths", help="How often the worker is killed.")] = 5,
    output: OutputOption = None,
) -> None:
    """A replica's worker is killed: how long until what is written then is in the view."""
    machine = Machine.now()
    console.log(f"{deaths} deaths over a base of {rows:,} rows")
    finish([run_recovery(rows, deaths)], machine, output)


@app.command()
def storage(
    keys: Annotated[int, typer.Option("--keys", help="Rows that are there at any time.")] = 10_000,
    updates: Annotated[
        int, typer.Option("--updates", help="How many updates of them; 0 leaves this out.")
    ] = 1_000_000,
    per_append: Annotated[int, typer.Option("--per-append", help="Rows that an append changes.")] = 1_000,
    histories: Annotated[str, typer.Option("--histories", help="Batches before an append.")] = "100,100000",
    appends: Annotated[int, typer.Option("--appends", help="Appends of each race.")] = 2_000,
    racing: Annotated[str, typer.Option("--writers", help="Processes that append at once.")] = "1,8",
    databases: Annotated[
        str, typer.Option("--databases", help="Which, with commas between them.")
    ] = ",".join(DATABASES),
    output: OutputOption = None,
) -> None:
    """What persist keeps of many updates; appends per second, and what one costs after many others."""
    machine = Machine.now()
    if unknown := set(databases.split(",")) - set(DATABASES):
        raise typer.BadParameter(
            f"no database {', '.join(sorted(unknown))}: there are {', '.join(DATABASES)}"
        )
    results: list[Result] = []
    if updates:
        console.log(f"{updates:,} updates of {keys:,} rows")
        results.append(run_storage(keys, updates, per_append))
    for database in databases.split(","):
        for writers in numbers(racing):
            console.log(f"{appends:,} appends to {database}, of {writers} at once")
            results.append(run_append_rate(database, writers, appends))
        console.log(f"appends to {database} after {histories} batches")
        results += run_append_cost(numbers(histories), database)
    finish(results, machine, output)


@app.command()
def dbt(
    repeats: Annotated[int, typer.Option("--repeats", help="How many runs of each kind.")] = REPEATS,
    output: OutputOption = None,
) -> None:
    """dbt with this adapter beside dbt-postgres, on the same projects; installs dbt-postgres into a temporary environment."""
    machine = Machine.now()
    console.log("dbt beside dbt-postgres")
    finish(list(run_dbt(repeats)), machine, output)


@app.command(name="dbt-tests")
def dbt_tests(
    rows: RowsOption = 1_000_000,
    repeats: Annotated[int, typer.Option("--repeats", help="How many runs of each adapter.")] = 5,
    materialized: Annotated[
        str, typer.Option("--materialized", help="What the views are: materialized_view or view.")
    ] = "materialized_view",
    output: OutputOption = None,
) -> None:
    """`dbt test` of large views beside dbt-postgres, which it installs into a temporary environment."""
    machine = Machine.now()
    if materialized not in ("materialized_view", "view"):
        raise typer.BadParameter(f"not materialized_view or view: {materialized}")
    console.log(f"dbt test over {rows:,} rows")
    finish(list(run_dbt_tests(rows, repeats, materialized)), machine, output)


@app.command(name="all")
def everything(scale: ScaleOption = 1.0, output: OutputOption = None) -> None:
    """The engine, hydration and end to end, with the usual sizes."""
    machine = Machine.now()
    results = _engine(BASES, "", ALL_WORKLOADS, "process,resident", scale)
    results += _hydration(1_000_000, REPEATS, ("W2", "five"), 0.5)
    results += run_end_to_end(10_000, max(int(200 * scale), 10))
    finish(results, machine, output)


@contextmanager
def _named_jars() -> Iterator[None]:
    """Ends the command with what is said of jars that are not there."""
    try:
        yield
    except NoJars as error:
        console.log(f"[red]{error}")
        raise typer.Exit(1) from None


def finish(results: list[Result], machine: Machine, output: Path | None) -> None:
    show(results)
    if output is not None:
        write_json(output, machine, results)
        console.log(f"wrote {output}")


def stop(number: int, _: FrameType | None) -> None:
    """Leaves through every `with`, so that no runtime and no Spark is left behind."""
    sys.exit(128 + number)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, stop)
    app()
