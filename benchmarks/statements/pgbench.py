"""pgbench, PostgreSQL's own benchmark, as it comes with the server: its three built-in scripts.

```
pgbench -i -s N ── tables, COPY, keys ──┬── ptvc         ┐  each script, with few and many clients,
                                        └── PostgreSQL   ┘  with and without prepared statements
```

A transaction that two clients cannot both do is tried again by pgbench, as by any client of a serializable database.
Afterwards the sum of the balances has to be that of the history, in both.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg.conninfo import conninfo_to_dict
from rich.table import Table

from ..measure import load
from ..postgres import postgres
from ..report import ms, new_table, shows
from ..runtime import RuntimeFailed, served

SCRIPTS = ("tpcb-like", "simple-update", "select-only")
PROTOCOLS = ("simple", "prepared")
MAX_TRIES = 10_000
_PATIENCE_S = 900

_TPS = re.compile(r"^tps = ([0-9.]+)", re.MULTILINE)
_LATENCY = re.compile(r"^latency average = ([0-9.]+) ms", re.MULTILINE)
_RETRIES = re.compile(r"^total number of retries: (\d+)", re.MULTILINE)
_DONE = re.compile(r"^number of transactions actually processed: (\d+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class PgbenchResult:
    """`retries`: tries that came to nothing, per transaction."""

    database: str
    script: str
    protocol: str
    clients: int
    scale: int
    tps: float
    latency_ms: float
    retries: float
    load_1min: float


def run_pgbench(scale: int, seconds: int, clients: Sequence[int]) -> Iterator[PgbenchResult]:
    """100,000 accounts times `scale`; each script runs `seconds` with each number of clients."""
    with served() as runtime, postgres() as server:
        program = server.program("pgbench")
        databases = {
            "ptvc": {"host": "127.0.0.1", "port": str(runtime.port), "user": "ptvc", "dbname": "ptvc"},
            "PostgreSQL": {name: str(value) for name, value in conninfo_to_dict(server.uri).items()},
        }
        yield from measure_pgbench(program, databases, scale, ("--time", str(seconds)), clients)


def measure_pgbench(
    program: Path,
    databases: Mapping[str, Mapping[str, str]],
    scale: int,
    length: Sequence[str],
    clients: Sequence[int],
) -> Iterator[PgbenchResult]:
    """`databases`: parameters of connections; `length`: pgbench's option of how long a run is.

    Raises RuntimeFailed when pgbench fails, or when a balance is wrong.
    """
    for connection in databases.values():
        _pgbench(program, connection, "--initialize", "--scale", str(scale))
    for script in SCRIPTS:
        for protocol in PROTOCOLS:
            for count in clients:
                for database, connection in databases.items():
                    output = _pgbench(
                        program,
                        connection,
                        *("--builtin", script, "--protocol", protocol, "--client", str(count)),
                        *(*length, "--no-vacuum", "--max-tries", str(MAX_TRIES)),
                    )
                    retries = _number(_RETRIES, output) / max(1, _number(_DONE, output))
                    yield PgbenchResult(
                        *(database, script, protocol, count, scale),
                        *(_number(_TPS, output), _number(_LATENCY, output), retries, load()),
                    )
    for database, connection in databases.items():
        _check(database, connection)


def _pgbench(program: Path, connection: Mapping[str, str], *arguments: str) -> str:
    variables = {_VARIABLES[name]: value for name, value in connection.items()}
    done = subprocess.run(
        [str(program), *arguments],
        env=os.environ | variables,
        capture_output=True,
        text=True,
        timeout=_PATIENCE_S,
        check=False,
    )
    if done.returncode or "aborted" in done.stderr:
        raise RuntimeFailed(f"pgbench {' '.join(arguments)}: {done.stderr[-2000:]}")
    return done.stdout


_VARIABLES = {"host": "PGHOST", "port": "PGPORT", "user": "PGUSER", "dbname": "PGDATABASE"}


def _number(pattern: re.Pattern[str], output: str) -> float:
    if (found := pattern.search(output)) is None:
        raise RuntimeFailed(f"pgbench said nothing of {pattern.pattern}: {output}")
    return float(found[1])


def _check(database: str, connection: Mapping[str, str]) -> None:
    with psycopg.connect(**connection) as client:  # type: ignore[arg-type]
        query = (
            "SELECT (SELECT sum(abalance) FROM pgbench_accounts), (SELECT sum(delta) FROM pgbench_history)"
        )
        row = client.execute(query).fetchone()
    if row is None or row[0] != row[1]:
        raise RuntimeFailed(f"{database}: balances and history differ: {row}")


@shows(PgbenchResult)
def _pgbench_table(results: list[PgbenchResult]) -> Table:
    table = new_table("pgbench", "script", "protocol", "clients", "", "tps", "ms", "retries each", "load")
    for r in results:
        table.add_row(
            *(r.script, r.protocol, str(r.clients), r.database),
            *(f"{r.tps:,.0f}", ms(r.latency_ms), f"{r.retries:.2f}", f"{r.load_1min:.1f}"),
        )
    return table
