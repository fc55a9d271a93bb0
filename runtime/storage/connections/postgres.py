"""PostgreSQL: the settings of a client of libpq, and a connection tried with them.

Nothing comes from the server's own environment or home directory (PGPASSWORD, .pgpass, a client certificate): what is not an option of the
connection is set to nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from time import monotonic
from typing import Any

import psycopg

from .addresses import Addresses, shown
from .failures import ConnectionFailed, Step, scrubbed
from .options import POSTGRES_PORT
from .secret_files import SecretFiles, secret_files
from .values import Values

_KEEPALIVE = {
    "tcp_user_timeout": 30_000,
    "keepalives_idle": 20,
    "keepalives_interval": 5,
    "keepalives_count": 3,
}
"""A server that is gone without a word is noticed within half a minute (ms and s)."""
NO_SETTINGS: Mapping[str, str] = {}

_AUTHENTICATION = ("28P01", "28000")
_TEXTS = (
    (
        Step.TLS,
        (
            "certificate",
            "ssl error",
            "ssl connection",
            "does not support ssl",
            "server name",
            "sslmode",
            "tls",
        ),
    ),
    (
        Step.AUTHENTICATION,
        (
            "password authentication failed",
            "no password supplied",
            "authentication",
            "pg_hba",
            "scram",
            'role "',
        ),
    ),
)
_OF_ANOTHER_KIND = ("invalid response to ssl negotiation", "expected authentication request from server")
"""What libpq says where what answers does not speak PostgreSQL's protocol."""
_MEANS = {
    Step.TLS: "TLS does not come about",
    Step.AUTHENTICATION: "authentication failed",
    Step.ANSWER: "the server refuses",
    Step.CONNECTION: "the connection broke",
}


def settings(values: Values, files: SecretFiles, address: str | None = None) -> dict[str, Any]:
    """Parameters of libpq.  `address` is what the host was resolved to."""
    ca, certificate, key = (
        values.bytes(name) for name in ("SSL CERTIFICATE AUTHORITY", "SSL CERTIFICATE", "SSL KEY")
    )
    mode = values.text("SSL MODE") or "prefer"
    found: dict[str, Any] = {
        "host": values.required("HOST").strip("[]"),
        "port": int(values.text("PORT") or POSTGRES_PORT),
        "dbname": values.required("DATABASE"),
        "user": values.required("USER"),
        "password": values.text("PASSWORD") or "",
        "passfile": "/dev/null",
        "sslmode": mode,
        "sslcertmode": "disable" if certificate is None else "allow",
        "gssencmode": "disable",
        "options": "",
        "application_name": "ptvc",
    }
    if address is not None:
        found["hostaddr"] = address
    if ca is not None:
        found["sslrootcert"] = files.path(ca)
    elif mode == "verify-full":
        found["sslrootcert"] = "system"
    if certificate is not None and key is not None:
        found["sslcert"] = files.path(certificate)
        found["sslkey"] = files.path(key)
    return found


def connected(
    values: Values,
    addresses: Addresses,
    deadline: float,
    session: Mapping[str, str] = NO_SETTINGS,
    *,
    replication: bool = False,
) -> psycopg.Connection[tuple[Any, ...]]:
    """A connection, each statement its own transaction, with these settings of its session; one that takes the commands of logical
    `replication`, too.  Raises ConnectionFailed."""
    host = values.required("HOST").strip("[]")
    port = int(values.text("PORT") or POSTGRES_PORT)
    address = addresses.reachable(host, port, deadline)
    with secret_files() as files:
        wanted = settings(values, files, address)
        wanted |= _KEEPALIVE
        wanted["options"] = " ".join(f"-c {name}={value}" for name, value in session.items())
        if replication:
            wanted["replication"] = "database"
        try:
            return psycopg.connect(
                **wanted, autocommit=True, connect_timeout=max(2, int(deadline - monotonic()))
            )
        except psycopg.Error as error:
            raise _failure(error, values, shown(host, port)) from None


def validate(values: Values, addresses: Addresses, deadline: float) -> None:
    """Connects and asks one thing; raises ConnectionFailed."""
    with connected(values, addresses, deadline) as connection:
        try:
            connection.execute("SELECT 1")
        except psycopg.Error as error:
            raise _failure(error, values, f"{connection.info.host}:{connection.info.port}") from None


def _failure(error: psycopg.Error, values: Values, where: str) -> ConnectionFailed:
    text = scrubbed(str(error), values.secrets.values())
    low = text.lower()
    if any(words in low for words in _OF_ANOTHER_KIND):
        return ConnectionFailed(
            Step.ANSWER,
            f"cannot connect to PostgreSQL at {where}: what answers is no PostgreSQL",
            detail=text,
            hint="HOST and PORT are those of another kind of server.",
        )
    step = next((step for step, words in _TEXTS if any(word in low for word in words)), Step.ANSWER)
    if error.sqlstate in _AUTHENTICATION:
        step = Step.AUTHENTICATION
    elif isinstance(error, psycopg.errors.ConnectionTimeout) or "closed the connection" in low:
        step = Step.CONNECTION
    return ConnectionFailed(
        step, f"cannot connect to PostgreSQL at {where}: {_MEANS[step]}", detail=text or None
    )
