"""MySQL's protocol, which MariaDB speaks: connections by PyMySQL, which an extra brings.

Nothing comes from files of options of the machine; LOAD DATA LOCAL is not answered.
"""

from __future__ import annotations

import socket
import ssl
from contextlib import ExitStack
from time import monotonic
from typing import Any

from ...errors import PtvcError
from .addresses import Addresses, shown
from .failures import ConnectionFailed, Step, scrubbed
from .options import MYSQL_PORT
from .schema_registry import tls_context
from .values import Values

Db = Any
"""A connection of PyMySQL, whose package has no types."""

READ_TIMEOUT_S = 60.0
"""So long an answer is waited for."""
_AUTHENTICATION = frozenset((1044, 1045, 1130, 1251, 1698, 1862, 4151))
_TLS = frozenset((2026,))
_BROKEN = frozenset((2003, 2006, 2013, 2055))
_GREETING_BYTES = 5
"""The length of the packet, its number, and its first byte."""
_GREETINGS = (b"\x00\x0a", b"\x00\xff")
_MEANS = {
    Step.TLS: "TLS does not come about",
    Step.AUTHENTICATION: "authentication failed",
    Step.ANSWER: "the server refuses",
    Step.CONNECTION: "the connection broke",
}


def client() -> Any:
    """The package pymysql, which an extra brings."""
    try:
        import pymysql
    except ImportError:
        raise PtvcError(
            "connections to MySQL and MariaDB need the package PyMySQL, which is not installed",
            sqlstate="58000",
            hint="pip install 'dbt-ptvc[mysql]', and start the runtime again.",
        ) from None
    return pymysql


def _context(values: Values) -> ssl.SSLContext | None:
    """None where the mode does not insist on TLS."""
    mode = values.text("SSL MODE") or "preferred"
    if mode in ("disabled", "preferred"):
        return None
    context = tls_context(values)
    if mode != "verify-identity":
        context.check_hostname = False
    if mode == "required":
        context.verify_mode = ssl.CERT_NONE
    return context


def connected(
    values: Values, addresses: Addresses, deadline: float, *, read_timeout_s: float = READ_TIMEOUT_S
) -> Db:
    """A connection, each statement its own transaction.  Raises ConnectionFailed."""
    pymysql = client()
    host = values.required("HOST").strip("[]")
    port = int(values.text("PORT") or MYSQL_PORT)
    address = addresses.reachable(host, port, deadline)
    left = max(1.0, deadline - monotonic())
    try:
        db = pymysql.connections.Connection(
            host=host,
            port=port,
            user=values.required("USER"),
            password=(values.text("PASSWORD") or "").encode(),
            charset="utf8mb4",
            autocommit=True,
            ssl=_context(values),
            ssl_disabled=(values.text("SSL MODE") == "disabled"),
            connect_timeout=left,
            read_timeout=min(left, read_timeout_s),
            write_timeout=read_timeout_s,
            program_name="ptvc",
            defer_connect=True,
        )
        with ExitStack() as unless_connected:
            stream = socket.create_connection((address, port), timeout=left)
            unless_connected.callback(stream.close)
            stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            stream.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            _check_greeting(stream, shown(host, port), left)
            db.connect(stream)
            unless_connected.pop_all()
        db._read_timeout = read_timeout_s  # the handshake had less
    except (pymysql.MySQLError, OSError, RuntimeError) as error:
        raise failure(error, values, shown(host, port)) from None
    return db


def _check_greeting(stream: socket.socket, where: str, timeout_s: float) -> None:
    """A server of MySQL speaks first: a packet of protocol 10, or of an error.  What waits to be spoken to, or says something else, is
    another server."""
    stream.settimeout(timeout_s)
    try:
        head = stream.recv(_GREETING_BYTES, socket.MSG_PEEK)
    except TimeoutError:
        head = None
    if head is None or (len(head) == _GREETING_BYTES and head[3:] not in _GREETINGS):
        said = "says nothing" if head is None else "speaks another protocol"
        raise ConnectionFailed(
            Step.ANSWER,
            f"cannot connect to MySQL at {where}: what listens there is no server of MySQL or MariaDB, or does not go on",
            detail=f"It {said}, where MySQL greets whoever connects.",
            hint="Look at HOST and PORT: MySQL's is 3306 as a rule, PostgreSQL's 5432.",
        )


def validate(values: Values, addresses: Addresses, deadline: float) -> None:
    """Connects and asks one thing; raises ConnectionFailed."""
    pymysql = client()
    left = max(1.0, deadline - monotonic())
    db = connected(values, addresses, deadline, read_timeout_s=left)
    try:
        db.query("SELECT 1")
    except pymysql.MySQLError as error:
        raise failure(error, values, values.required("HOST")) from None
    finally:
        db._force_close()


def failure(error: Exception, values: Values, where: str) -> ConnectionFailed:
    """What keeps a connection from coming about: RuntimeError is PyMySQL's for a password that may not go over a wire in the clear."""
    code = error.args[0] if error.args and isinstance(error.args[0], int) else 0
    text = scrubbed(message_of(error), values.secrets.values())
    step = Step.ANSWER
    if isinstance(getattr(error, "original_exception", error), ssl.SSLError) or code in _TLS:
        step = Step.TLS
    elif code in _AUTHENTICATION or isinstance(error, RuntimeError):
        step = Step.AUTHENTICATION
    elif code in _BROKEN or isinstance(error, OSError):
        step = Step.CONNECTION
    return ConnectionFailed(step, f"cannot connect to MySQL at {where}: {_MEANS[step]}", detail=text or None)


def message_of(error: Exception) -> str:
    """What the other side said, without the number of the error."""
    return str(error.args[-1]) if error.args else str(error)
