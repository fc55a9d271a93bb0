"""Webhook requests at a fixed rate, signed, each answered when it is durable."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

from rich.table import Table

from ..measure import Latencies, load
from ..report import new_table, shows
from ..runtime import served
from .client import SECRET, Load, arguments

CONNECTIONS = 64
BODY_BYTES = 300
WARM_UP_S = 2.0


@dataclass(frozen=True, slots=True)
class WebhookResult:
    """`latency` from when a request was due to its answer; `cpu_seconds` of the runtime's processes, per second of the run."""

    rate: int
    answered_per_second: float
    latency: Latencies
    refused: int
    rows: int
    cpu_seconds: float
    load_1min: float


def run_webhooks(rate: int, seconds: float) -> WebhookResult:
    """The client is another process on the same machine."""
    with served(options=("--http-port", "0")) as runtime, runtime.connect() as connection:
        connection.execute(f"CREATE SECRET shared AS '{SECRET}'")
        connection.execute(
            "CREATE SOURCE posted FROM WEBHOOK BODY FORMAT JSON CHECK (WITH (HEADERS, BODY BYTES, SECRET shared BYTES)"
            " constant_time_eq(headers->'x-hub-signature-256', 'sha256=' || encode(hmac(body, shared, 'sha256'), 'hex')))"
        )
        assert runtime.http_port is not None
        _post(Load(runtime.http_port, rate, WARM_UP_S, CONNECTIONS, BODY_BYTES))
        before = runtime.cpu_seconds()
        found = _post(Load(runtime.http_port, rate, seconds, CONNECTIONS, BODY_BYTES))
        cpu = runtime.cpu_seconds() - before
        row = connection.execute("SELECT count(*) FROM posted").fetchone()
        assert row is not None
        statuses = found["statuses"]
        return WebhookResult(
            rate,
            statuses.get("200", 0) / found["seconds"],
            Latencies.of(found["latencies"]),
            sum(count for status, count in statuses.items() if status != "200"),
            row[0],
            cpu / found["seconds"],
            load(),
        )


def _post(work: Load) -> dict[str, Any]:
    done = subprocess.run([sys.executable, *arguments(work)], capture_output=True, check=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@shows(WebhookResult)
def _webhooks_table(results: list[WebhookResult]) -> Table:
    table = new_table(
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
    return table
