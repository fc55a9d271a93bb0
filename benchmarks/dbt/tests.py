"""`dbt test` of large views beside dbt-postgres: the usual four kinds of tests, over the same rows, in turns.

```
the same rows ── two tables ── dbt run ── four views, materialized or not ── dbt test, again and again ── verdicts compared
```

In PostgreSQL they are views of the same kind; it has analyzed all tables and materialized views.  Some tests find rows, so that
what is compared is not zeros alone; they warn, so that dbt succeeds.
"""

from __future__ import annotations

import io
import json
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pyarrow as pa
import pyarrow.csv as csv

from ..runtime import RuntimeFailed
from .adapters import DbtAdapter, DbtResult, DbtRun, served_postgres, served_ptvc
from .project import SCHEMA, write_models, write_profile, write_properties

SEED = 1
DAYS = 730
STATUSES = ("placed", "paid", "sent", "returned", "lost")
REGIONS = ("north", "south")
UNPAID = 0.01
"""Of the orders; they have no amount."""

ORPHANS = 7
"""So many orders have a customer who is not there."""

TABLES = {
    "raw_customers": "id int PRIMARY KEY, region text NOT NULL",
    "raw_orders": "id bigint PRIMARY KEY, customer_id int NOT NULL, status text NOT NULL, amount int, day date NOT NULL",
}

MODELS = {
    "orders": "select id, md5(id::text) as code, customer_id, status, amount, day from {raw_orders}",
    "payments": "select id, 'pay-' || id as code, id as order_id, status, amount * 2 as amount, day from {raw_orders}",
    "shipments": (
        "select o.id, 'ship-' || o.id as code, o.customer_id, o.status, c.region, o.day "
        "from {raw_orders} o left join {raw_customers} c on c.id = o.customer_id"
    ),
    "reviews": (
        "select id, md5('r' || id) as code, id as order_id, status, case when amount > 500 then 'good' end as verdict, day "
        "from {raw_orders}"
    ),
}


def _accepted(*values: str) -> dict[str, Any]:
    return {"accepted_values": {"arguments": {"values": list(values)}}}


def _relationship(to: str) -> dict[str, Any]:
    return {"relationships": {"arguments": {"to": to, "field": "id"}}}


def _warned(test: str | dict[str, Any]) -> dict[str, Any]:
    """A test that finds rows."""
    [(name, body)] = {test: {}}.items() if isinstance(test, str) else test.items()
    return {name: {**body, "config": {"severity": "warn"}}}


_CUSTOMERS = "source('raw', 'raw_customers')"

TESTS: dict[str, dict[str, list[str | dict[str, Any]]]] = {
    "orders": {
        "id": ["unique", "not_null"],
        "code": ["unique", "not_null"],
        "customer_id": ["not_null", _warned(_relationship(_CUSTOMERS))],
        "status": ["not_null", _accepted(*STATUSES)],
        "amount": [_warned("not_null")],
        "day": ["not_null"],
    },
    "payments": {
        "id": ["unique", "not_null"],
        "code": ["unique", "not_null"],
        "order_id": ["unique", "not_null", _relationship("ref('orders')")],
        "status": ["not_null", _accepted(*STATUSES)],
        "day": ["not_null"],
    },
    "shipments": {
        "id": ["unique", "not_null", _relationship("ref('orders')")],
        "code": ["unique", "not_null"],
        "customer_id": [_warned(_relationship(_CUSTOMERS))],
        "status": ["not_null", _warned(_accepted(*STATUSES[1:]))],
        "region": [_warned("not_null"), _accepted(*REGIONS)],
    },
    "reviews": {
        "id": ["unique", "not_null"],
        "code": ["unique", "not_null"],
        "order_id": ["not_null", _relationship("ref('orders')"), _relationship("ref('payments')")],
        "status": [_accepted(*STATUSES)],
        "verdict": [_accepted("good")],
        "day": [_warned("unique")],
    },
}
"""Of each model's columns; ten of each model."""


def run_dbt_tests(rows: int, repeats: int, materialized: str) -> list[DbtResult]:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ptvc-bench-dbt-")))
        adapters = [stack.enter_context(served_ptvc()), stack.enter_context(served_postgres(folder / "venv"))]
        return measure_dbt_tests(adapters, folder, rows, repeats, materialized)


def measure_dbt_tests(
    adapters: Sequence[DbtAdapter], folder: Path, rows: int, repeats: int, materialized: str
) -> list[DbtResult]:
    """Raises RuntimeFailed when tests of one adapter find other numbers of rows than those of the first."""
    tables = tables_of(rows)
    first: dict[str, list[DbtRun]] = {}
    for adapter in adapters:
        write_tests_project(place := folder / adapter.name, materialized)
        write_profile(place, adapter.output)
        with adapter.connect() as connection:
            _create(connection, tables)
            adapter.run(place, "run")
            if adapter.name == "postgres":
                connection.execute("VACUUM ANALYZE")
        first[adapter.name] = [adapter.run(place, "test")]
    wanted = failures(folder / adapters[0].name)
    runs: dict[str, list[DbtRun]] = {adapter.name: [] for adapter in adapters}
    for _ in range(repeats):
        for adapter in adapters:
            place = folder / adapter.name
            runs[adapter.name].append(adapter.run(place, "test"))
            if (found := failures(place)) != wanted:
                raise RuntimeFailed(
                    f"{adapter.name}'s tests find {found}, those of {adapters[0].name} {wanted}"
                )
    kind = materialized.replace("_", " ")
    what = f"dbt test, {len(wanted)} tests of {len(MODELS)} {kind}s of {rows:,} rows"
    return [
        *(DbtResult.of(f"{what}, the first", name, taken) for name, taken in first.items()),
        *(DbtResult.of(what, name, taken) for name, taken in runs.items()),
    ]


def failures(folder: Path) -> dict[str, int]:
    """How many rows each test of the last run has found, by its name."""
    results = json.loads((folder / "target" / "run_results.json").read_text())["results"]
    return {result["unique_id"]: result["failures"] for result in results}


def tables_of(rows: int) -> dict[str, pa.Table]:
    """Orders, and customers, a hundredth as many."""
    random = np.random.default_rng(SEED)
    customers = max(rows // 100, 10)
    customer = random.integers(0, customers, rows).astype(np.int32)
    customer[:ORPHANS] = customers
    orders = {
        "id": random.permutation(rows),
        "customer_id": customer,
        "status": random.choice(STATUSES, rows),
        "amount": pa.array(random.integers(1, 1_000, rows), mask=random.random(rows) < UNPAID),
        "day": np.datetime64("2024-01-01") + random.integers(0, DAYS, rows),
    }
    regions = {"id": np.arange(customers, dtype=np.int32), "region": random.choice(REGIONS, customers)}
    return {"raw_customers": pa.table(regions), "raw_orders": pa.table(orders)}


def _create(connection: psycopg.Connection[Any], tables: Mapping[str, pa.Table]) -> None:
    connection.execute(f"CREATE SCHEMA {SCHEMA}".encode())
    for name, columns in TABLES.items():
        connection.execute(f"CREATE TABLE {SCHEMA}.{name} ({columns})".encode())
        text = io.BytesIO()
        csv.write_csv(tables[name], text, csv.WriteOptions(include_header=False))
        with connection.cursor().copy(f"COPY {SCHEMA}.{name} FROM STDIN (FORMAT csv)".encode()) as copy:
            copy.write(text.getvalue())


def write_tests_project(folder: Path, materialized: str) -> None:
    sources = {name: f"{{{{ source('raw', '{name}') }}}}" for name in TABLES}
    head = f"{{{{ config(materialized='{materialized}') }}}}\n"
    write_models(folder, {name: head + text.format_map(sources) for name, text in MODELS.items()})
    models = [
        {"name": name, "columns": [{"name": column, "data_tests": of} for column, of in columns.items()]}
        for name, columns in TESTS.items()
    ]
    raw = {"name": "raw", "schema": SCHEMA, "tables": [{"name": name} for name in TABLES]}
    write_properties(folder, {"models": models, "sources": [raw]})
