"""The value of a secret is nowhere: not in what is stored, not in a catalog, a log, an error or a cache."""

from __future__ import annotations

import base64
import gc
import logging
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest
from inprocess import FAST, InProcess, eventually, rows, running
from ptvc.coord.catalog.entries import entry_to_json
from ptvc.expr.tree.scalar import Literal
from ptvc.sql.catalog.system_relations import SYSTEM_RELATIONS
from servers.ports import free_port
from storage.connections.outside import registry

LITERAL, PARAMETER, CHANGED = "Xq7Lw0kZb3Vn9Rt5", "Hy2Mc8Jd6Pf4Gs1A", "Ke5Bu7Tz1Wo3Iy9N"
BYTES = b"\x00\xffQd8Nv2Yh6Lk4Xc0"
VALUES = (LITERAL.encode(), PARAMETER.encode(), CHANGED.encode(), BYTES)


def spellings(value: bytes) -> list[bytes]:
    """Plain, hex, and base64 at every offset at which it may stand in a longer text."""
    found = [value, value.hex().encode(), value.hex().upper().encode()]
    for offset in range(3):
        text = base64.b64encode(bytes(offset) + value)
        found.append(text[4 if offset else 0 : -4])
    return found


PATTERN = re.compile(b"|".join(re.escape(s) for value in VALUES for s in spellings(value)))

REFUSED = (
    f"CREATE SECRET x '{LITERAL}'",
    f"CREATE SECRET x AS '{LITERAL}",
    f"CREATE SECRET x AS $tag${LITERAL}",
    f'CREATE SECRET x AS "{LITERAL}"',
    f"CREATE SECRET x AS {LITERAL}",
    f"CREATE SECRET x AS {LITERAL}()",
    f"CREATE SECRET x AS '{LITERAL}'::int",
    f"CREATE SECRET x AS '{LITERAL}'::timestamptz",
    f"CREATE SECRET x AS '{LITERAL}' COLLATE nowhere",
    f"CREATE SECRET x AS decode('{LITERAL}!', 'base64')",
    f"CREATE SECRET x AS decode('{LITERAL}', '{LITERAL}')",
    f"CREATE SECRET x AS E'\\xff{LITERAL}'",
    f"CREATE SECRET x AS U&'{LITERAL}'",
    f"CREATE SECRET x AS (SELECT a FROM {LITERAL})",
    f"CREATE SECRET x AS ARRAY['{LITERAL}']",
    f"CREATE SECRET x AS '{{\"a\": {LITERAL}}}'::jsonb::text",
    f"CREATE SECRET nowhere.x AS '{LITERAL}'",
    f"CREATE SECRET s AS '{LITERAL}'",
    f"CREATE  /* a */ SECRET -- b\n x AS '{LITERAL}' '{LITERAL}'",
    f"ALTER SECRET nowhere AS '{LITERAL}'",
    f"ALTER SECRET s AS '{LITERAL}'::uuid",
    f"ALTER SECRET s TO '{LITERAL}'",
    f"EXPLAIN CREATE SECRET x AS '{LITERAL}'",
    f"PREPARE x AS CREATE SECRET x AS '{LITERAL}'",
    f"DECLARE x CURSOR FOR CREATE SECRET x AS '{LITERAL}'",
    f"COPY (CREATE SECRET x AS '{LITERAL}') TO STDOUT",
    f"SELECT 1; CREATE SECRET x AS '{LITERAL}'; SELEC",
    f"CREATE CONNECTION x TO POSTGRES (HOST h, DATABASE d, USER u, PASSWORD '{LITERAL}')",
    f"CREATE CONNECTION x TO POSTGRES (HOST h, DATABASE d, USER u, PASSWORD '{LITERAL}",
    f"CREATE CONNECTION x TO POSTGRES (HOST h, DATABASE d, USER u, PASSWORD = 1 '{LITERAL}')",
    f"CREATE CONNECTION x TO KAFKA (BROKER 'h', SSL KEY = '{LITERAL}')",
    f"ALTER CONNECTION c SET (PASSWORD = '{LITERAL}')",
    f"ALTER CONNECTION c SET (PASSWORD '{LITERAL}' '{LITERAL}')",
)


def told(error: psycopg.Error) -> str:
    """All that the server said."""
    found = error.diag
    names = [name for name in dir(found) if not name.startswith("_")]
    return " ".join(str(getattr(found, name)) for name in names)


def clean(text: bytes | str, where: str) -> None:
    found = PATTERN.search(text.encode() if isinstance(text, str) else text)
    assert found is None, f"{where} has {found[0]!r}"


@pytest.fixture
def said(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.DEBUG)
    return caplog


def test_values_are_nowhere(said: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]) -> None:
    with running(replace(FAST, connection_timeout_ms=2_000)) as runtime:
        with runtime.connect() as db, registry() as found:
            make(db)
            tried(db, found.port)
            for statement in REFUSED:
                with pytest.raises(psycopg.Error) as refused:
                    db.execute(statement.encode())
                if statement.endswith("SELEC"):
                    assert rows(db, "SHOW SECRETS LIKE 'x'") == []
                clean(told(refused.value), statement.replace(LITERAL, "***"))
            parameters(db)
            source(db, found.port)
            catalogs(db)
            caches(runtime)
        durable(runtime)
        for path in files(runtime.directory):
            clean(path.read_bytes(), str(path))
        runtime.stop()
        for path in files(runtime.directory):
            clean(path.read_bytes(), f"{path}, stopped")
        runtime.start()
        assert rows_of(runtime, "SHOW SECRETS") == [("b",), ("p",), ("s",)]
    clean(said.text, "the log")
    out, err = capfd.readouterr()
    clean(out + err, "what was printed")
    clean(repr(dict(os.environ)), "the environment")


def make(db: psycopg.Connection[Any]) -> None:
    """The values, by every way in which they come."""
    db.execute(f"CREATE SECRET s AS '{LITERAL}'".encode())
    db.execute(f"CREATE SECRET IF NOT EXISTS s AS '{LITERAL}'".encode())
    db.execute("CREATE SECRET p AS %s", (PARAMETER,), prepare=True)
    db.execute("CREATE SECRET b AS %b", (BYTES,))
    db.execute(f"BEGIN; CREATE SECRET gone AS '{LITERAL}'; ROLLBACK".encode())
    for _ in range(3):
        db.execute(f"ALTER SECRET s AS '{CHANGED}' || ''".encode())
    for name, verb in ((b"one", "CREATE SECRET no"), (b"two", "ALTER SECRET s")):
        db.pgconn.prepare(name, f"{verb} AS '{CHANGED}'".encode())
    prepared = rows(db, "SELECT statement FROM pg_prepared_statements WHERE statement ILIKE '%secret%'")
    assert sorted(prepared) == [("ALTER SECRET ...",), ("CREATE SECRET ...",)]


def parameters(db: psycopg.Connection[Any]) -> None:
    """Values that cannot be taken: of another type, and bytes that are none of their type."""
    text, integer, bytea = 25, 20, 17
    for oid, value in (
        (text, PARAMETER.encode() + b"\xff"),
        (integer, PARAMETER.encode()),
        (bytea, b"\\x" + PARAMETER.encode()),
        (0, b"\xff" + PARAMETER.encode()),
    ):
        result = db.pgconn.exec_params(b"CREATE SECRET x AS $1", [value], [oid])
        assert result.status == psycopg.pq.ExecStatus.FATAL_ERROR, value
        clean(result.error_message, f"an error of a parameter of type {oid}")


def tried(db: psycopg.Connection[Any], port: int) -> None:
    """Connections with the secrets, that fail in all ways."""
    given = f"URL 'http://127.0.0.1:{port}/prefix', USERNAME 'ann', PASSWORD SECRET s"
    db.execute(f"CREATE CONNECTION c TO CONFLUENT SCHEMA REGISTRY ({given})".encode())
    for url in (f"http://127.0.0.1:{port}", f"https://127.0.0.1:{port}", f"http://127.0.0.1:{free_port()}"):
        with pytest.raises(psycopg.Error) as failed:
            db.execute(f"ALTER CONNECTION c SET (URL = '{url}')".encode())
        clean(told(failed.value), url)
    for kind, options in (
        ("POSTGRES", f"HOST localhost, PORT {port}, DATABASE d, USER SECRET p, PASSWORD SECRET s"),
        ("POSTGRES", f"HOST localhost, PORT {port}, DATABASE d, USER u, PASSWORD SECRET b"),
        (
            "KAFKA",
            f"BROKER '127.0.0.1:{port}', SASL MECHANISMS PLAIN, SASL USERNAME SECRET p, SASL PASSWORD SECRET s",
        ),
        (
            "AWS",
            f"ENDPOINT 'http://127.0.0.1:{port}', ACCESS KEY ID SECRET p, SECRET ACCESS KEY SECRET s",
        ),
    ):
        with pytest.raises(psycopg.Error) as failed:
            db.execute(f"CREATE CONNECTION no TO {kind} ({options}) WITH (VALIDATE = true)".encode())
        assert failed.value.sqlstate != "XX000"
        clean(told(failed.value), kind)


def source(db: psycopg.Connection[Any], port: int) -> None:
    """One that reads through a connection with the secrets: a replica has them, and cannot connect."""
    options = (
        f"BROKER '127.0.0.1:{port}', SASL MECHANISMS PLAIN, SASL USERNAME SECRET p, SASL PASSWORD SECRET s"
    )
    db.execute(f"CREATE CONNECTION kafka TO KAFKA ({options}) WITH (VALIDATE = false)".encode())
    db.execute("CREATE SOURCE reads FROM KAFKA CONNECTION kafka (TOPIC 't') FORMAT JSON")
    query = (
        "SELECT status, error FROM mz_internal.mz_source_statuses WHERE name = 'reads' AND status = 'stalled'"
    )
    eventually(lambda: rows(db, query) != [], 60)
    clean(repr(rows(db, query)), "the status of a source")
    db.execute(f"ALTER SECRET s AS '{CHANGED}'".encode())
    eventually(lambda: rows(db, query) != [], 60)
    clean(repr(rows(db, "SHOW CREATE SOURCE reads")), "the definition of a source")


def catalogs(db: psycopg.Connection[Any]) -> None:
    for name in SYSTEM_RELATIONS:
        clean(repr(rows(db, f"SELECT * FROM {name}")), name)
    for statement in ("SHOW CREATE CONNECTION c", "SHOW ALL", "SHOW PRIVILEGES", "SHOW OBJECTS"):
        clean(repr(rows(db, statement)), statement)


def caches(runtime: InProcess) -> None:
    """Plans of everybody, and what they are known by."""
    plans = runtime.coordinator._sequencer.plans
    kept = [plans._statements, plans._prepared, plans._plans, plans._parameterized]
    for cache in kept:
        clean(repr(list(cache._values.items())), "the plan cache")
        assert "secret" not in repr([key for key in cache._values if "x AS" in repr(key)]).lower()
    gc.collect()
    values = {value for made in gc.get_objects() if isinstance(made, Literal) for value in [made.value]
              if isinstance(value, str | bytes)}  # fmt: skip
    for value in values:
        clean(value, "a literal of a plan")


def durable(runtime: InProcess) -> None:
    """The catalog as it is stored, uncompressed."""
    entries = runtime.coordinator.catalog.entries().values()
    text = "\n".join(map(entry_to_json, entries))
    assert text.count('"sealed"') == 3
    clean(text, "the catalog")
    clean(repr(list(entries)), "an entry")


def files(directory: Path) -> list[Path]:
    found = [path for path in directory.rglob("*") if path.is_file()]
    assert any(path.name == "consensus.sqlite" for path in found)
    return found


def rows_of(runtime: InProcess, sql: str) -> list[tuple[Any, ...]]:
    return runtime.query(sql)
