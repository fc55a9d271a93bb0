"""The `ptvc` command: serve, up, down, status, sql, watch, check, lineage, port, doctor, persist."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING, Annotated, Literal, NoReturn

import psycopg
import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from .check.commands import check, lineage
from .config import DATABASE, DEFAULT_HOST, DEFAULT_PORT, DEFAULT_USER, Settings
from .directory import (
    CONTROL_SOCKET,
    KEYS_VARIABLE,
    PRIVATE_UMASK,
    RuntimeInfo,
    installed_version,
    is_locked,
    lock,
    log_file,
)
from .driver_start import BegunDriver, DriverCommand
from .errors import PtvcError
from .network.certificates import CertificateFiles
from .network.exposure import Exposure
from .porting.commands import port as port_project

if TYPE_CHECKING:
    from .persist.stores import Stores

app = typer.Typer(
    name="ptvc",
    help="Incrementally maintained SQL views on Spark.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
persist = typer.Typer(
    help="Look into the store of an environment, whether or not a runtime serves it.", no_args_is_help=True
)
app.add_typer(persist, name="persist")
app.command()(check)
app.command()(lineage)
app.command("port")(port_project)
console = Console(soft_wrap=True)
problems = Console(stderr=True, soft_wrap=True)
WIDE = Console(width=1_000_000)

DEFAULT_PATH = Path(".ptvc")
READY_TIMEOUT_S = 60.0
STOP_TIMEOUT_S = 60.0
ERROR, HINT = "error: ", "hint: "

PathOption = Annotated[Path, typer.Option("--path", help="Directory that holds the environment.")]
SetOption = Annotated[list[str] | None, typer.Option("--set", help="name=value; repeat for more.")]
ConsensusOption = Annotated[
    str | None,
    typer.Option(
        "--consensus",
        envvar="PTVC_CONSENSUS",
        metavar="URL",
        help="Where what is durable is decided: sqlite:///path or postgresql://user@host/database; "
        "a file in the directory unless named.",
    ),
]
BlobOption = Annotated[
    str | None,
    typer.Option(
        "--blob",
        envvar="PTVC_BLOB",
        metavar="URL",
        help="Where large parts are: file:///path or s3://bucket/prefix; in the directory unless named.",
    ),
]
KeyFileOption = Annotated[
    Path | None,
    typer.Option(
        "--secrets-key-file",
        envvar="PTVC_SECRETS_KEY_FILE",
        help="Keys that secrets are encrypted with; a file in the directory unless named, made with the first secret.",
    ),
]

HttpPortOption = Annotated[
    int | None,
    typer.Option(
        "--http-port",
        min=0,
        max=65535,
        help="Port to listen on for HTTP, of webhooks; 0 picks a free one; none unless given.",
    ),
]

TlsCertOption = Annotated[
    Path | None, typer.Option("--tls-cert", help="Certificate to show, in PEM; read again when it changes.")
]
TlsKeyOption = Annotated[
    Path | None, typer.Option("--tls-key", help="Its key, in PEM, for nobody else to read.")
]
TlsClientCaOption = Annotated[
    Path | None,
    typer.Option(
        "--tls-client-ca", help="Authorities; a certificate of theirs stands for its name's password."
    ),
]
TlsClientNamesOption = Annotated[
    Path | None,
    typer.Option("--tls-client-names", help="Lines `name in a certificate = role`, where they differ."),
]
TlsModeOption = Annotated[
    Literal["allow", "require"] | None,
    typer.Option(
        "--tls-mode",
        help="What is not TLS: allow, or refuse (require). By default it is allowed on the loopback.",
    ),
]


@app.command()
def serve(
    path: PathOption = DEFAULT_PATH,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = DEFAULT_HOST,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port to listen on; 0 picks a free one.")
    ] = DEFAULT_PORT,
    consensus: ConsensusOption = None,
    blob: BlobOption = None,
    assignments: SetOption = None,
    secrets_key_file: KeyFileOption = None,
    http_port: HttpPortOption = None,
    tls_cert: TlsCertOption = None,
    tls_key: TlsKeyOption = None,
    tls_client_ca: TlsClientCaOption = None,
    tls_client_names: TlsClientNamesOption = None,
    tls_mode: TlsModeOption = None,
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Listen beyond this machine without TLS and passwords.")
    ] = False,
    verbose: Annotated[bool, typer.Option("--verbose", help="Log more.")] = False,
) -> None:
    """Run the runtime in the foreground; Ctrl-C stops it."""
    os.umask(PRIVATE_UMASK)  # and that of all processes that are started from here
    certificate = _certificate(tls_cert, tls_key, tls_client_ca, tls_client_names)
    exposure = Exposure.of(host, port, http_port, certificate, tls_mode, insecure=insecure)
    logging.basicConfig(
        level=logging.DEBUG if verbose else logging.INFO,
        format="%(asctime)s %(levelname)s %(name)s %(message)s",
    )
    from .no_pandas import without_pandas

    without_pandas()  # modules of the server make arrays while they are imported
    from .persist.stores import locate

    settings = Settings().with_assignments(assignments or ())
    location = locate(path, consensus, blob)
    secrets_keys = os.environ.pop(KEYS_VARIABLE, None)
    path = path.resolve()
    blobs = location.under(path).blob
    command = DriverCommand.of(settings, str(path / CONTROL_SOCKET), path, blobs)
    with closing(lock(path)), BegunDriver(command) as driver:
        # Spark starts while half of the package is imported, which no other command needs.
        from .allocator import return_what_is_freed

        return_what_is_freed()
        from . import server

        try:
            asyncio.run(
                server.run(path, exposure, settings, location, driver, secrets_keys, secrets_key_file)
            )
        except server.PartFailed as failure:
            server.start_anew(failure)


@app.command()
def up(
    path: PathOption = DEFAULT_PATH,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 picks a free one.")] = 0,
    consensus: ConsensusOption = None,
    blob: BlobOption = None,
    assignments: SetOption = None,
    secrets_key_file: KeyFileOption = None,
    http_port: HttpPortOption = None,
    tls_cert: TlsCertOption = None,
    tls_key: TlsKeyOption = None,
    tls_client_ca: TlsClientCaOption = None,
    tls_client_names: TlsClientNamesOption = None,
    tls_mode: TlsModeOption = None,
) -> None:
    """Start the runtime in the background, unless it runs already; returns when clients may connect."""
    options = {"--consensus": consensus, "--blob": blob}
    places = [text for name, url in options.items() if url is not None for text in (name, url)]
    if places:
        from .persist.stores import locate

        named = locate(path, consensus, blob)  # refused here rather than in the log
    info = RuntimeInfo.read(path)
    if info is None:
        given = {
            "--secrets-key-file": secrets_key_file,
            "--http-port": http_port,
            "--tls-cert": tls_cert,
            "--tls-key": tls_key,
            "--tls-client-ca": tls_client_ca,
            "--tls-client-names": tls_client_names,
            "--tls-mode": tls_mode,
        }
        more = [text for name, value in given.items() if value is not None for text in (name, str(value))]
        info = _start(path, port, [*places, *more], assignments or [])
    elif places and named != locate(path):
        raise PtvcError(
            f"the runtime in {path} has other stores than the ones named",
            hint=f"Stop it with: ptvc down --path {path}",
        )
    elif info.version != installed_version():
        raise PtvcError(
            f"the runtime in {path} is version {info.version}, installed is {installed_version()}",
            hint=f"Stop the old one with: ptvc down --path {path}",
        )
    console.print(_how_to_connect(info))


@app.command()
def down(path: PathOption = DEFAULT_PATH) -> None:
    """Stop the runtime of a directory.  Its data stays; `ptvc up` goes on from there."""
    info = RuntimeInfo.read(path)
    if info is None:
        console.print(f"no runtime serves {path}")
        return
    os.kill(info.pid, signal.SIGTERM)
    deadline = monotonic() + STOP_TIMEOUT_S
    while is_locked(path):
        if monotonic() > deadline:
            raise PtvcError(f"process {info.pid} does not stop", hint=f"Its log is {log_file(path)}.")
        sleep(0.05)
    console.print(f"stopped the runtime of {path}")


@app.command()
def status(path: PathOption = DEFAULT_PATH) -> None:
    """Say whether a runtime serves the directory, and what it maintains."""
    info = RuntimeInfo.read(path)
    if info is None:
        console.print(f"no runtime serves {path}; start it with: ptvc up --path {path}")
        raise typer.Exit(1)
    console.print(_how_to_connect(info))
    with _connect(info) as connection:
        _print_rows(
            connection.execute(
                "SELECT o.schema_name AS schema, o.name, o.type, s.hydrated"
                " FROM mz_catalog.mz_objects o JOIN mz_internal.mz_hydration_statuses s ON s.object_id = o.id"
                " ORDER BY 1, 2"
            )
        )


@app.command()
def sql(
    statements: Annotated[str, typer.Argument(help="SQL to run; - reads standard input.")],
    path: PathOption = DEFAULT_PATH,
) -> None:
    """Run SQL and print its rows."""
    from .sql.parser.parse import parse

    info = _running(path)
    text = sys.stdin.read() if statements == "-" else statements
    with _connect(info) as connection:
        connection.add_notice_handler(lambda notice: problems.print(notice.message_primary, markup=False))
        # One at a time, as psql sends them: together they would be one transaction, and see no view change.
        for statement in parse(text):
            cursor = connection.execute(statement.sql.encode())
            if cursor.description is not None:
                _print_rows(cursor)
            else:
                console.print(cursor.statusmessage)


@app.command()
def watch(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME]...", help="Tests, or models that are tested; all unless named."),
    ] = None,
    path: PathOption = DEFAULT_PATH,
    host: Annotated[str | None, typer.Option(help="Address of the runtime, in place of a directory.")] = None,
    port: Annotated[int, typer.Option(help="Port there.")] = DEFAULT_PORT,
    user: Annotated[str, typer.Option(help="As whom; PGPASSWORD holds the password.")] = DEFAULT_USER,
    schemas: Annotated[
        list[str] | None,
        typer.Option("--schema", help="Stored failures in this schema only; repeat for more."),
    ] = None,
    once: Annotated[bool, typer.Option("--once", help="Say how things are, and end.")] = False,
    fail_fast: Annotated[bool, typer.Option("--fail-fast", help="End with the first violation.")] = False,
    seconds: Annotated[
        float | None, typer.Option("--for", metavar="SECONDS", help="End after so long.")
    ] = None,
) -> None:
    """Follow dbt's tests with stored failures until Ctrl-C; exits with 1 if one was violated."""
    from .watch import Watch, Where, look_once

    if host is None:
        info = _running(path)
        host, port = info.host, info.port
    arguments = {
        "host": host,
        "port": port,
        "user": user,
        "dbname": DATABASE,
        "application_name": "ptvc watch",
    }
    where = Where(arguments, schemas or (), names or ())
    if once:
        violated = look_once(where, console)
    else:
        following = Watch(where, console, fail_fast)
        asyncio.run(_until_interrupted(following.run(seconds), following.stop))
        violated = following.violated
    if violated:
        raise typer.Exit(1)


async def _until_interrupted(work: Coroutine[None, None, None], stop: Callable[[], None]) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
    await work


@app.command()
def doctor() -> None:
    """Check what the runtime needs of this machine."""
    from .compute.spark.java import ensure_java

    environment = ensure_java()
    console.print(f"Java: {environment.get('JAVA_HOME', 'on PATH')}")
    console.print(f"Python: {sys.executable}")
    console.print(f"ptvc {installed_version()}: ready")


@persist.command("inspect")
def inspect_store(
    path: PathOption = DEFAULT_PATH, consensus: ConsensusOption = None, blob: BlobOption = None
) -> None:
    """List shards with their frontiers, batches, sizes and holds, and the blobs that belong to none."""
    from .persist import inspect

    with _stores(path, consensus, blob) as stores:
        found = inspect.overview(stores.consensus, stores.blob)
    table = Table()
    for name in ("shard", "since", "upper", "batches", "parts", "rows", "errors", "inline", "blobs", "holds"):
        table.add_column(name, overflow="fold")
    for s in found.shards:
        sizes = (s.since, s.upper, s.batches, s.parts, s.rows, s.errors, s.inline_bytes, s.blob_bytes)
        holds = ", ".join(f"{hold.holder}: {hold.since}" for hold in s.holds)
        table.add_row(*(Text(str(value)) for value in (s.shard, *sizes, holds)))
    _print_table(table)
    console.print(
        f"{found.blobs} blobs; {len(found.garbage)} replaced, to be deleted; "
        f"{len(found.unreferenced)} unreferenced (of writes under way, or of writers that died)"
    )
    for key in found.unreferenced:
        console.print(f"  {key}", markup=False, highlight=False)


@persist.command("verify")
def verify_store(
    path: PathOption = DEFAULT_PATH, consensus: ConsensusOption = None, blob: BlobOption = None
) -> None:
    """Read all that is stored, and say what is not as it was written; exits with 1 if anything is."""
    from .persist import inspect

    with _stores(path, consensus, blob) as stores:
        count = len(stores.consensus.shard_ids())
        problems_found = 0
        for problem in inspect.verify(stores.consensus, stores.blob):
            problems_found += 1
            console.print(f'shard "{problem.shard}": {problem.message}', markup=False, highlight=False)
    if problems_found:
        raise typer.Exit(1)
    console.print(f"all parts of {count} shard{'' if count == 1 else 's'} are as they were written")


@contextmanager
def _stores(path: Path, consensus: str | None, blob: str | None) -> Iterator[Stores]:
    """The stores of an environment that is there."""
    from .persist.stores import locate, open_existing

    stores = open_existing(path, locate(path, consensus, blob))
    try:
        yield stores
    finally:
        stores.consensus.close()


def _running(path: Path) -> RuntimeInfo:
    info = RuntimeInfo.read(path)
    if info is None:
        raise PtvcError(f"no runtime serves {path}", hint=f"Start it with: ptvc up --path {path}")
    return info


def _start(path: Path, port: int, places: list[str], assignments: list[str]) -> RuntimeInfo:
    Settings().with_assignments(assignments)  # refused here rather than in the log
    log = log_file(path)
    arguments = [
        sys.executable,
        "-P",
        "-m",
        "ptvc",
        "serve",
        "--path",
        str(path),
        "--port",
        str(port),
        *places,
    ]
    for assignment in assignments:
        arguments += ["--set", assignment]
    log.touch(0o600)
    with log.open("ab") as output:
        start = output.tell()
        process = subprocess.Popen(
            arguments,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
            umask=PRIVATE_UMASK,
        )
    deadline = monotonic() + READY_TIMEOUT_S
    while (info := RuntimeInfo.read(path)) is None:
        # A second `up` at the same moment loses the lock: the winner's runtime is as good.
        if process.poll() is not None and not is_locked(path):
            reason, hint = _reason(log, start)
            raise PtvcError(f"the runtime did not start: {reason}", hint=f"{hint} Its log is {log}.".strip())
        if monotonic() > deadline:
            raise PtvcError("the runtime takes too long to start", hint=f"Its log is {log}.")
        sleep(0.02)
    return info


def _reason(log: Path, start: int) -> tuple[str, str]:
    """What a runtime that ended had to say: its error and the hint, or its last line."""
    with log.open("rb") as file:
        file.seek(start)
        lines = file.read().decode(errors="replace").strip().splitlines()
    errors = [line.removeprefix(ERROR) for line in lines if line.startswith(ERROR)]
    hints = [line.removeprefix(HINT) for line in lines if line.startswith(HINT)]
    reason = errors[-1] if errors else lines[-1] if lines else "it left no message"
    return reason, hints[-1] if errors and hints else ""


def _certificate(
    certificate: Path | None, key: Path | None, client_ca: Path | None, client_names: Path | None
) -> CertificateFiles | None:
    if (certificate is None) != (key is None):
        raise PtvcError("--tls-cert and --tls-key go together", sqlstate="22023")
    if certificate is None or key is None:
        if client_ca is not None or client_names is not None:
            raise PtvcError(
                "clients show certificates to a server that has one",
                sqlstate="22023",
                hint="Give it with --tls-cert and --tls-key.",
            )
        return None
    return CertificateFiles(certificate, key, client_ca, client_names)


def _how_to_connect(info: RuntimeInfo) -> str:
    web = "" if info.http_port is None else f", {info.http_scheme}://{info.host}:{info.http_port}"
    return (
        f"ptvc {info.version} is running (process {info.pid}): "
        f"psql -h {info.host} -p {info.port} -U {DEFAULT_USER} {DATABASE}{web}"
    )


def _connect(info: RuntimeInfo) -> psycopg.Connection[tuple[object, ...]]:
    return psycopg.connect(
        host=info.host, port=info.port, user=DEFAULT_USER, dbname=DATABASE, autocommit=True
    )


def _print_rows(cursor: psycopg.Cursor[tuple[object, ...]]) -> None:
    """Values as the runtime writes them, which is as PostgreSQL does."""
    result = cursor.pgresult
    assert result is not None
    table = Table()
    for column in cursor.description or ():
        table.add_column(Text(column.name), overflow="fold")
    for row in range(result.ntuples):
        values = (result.get_value(row, place) for place in range(result.nfields))
        table.add_row(*(Text((value or b"").decode()) for value in values))
    _print_table(table)


def _print_table(table: Table) -> None:
    if console.is_terminal:
        console.print(table)
    else:  # a line may be as long as it must: nothing is cut, nothing is folded
        Console(width=table.__rich_measure__(WIDE, WIDE.options).maximum).print(table)


def main() -> None:
    """Errors with a meaning to the user are printed in two lines, never as a traceback."""
    try:
        app()
    except PtvcError as error:
        _fail(error.message, error.hint)
    except psycopg.Error as error:
        _fail(str(error), None)
    except BrokenPipeError:
        # The reader of our output has closed it; Python would complain when it flushes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


def _fail(message: str, hint: str | None) -> NoReturn:
    problems.print(Text(ERROR.strip(), style="bold red"), end=" ")
    problems.print(message, soft_wrap=True, highlight=False, markup=False)
    if hint:
        problems.print(f"{HINT}{hint}", soft_wrap=True, highlight=False, markup=False)
    sys.exit(1)
