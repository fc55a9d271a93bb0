"""Stored failures of dbt's tests, looked at and followed: what comes, what goes, and what is made or dropped meanwhile."""

from __future__ import annotations

import asyncio
import io
import json
import re
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from inprocess import InProcess
from ptvc.errors import PtvcError
from ptvc.watch import Watch, Where, look_once
from rich.console import Console

Db = psycopg.Connection[tuple[Any, ...]]

DEFAULTS = {"severity": "ERROR", "fail_calc": "count(*)", "warn_if": "!= 0", "error_if": "!= 0"}


def store(db: Db, relation: str, query: str, kind: str = "MATERIALIZED VIEW", **said: str) -> None:
    """As the adapter stores the failures of a test."""
    text = json.dumps({"name": relation, "models": ["orders"], **DEFAULTS, **said}).replace("*", r"\u002a")
    db.execute(f"CREATE {kind} {relation} AS SELECT /* dbt:test={text} */ {query}")  # type: ignore[arg-type]


@pytest.fixture
def where(runtime: InProcess, schema: str, db: Db) -> Where:
    db.execute("CREATE TABLE orders (id int, amount int)")
    db.execute("INSERT INTO orders VALUES (1, 10), (2, -5)")
    store(db, "amount_is_positive", "id, amount FROM orders WHERE amount < 0")
    store(db, "ids_are_few", "id FROM orders", fail_calc="max(id)", warn_if="> 1", error_if="> 7")
    arguments = {"host": "127.0.0.1", "port": runtime.port, "user": "ptvc", "dbname": "ptvc"}
    return Where(arguments, schemas=[schema])


def looked(where: Where) -> tuple[bool, str]:
    output = io.StringIO()
    return look_once(where, Console(file=output, width=200)), output.getvalue()


def test_once(where: Where, db: Db) -> None:
    violated, said = looked(where)
    assert violated
    assert (
        "fails  amount_is_positive of orders\n  id=2 amount=-5\nwarns  ids_are_few of orders\n  id=" in said
    )
    assert re.search(r"\d\d:\d\d:\d\d\.\d{3}\S*  2 tests: 1 warns, 1 fails\n$", said)
    db.execute("UPDATE orders SET amount = NULL")
    assert looked(where)[0] is False
    db.execute("INSERT INTO orders SELECT 8, 1 FROM generate_series(1, 30)")
    violated, said = looked(where)
    assert violated
    assert "amount_is_positive" not in said
    assert said.count("\n  id=") == 20
    assert "... and more" in said
    assert looked(Where(where.arguments, where.schemas, ["amount_is_positive"]))[0] is False
    with pytest.raises(PtvcError, match="no stored failures of dbt's tests in schema nowhere of orders"):
        looked(Where(where.arguments, ["nowhere"], ["orders"]))


def test_a_test_that_cannot_be_computed_is_violated(where: Where, db: Db) -> None:
    store(db, "halves", "id FROM orders WHERE 10 / (id - 3) > 100")
    db.execute("INSERT INTO orders VALUES (3, 1)")
    violated, said = looked(where)
    assert violated
    assert "cannot be computed  halves of orders: division by zero" in said
    assert "3 tests: 1 warns, 1 fails, 1 cannot be computed" in said


def follow(watch: Watch, said: io.StringIO, *steps: tuple[Callable[[], object], str]) -> str:
    """Takes each step when the text of the one before was said; stops after the last."""

    async def until(text: str) -> None:
        while text not in said.getvalue():
            if running.done():
                running.result()
                raise AssertionError(said.getvalue())
            await asyncio.sleep(0.01)

    async def main() -> None:
        nonlocal running
        running = asyncio.create_task(watch.run())
        for step, text in steps:
            await asyncio.to_thread(step)
            try:
                await asyncio.wait_for(until(text), 60)
            except TimeoutError:
                raise AssertionError(f"waited for {text!r}, and it said:\n{said.getvalue()}") from None
        watch.stop()
        await running

    running: asyncio.Task[None]
    asyncio.run(main())
    return said.getvalue()


def test_failures_are_followed(where: Where, db: Db, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ptvc.watch.FIND_EVERY_S", 0.05)
    output = io.StringIO()
    watch = Watch(where, Console(file=output, width=300))
    said = follow(
        watch,
        output,
        (lambda: None, "following 2 tests: 1 warns, 1 fails"),
        (
            lambda: db.execute("DELETE FROM orders WHERE id = 2"),
            "- amount_is_positive of orders: id=2 amount=-5",
        ),
        (lambda: None, "= ids_are_few of orders holds: 1 row"),
        (
            lambda: db.execute("INSERT INTO orders VALUES (8, -1), (8, -1)"),
            "= ids_are_few of orders fails: 3 rows",
        ),
        (lambda: None, "+ amount_is_positive of orders: id=8 amount=-1 (x2)"),
        (lambda: store(db, "late", "id FROM orders WHERE amount IS NULL"), ""),
        (lambda: db.execute("INSERT INTO orders (id) VALUES (4)"), "+ late of orders: id=4"),
        (lambda: db.execute("DROP MATERIALIZED VIEW late"), "late of orders is not there any more"),
        (lambda: store(db, "halves", "id FROM orders WHERE 10 / (id - 3) > 100", kind="VIEW"), ""),
        (
            lambda: db.execute("INSERT INTO orders VALUES (3, 1)"),
            "cannot be computed  halves of orders: division by zero",
        ),
        (lambda: db.execute("DELETE FROM orders WHERE id = 3"), "= halves of orders holds: 0 rows"),
    )
    assert watch.violated
    assert said.count("division by zero") == 1
    assert re.search(
        r"followed 3 tests: 1 holds, 2 fails in the end; in 0 min \d+ s, \d+ rows came and \d+ went", said
    )


def test_the_first_violation_ends_it_if_so_asked(where: Where, db: Db) -> None:
    db.execute("DELETE FROM orders WHERE id = 2")
    output = io.StringIO()
    watch = Watch(where, Console(file=output, width=300), fail_fast=True)

    async def main() -> None:
        running = asyncio.create_task(watch.run())
        while "following 2 tests: 2 holds" not in output.getvalue():
            await asyncio.sleep(0.01)
        await asyncio.to_thread(lambda: db.execute("INSERT INTO orders VALUES (5, -1)"))
        await asyncio.wait_for(running, 60)

    asyncio.run(main())
    assert watch.violated
    assert "+ amount_is_positive of orders: id=5 amount=-1" in output.getvalue()


def test_a_runtime_that_goes_is_said(fresh: InProcess) -> None:
    with fresh.connect() as db:
        store(db, "nothing", "1 AS a WHERE false")
        db.execute("CREATE TABLE t (a int)")
        store(db, "none", "a FROM t")
    output = io.StringIO()
    where = Where({"host": "127.0.0.1", "port": fresh.port, "user": "ptvc", "dbname": "ptvc"})
    with pytest.raises(PtvcError, match="the connection to the runtime was lost"):
        follow(
            Watch(where, Console(file=output, width=300)),
            output,
            (lambda: None, "following 2 tests: 2 holds"),
            (fresh.stop, "never said"),
        )
