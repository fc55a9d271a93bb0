"""The server that a source reads: connections to it, and what they are used for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from time import monotonic
from typing import Any

from ....errors import PtvcError
from ...connections.addresses import Addresses
from ...connections.failures import scrubbed
from ...connections.mysql import Db, client, connected, message_of
from ...connections.values import Values
from ...statistics import OutputId
from ..directory import SourceStalled
from .charsets import SINGLE_BYTE, UTF8, Charset
from .options import MysqlOptions
from .position import Position
from .replication import BinlogStream
from .server import check_replicates, is_mariadb, rows
from .snapshot import MysqlSnapshot
from .tables import MysqlTable

CONNECT_S = 15.0
_SESSION = (
    "time_zone = '+00:00', sql_mode = '', net_write_timeout = 3600, net_read_timeout = 3600, wait_timeout = 2000000, "
    "lock_wait_timeout = 10, group_concat_max_len = 1000000, sql_select_limit = DEFAULT, character_set_results = utf8mb4"
)
"""How values are written: the same whatever the server's settings are."""
_OF_MARIADB = "max_statement_time = 0, idle_transaction_timeout = 0, idle_readonly_transaction_timeout = 0"
_OF_MYSQL = "max_execution_time = 0"
"""Since 8.0."""


def _session(db: Db) -> str:
    if is_mariadb(db):
        return f"SET SESSION {_SESSION}, {_OF_MARIADB}"
    if str(db.get_server_info()).startswith("5."):
        return f"SET SESSION {_SESSION}"
    return f"SET SESSION {_SESSION}, {_OF_MYSQL}"


class Upstream:
    def __init__(self, options: MysqlOptions, values: Values) -> None:
        self._options, self._values = options, values
        self._charsets: dict[str, Charset] = {}
        self.lacks = ""
        """The last transaction of a position, where the server has purged it: then it is not asked for again."""

    @contextmanager
    def failures(self) -> Iterator[None]:
        """What the server says stalls the source."""
        try:
            yield
        except client().MySQLError as error:
            text = scrubbed(message_of(error), self._values.secrets.values())
            raise SourceStalled(f"the server refuses: {text}", sqlstate="58030") from None

    def connect(self) -> Db:
        addresses = Addresses(link_local=self._values.link_local)
        db = connected(self._values, addresses, monotonic() + CONNECT_S)
        try:
            db.query(_session(db))
        except BaseException:
            db._force_close()
            raise
        return db

    def check(self) -> None:
        """Raises what keeps a source from reading this server's log."""
        db = self.connect()
        try:
            check_replicates(db)
        finally:
            db._force_close()

    def snapshot(self, tables: Mapping[OutputId, MysqlTable]) -> MysqlSnapshot:
        return MysqlSnapshot(self.connect, tables)

    def stream(self, at: Position) -> BinlogStream:
        """What comes behind the position."""
        self.check()
        db = self.connect()
        try:
            return BinlogStream(db, self._options.server_id, at, verified=at.last != self.lacks)
        except BaseException:
            db._force_close()
            raise

    def charsets(self, names: Iterable[str]) -> Mapping[str, Charset]:
        """Of these names, each of which is one that is known here."""
        missing = {name for name in names if name not in self._charsets}
        of_bytes = sorted(name for name in missing if name in SINGLE_BYTE)
        for name in missing - set(of_bytes):
            if name not in UTF8:
                raise PtvcError(f'character set "{name}" is not supported', sqlstate="0A000")
            self._charsets[name] = Charset()
        if of_bytes:
            db = self.connect()
            try:
                for name in of_bytes:
                    self._charsets[name] = Charset(_characters(db, name))
            finally:
                db._force_close()
        return self._charsets


def _characters(db: Any, charset: str) -> list[bytes]:
    """What the server takes each byte for."""
    asked = ", ".join(f"HEX(CONVERT(_{charset} X'{byte:02X}' USING utf8mb4))" for byte in range(256))
    (found,) = rows(db, f"SELECT {asked}")
    return [bytes.fromhex(one) for one in found]
