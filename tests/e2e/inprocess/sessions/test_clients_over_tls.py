"""Clients of other languages over TLS, each as it is used: the server's name verified, TLS from the first byte, passwords bound to
the connection, where the client can; and tokens.

| client | verified | direct | bound (PLUS) |
|---|---|---|---|
| libpq (psql, psycopg) | yes | yes, from version 17 on | yes |
| pgjdbc | yes | yes | yes |
| node-postgres | yes | yes | yes |
| asyncpg | yes | yes, with the protocol named by hand | no: it has SCRAM without it |
| DuckDB's extension `postgres` (a libpq before 17) | yes | no | no |
"""

from __future__ import annotations

import asyncio
import json
import ssl
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest
from inprocess import FAST, InProcess, running
from psql import PSQL
from ptvc.network.certificates import POSTGRES_PROTOCOL, CertificateFiles, Certificates
from servers.certificates import Authority
from servers.duckdb_process import POSTGRES, Refused, duckdb_rows
from servers.java_process import java_environment
from servers.maven_jars import JDBC, Missing, java
from servers.node_clients import packages, run_script

PASSWORD = "s3cret:/?"
SSL = "SELECT ssl, version FROM pg_stat_ssl WHERE pid = pg_backend_pid()"
NODE_POSTGRES = ("pg", "8.23.1")


@dataclass(frozen=True, slots=True)
class Site:
    """A runtime, who vouches for it, and somebody who does not."""

    runtime: InProcess
    root: Path
    other: Path


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    directory = tmp_path_factory.mktemp("tls")
    authority = Authority()
    made = authority.certify("localhost", "127.0.0.1")
    root, other, cert, key = (directory / name for name in ("root.pem", "other.pem", "cert.pem", "key.pem"))
    texts = (authority.certificate, Authority("somebody else").certificate, made.certificate, made.key)
    for path, text in zip((root, other, cert, key), texts, strict=True):
        path.touch(mode=0o600)
        path.write_text(text)
    with running(FAST, certificates=Certificates(CertificateFiles(cert, key))) as runtime:
        runtime.query(f"CREATE ROLE ann LOGIN PASSWORD '{PASSWORD}'")
        yield Site(runtime, root, other)


# --- libpq ---


def libpq(site: Site, root: Path, **more: str) -> str:
    given = {
        "host": "localhost",
        "port": site.runtime.port,
        "dbname": "ptvc",
        "user": "ann",
        "password": f"'{PASSWORD}'",
        "sslmode": "verify-full",
        "sslrootcert": root,
        "channel_binding": "require",
        **more,
    }
    return " ".join(f"{name}={value}" for name, value in given.items())


def test_psql(site: Site) -> None:
    def psql(root: Path) -> subprocess.CompletedProcess[str]:
        command = [PSQL, libpq(site, root), "-XAtc", SSL]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    assert psql(site.root).stdout == "t|TLSv1.3\n"
    assert "certificate verify failed" in psql(site.other).stderr


@pytest.mark.parametrize("negotiation", ["postgres", "direct"])
def test_psycopg(site: Site, negotiation: str) -> None:
    """It brings a libpq that can begin with TLS."""
    with psycopg.connect(libpq(site, site.root, sslnegotiation=negotiation)) as db:
        assert db.execute(SSL).fetchone() == (True, "TLSv1.3")
    with pytest.raises(psycopg.OperationalError, match="certificate verify failed"):
        psycopg.connect(libpq(site, site.other, sslnegotiation=negotiation))


# --- JDBC ---


@pytest.mark.slow
@pytest.mark.parametrize("negotiation", ["postgres", "direct"])
def test_jdbc(site: Site, negotiation: str) -> None:
    try:
        program, jars = java(), JDBC.folder()
    except Missing as missing:
        pytest.skip(str(missing))

    def sqlline(root: Path, password: str) -> str:
        options = {
            "user": "ann",
            "password": password,
            "sslmode": "verify-full",
            "sslrootcert": str(root),
            "sslNegotiation": negotiation,
            "channelBinding": "require",
        }
        given = "&".join(f"{name}={quote(value, safe='')}" for name, value in options.items())
        url = f"jdbc:postgresql://localhost:{site.runtime.port}/ptvc?{given}"
        command = [program, "-cp", f"{jars}/*", "sqlline.SqlLine", "--silent=true", "--outputformat=csv"]
        done = subprocess.run(
            [*command, "-d", "org.postgresql.Driver", "-u", url, "-n", "ann", "-p", password, "-e", SSL],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            env=java_environment() | {"HOME": str(site.root.parent)},
        )
        return done.stdout + done.stderr

    assert "'TLSv1.3'" in sqlline(site.root, PASSWORD)
    assert "password authentication failed" in sqlline(site.root, "wrong")
    assert "PKIX path" in sqlline(site.other, PASSWORD)


# --- node-postgres ---

_SCRIPT = """
const { Client } = require("pg");
const { port, root, password, negotiation, sql } = JSON.parse(process.env.PTVC_GIVEN);
const client = new Client({
  host: "localhost", port, user: "ann", password, database: "ptvc",
  ssl: { ca: require("fs").readFileSync(root), servername: "localhost" },
  sslnegotiation: negotiation, enableChannelBinding: true,
});
(async () => {
  try {
    await client.connect();
    const { rows } = await client.query(sql);
    const { rows: bound } = await client.query("SELECT $1::int + 1 AS n, $2::text AS t", [41, "x"]);
    console.log(JSON.stringify({ rows, bound, mechanism: client.saslSession && client.saslSession.mechanism }));
    await client.end();
  } catch (error) {
    console.log(JSON.stringify({ error: error.message, code: error.code }));
    process.exit(0);
  }
})();
"""


@pytest.mark.slow
@pytest.mark.parametrize("negotiation", ["postgres", "direct"])
def test_node_postgres(site: Site, negotiation: str, tmp_path: Path) -> None:
    try:
        folder = packages(*NODE_POSTGRES)
    except Missing as missing:
        pytest.skip(str(missing))
    script = tmp_path / "ask.js"
    script.write_text(_SCRIPT)

    def ask(root: Path, password: str) -> dict[str, object]:
        given = {
            "port": site.runtime.port,
            "root": str(root),
            "password": password,
            "negotiation": negotiation,
            "sql": SSL,
        }
        done = run_script(folder, script, PTVC_GIVEN=json.dumps(given))
        assert done.stdout, done.stderr
        found: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
        return found

    answer = ask(site.root, PASSWORD)
    assert answer["rows"] == [{"ssl": True, "version": "TLSv1.3"}]
    assert answer["bound"] == [{"n": 42, "t": "x"}]
    assert ask(site.root, "wrong")["code"] == "28P01"
    assert "error" in ask(site.other, PASSWORD)
    methods = site.runtime.query(
        "SELECT details->>'method' FROM mz_audit_events WHERE event_type = 'login' AND \"user\" = 'ann'"
    )
    assert {method for (method,) in methods} == {"password"}


# --- asyncpg ---


@pytest.mark.parametrize("direct", [False, True])
def test_asyncpg(site: Site, direct: bool) -> None:
    asyncpg = pytest.importorskip("asyncpg", reason="asyncpg is not installed")
    context = ssl.create_default_context(cafile=str(site.root))
    if direct:
        context.set_alpn_protocols([POSTGRES_PROTOCOL])

    async def main(trusted: ssl.SSLContext) -> None:
        db = await asyncpg.connect(
            host="localhost",
            port=site.runtime.port,
            user="ann",
            password=PASSWORD,
            database="ptvc",
            ssl=trusted,
            direct_tls=direct,
        )
        assert tuple(await db.fetchrow(SSL)) == (True, "TLSv1.3")
        assert await db.fetchval("SELECT $1::int + 1", 41) == 42
        await db.close()

    asyncio.run(main(context))
    with pytest.raises(ssl.SSLCertVerificationError):
        asyncio.run(main(ssl.create_default_context(cafile=str(site.other))))


# --- DuckDB ---


@pytest.mark.slow
def test_duckdb(site: Site) -> None:
    """It reads by COPY in binary, over several connections at once."""

    def duckdb(root: Path, *statements: str) -> list[tuple[object, ...]]:
        given = libpq(site, root, channel_binding="prefer").replace("'", "''")
        return duckdb_rows(f"ATTACH '{given}' AS there (TYPE postgres)", *statements, extensions=POSTGRES)

    schema = "of_duckdb"
    site.runtime.query(f"CREATE SCHEMA {schema}")
    site.runtime.query(f"GRANT ALL ON SCHEMA {schema} TO ann")
    try:
        asked = f"SELECT * FROM postgres_query('there', '{SSL}')"
        assert duckdb(site.root, asked) == [(True, "TLSv1.3")]
    except Missing as missing:
        pytest.skip(str(missing))
    made = f"CREATE TABLE there.{schema}.t AS SELECT i, i % 7 AS k, 'x' || i AS v FROM range(20000) r(i)"
    duckdb(site.root, made, f"INSERT INTO there.{schema}.t VALUES (20000, NULL, NULL)")
    view = f"CREATE VIEW {schema}.v AS SELECT k, count(*) AS n, max(v) AS v FROM {schema}.t GROUP BY k"
    duckdb(site.root, f"CALL postgres_execute('there', '{view}')")
    grouped = [(0, 2858, "x9996"), (6, 2857, "x9995"), (None, 1, None)]
    assert (
        duckdb(
            site.root, f"SELECT * FROM there.{schema}.v WHERE k IS NULL OR k IN (0, 6) ORDER BY k NULLS LAST"
        )
        == grouped
    )
    assert duckdb(site.root, f"SELECT count(*), sum(i) FROM there.{schema}.t") == [(20001, 200010000)]
    assert duckdb(site.root, f"SELECT v FROM there.{schema}.t WHERE i = 15000") == [("x15000",)]
    again = made.replace(".t AS", ".u AS")  # a table of this session
    counted = f"SELECT count(*) FROM there.{schema}.u"
    assert duckdb(site.root, again, "SET pg_use_ctid_scan = false", counted) == [(20000,)]
    with pytest.raises(Refused, match="system column ctid is not supported"):
        duckdb(site.root, f"DELETE FROM there.{schema}.t WHERE i = 5")
    with pytest.raises(Refused, match="certificate verify failed"):
        duckdb(site.other, asked)
