"""Sources and sinks through brokers that ask who comes, by every way; what is wrong is said, and no secret is."""

from __future__ import annotations

import logging
import re
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import psycopg
import pytest
from inprocess import FAST, InProcess, eventually, rows, running
from ptvc.sql.catalog.system_relations import SYSTEM_RELATIONS
from servers.certificates import Authority
from servers.kafka.broker import KafkaBroker
from servers.kafka.listeners import MECHANISMS, USER

from ..connections.test_leaks import spellings, told
from .sources import Db, shows, status

WRONG_PASSWORD = "Rk3Zt8Wq1Lm6Hd9X"


@dataclass(frozen=True, slots=True)
class Way:
    """How one comes to the broker, and what is wrong with that."""

    protocol: str
    mechanism: str | None = None
    wrong: str | None = None

    def __str__(self) -> str:
        return "-".join(part for part in (self.protocol, self.mechanism, self.wrong) if part)

    def secrets(self, kafka: KafkaBroker) -> dict[str, str]:
        """By option."""
        found = {}
        if self.mechanism is not None:
            found["SASL PASSWORD"] = WRONG_PASSWORD if self.wrong == "password" else kafka.secured.password
        if self.protocol == "SSL" and self.wrong != "no certificate":
            certified = (Authority() if self.wrong == "certificate" else kafka.secured.authority).certify(
                "a client"
            )
            found |= {"SSL KEY": certified.key, "SSL CERTIFICATE": certified.certificate}
        return found

    def options(self, kafka: KafkaBroker) -> str:
        """Without the secrets."""
        host = {"host": "127.0.0.1"} if self.wrong == "host" else {}
        found = {
            "BROKER": kafka.secured.bootstrap(self.protocol, **host),
            "SECURITY PROTOCOL": self.protocol,
            "PROGRESS TOPIC": f"progress-{uuid.uuid4().hex[:12]}",
        }
        if self.mechanism is not None:
            found |= {"SASL MECHANISMS": self.mechanism, "SASL USERNAME": USER}
        if "SSL" in self.protocol:
            authority = Authority() if self.wrong == "authority" else kafka.secured.authority
            found["SSL CERTIFICATE AUTHORITY"] = authority.certificate
        return ", ".join(f"{option} '{value}'" for option, value in found.items())


RIGHT = (
    *(Way(protocol, mechanism) for protocol in ("SASL_PLAINTEXT", "SASL_SSL") for mechanism in MECHANISMS),
    Way("SSL"),
)
WRONG = {
    **{
        Way(way.protocol, way.mechanism, "password"): ("28000", "authentication failed")
        for way in RIGHT
        if way.mechanism is not None
    },
    Way("SASL_SSL", "SCRAM-SHA-512", "authority"): ("08P01", "TLS does not come about"),
    Way("SASL_SSL", "SCRAM-SHA-512", "host"): ("08P01", "TLS does not come about"),
    Way("SSL", None, "authority"): ("08P01", "TLS does not come about"),
    Way("SSL", None, "host"): ("08P01", "TLS does not come about"),
    Way("SSL", None, "no certificate"): ("08P01", "TLS does not come about"),
    Way("SSL", None, "certificate"): ("08P01", "TLS does not come about"),
}


@pytest.fixture(scope="module")
def runtime() -> Iterator[InProcess]:
    """One that has time for a handshake on a busy machine."""
    with running(replace(FAST, connection_timeout_ms=60_000)) as runtime:
        yield runtime


def make_connection(
    db: Db, kafka: KafkaBroker, way: Way, name: str = "k", *, validate: bool = True
) -> dict[str, str]:
    """The connection refers to secrets that are made beside it, and returned."""
    options, secrets = [way.options(kafka)], way.secrets(kafka)
    for number, (option, value) in enumerate(secrets.items()):
        db.execute(f"CREATE SECRET IF NOT EXISTS {name}{number} AS '{value}'".encode())
        options.append(f"{option} SECRET {name}{number}")
    tried = "" if validate else "WITH (VALIDATE = false)"
    db.execute(f"CREATE CONNECTION {name} TO KAFKA ({', '.join(options)}) {tried}".encode())
    return secrets


def make_sink(db: Db, topic: str, name: str = "out", connection: str = "k") -> None:
    db.execute(
        f"CREATE SINK {name} FROM t INTO KAFKA CONNECTION {connection} (TOPIC '{topic}') "
        "KEY (id) FORMAT JSON ENVELOPE UPSERT".encode()
    )


@pytest.mark.parametrize("way", RIGHT, ids=str)
def test_a_source_and_a_sink(db: Db, kafka: KafkaBroker, way: Way) -> None:
    make_connection(db, kafka, way)
    db.execute("VALIDATE CONNECTION k")
    read, written = kafka.topic(), kafka.topic()
    kafka.produce(read, [(None, b"a")])
    db.execute(f"CREATE SOURCE s FROM KAFKA CONNECTION k (TOPIC '{read}') FORMAT TEXT".encode())
    db.execute("CREATE TABLE t (id int)")
    db.execute("INSERT INTO t VALUES (1)")
    make_sink(db, written)
    shows(db, "SELECT * FROM s", [("a",)])
    kafka.produce(read, [(None, b"b")])
    shows(db, "SELECT * FROM s", [("a",), ("b",)])
    eventually(lambda: [m.value() for m in kafka.messages(written)] == [b'{"id":1}'], 60)


@pytest.mark.parametrize("way", WRONG, ids=str)
def test_what_is_wrong_is_said_when_it_is_tried(db: Db, kafka: KafkaBroker, way: Way) -> None:
    sqlstate, words = WRONG[way]
    with pytest.raises(psycopg.Error, match=words) as refused:
        make_connection(db, kafka, way)
    assert refused.value.sqlstate == sqlstate
    assert rows(db, "SHOW CONNECTIONS") == []
    make_connection(db, kafka, way, validate=False)
    with pytest.raises(psycopg.Error, match=words) as refused:
        db.execute("VALIDATE CONNECTION k")
    assert refused.value.sqlstate == sqlstate


@pytest.fixture
def said(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.DEBUG)
    return caplog


@pytest.fixture
def alone() -> Iterator[InProcess]:
    """A runtime of the test's own, all of whose files are searched."""
    with running(replace(FAST, connection_timeout_ms=60_000)) as runtime:
        yield runtime


@pytest.mark.slow
def test_statuses_say_what_is_wrong_and_nothing_says_a_secret(
    alone: InProcess,
    kafka: KafkaBroker,
    said: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    wrong = {way.wrong: way for way in WRONG}  # one of each kind
    ways = dict(enumerate([*wrong.values(), RIGHT[-1], RIGHT[-2]]))
    secrets: set[str] = set()
    with alone.connect() as db:
        db.execute("CREATE TABLE t (id int)")
        for number, way in ways.items():
            name = f"k{number}_"
            made = make_connection(db, kafka, way, name, validate=False)
            secrets |= {value for option, value in made.items() if option != "SSL CERTIFICATE"}
            read = kafka.topic()
            db.execute(
                f"CREATE SOURCE s{number} FROM KAFKA CONNECTION {name} (TOPIC '{read}') FORMAT TEXT".encode()
            )
            make_sink(db, kafka.topic(), f"out{number}", name)
        for number, way in ways.items():
            if way.wrong is None:
                eventually(lambda n=number: status(db, f"s{n}")[0] == "running", 60)
                continue
            says(db, "source", f"s{number}", WRONG[way][1])
            says(db, "sink", f"out{number}", "authentication|SSL|certificate")
        pattern = re.compile(b"|".join(re.escape(s) for value in secrets for s in pieces(value)))
        assert pattern.search(b"x" + WRONG_PASSWORD.encode()) is not None
        for name in SYSTEM_RELATIONS:
            clean(pattern, repr(rows(db, f"SELECT * FROM {name}")), name)
        for number in ways:
            for what in ("CONNECTION k%s_", "SOURCE s%s", "SINK out%s"):
                clean(pattern, repr(rows(db, f"SHOW CREATE {what % number}")), what)
            if ways[number].wrong is not None:
                with pytest.raises(psycopg.Error) as refused:
                    db.execute(f"VALIDATE CONNECTION k{number}_".encode())
                clean(pattern, told(refused.value), str(ways[number]))
    files = [path for path in Path(alone.directory).rglob("*") if path.is_file()]
    assert any(path.name == "consensus.sqlite" for path in files)
    for path in files:
        clean(pattern, path.read_bytes(), str(path))
    clean(pattern, said.text, "the log")
    out, err = capfd.readouterr()
    clean(pattern, out + err, "what was printed")


def says(db: Db, kind: str, name: str, words: str) -> None:
    """Waits until it is stalled, and says so; at first it may know no more than that nobody has answered."""
    query = f"SELECT status, error FROM mz_internal.mz_{kind}_statuses WHERE name = %s"
    told: list[Any] = []

    def right() -> bool:
        told[:] = rows(db, query, (name,))[0]
        return told[0] == "stalled" and re.search(words, told[1], re.IGNORECASE) is not None

    try:
        eventually(right)
    except AssertionError:
        raise AssertionError(f"{kind} {name} says {told}, and not {words}") from None


def pieces(secret: str) -> list[bytes]:
    """A password, or each long line of a key."""
    lines = [line for line in secret.splitlines() if "--" not in line]
    return [spelling for line in lines if len(line) > 12 for spelling in spellings(line.encode())]


def clean(pattern: re.Pattern[bytes], text: bytes | str, where: str) -> None:
    found = pattern.search(text.encode() if isinstance(text, str) else text)
    assert found is None, f"{where} has a secret at {found.start()}"
