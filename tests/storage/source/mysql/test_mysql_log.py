"""The log of MySQL itself as it comes: what is a transaction, what is read with it, and what cannot be gone on from."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from uuid import UUID

import pyarrow as pa
import pytest
from ptvc.errors import PtvcError, StorageError
from ptvc.storage.source.directory import SourceStalled
from ptvc.storage.source.mysql import events as ev
from ptvc.storage.source.mysql.gtid_set import GtidSet, Transaction
from ptvc.storage.source.mysql.mysql_log import Known, MysqlLog
from ptvc.storage.source.mysql.payload import payload_events

SERVER = "1eef6886-e592-11e4-a12f-84a6c8c6729e"
READ = GtidSet.of(f"{SERVER}:1-4")


def event(kind: int, body: bytes = b"", *, time: int = 0, flags: int = 0, checksum: bool = True) -> bytes:
    length = 19 + len(body) + 4 * checksum
    whole = struct.pack("<IBIIIH", time, kind, 1, length, 0, flags) + body
    return whole + struct.pack("<I", zlib.crc32(whole)) if checksum else whole


def gtid(number: int, *, time: int = 0) -> bytes:
    """As 8.0 writes it, with more behind what is read."""
    body = b"\1" + UUID(SERVER).bytes + struct.pack("<QB", number, 2) + bytes(16)
    return event(ev.MYSQL_GTID, body, time=time)


def query(sql: str, *, checksum: bool = True) -> bytes:
    body = struct.pack("<IIBHH", 0, 0, 1, 0, 3) + b"\0\0\0d\0" + sql.encode()
    return event(ev.QUERY, body, checksum=checksum)


def log(known: Known | None = None) -> MysqlLog:
    made = MysqlLog(READ, checksums=True, known=known)
    made.add([event(ev.ROTATE, struct.pack("<Q", 4) + b"bin.000007"), event(35)])
    return made


BEGIN, ROWS, XID = query("BEGIN"), event(ev.WRITE_ROWS[1], bytes(20)), event(ev.XID, bytes(8))


def taken(subject: MysqlLog, until: str | None = None) -> tuple[int, int, str, bool]:
    found = subject.whole(None if until is None else GtidSet.of(until))
    return found.ends, len(found.events), found.gtids.removeprefix(SERVER), found.is_there


def test_transactions_are_whole() -> None:
    subject = log()
    subject.add([gtid(5), BEGIN, ROWS, XID, gtid(6), query("DROP TABLE t"), gtid(9), BEGIN, ROWS])
    assert taken(subject) == (2, 4, ":1-6", False)
    subject.take(subject.whole(None))
    assert taken(subject) == (0, 0, ":1-6", False)
    assert not subject.is_empty
    subject.add([query("COMMIT")])
    assert taken(subject) == (1, 2, ":1-6:9", False)
    subject.take(subject.whole(None))
    assert subject.is_empty
    assert subject.nbytes == 0


@pytest.mark.parametrize(
    ("events", "ends"),
    [
        ([query("XA START X'61',X'',1"), ROWS, query("XA END X'61',X'',1"), event(ev.XA_PREPARE)], 1),
        ([query("XA COMMIT X'61',X'',1")], 1),
        ([query("create table `t` (a int) START TRANSACTION"), ROWS], 0),
        ([query("create table `t` (a int) START TRANSACTION"), ROWS, XID], 1),
        ([query("CREATE TABLE t (a int COMMENT 'START TRANSACTION')")], 1),
        ([BEGIN, query("SAVEPOINT `s`"), ROWS, query("INSERT INTO t VALUES (1)"), XID], 1),
        ([BEGIN, ROWS, query("ROLLBACK")], 1),
    ],
)
def test_what_opens_a_transaction_and_what_is_one(events: Sequence[bytes], ends: int) -> None:
    subject = log()
    subject.add([gtid(5), *events])
    assert subject.whole(None).ends == ends


def test_it_stops_where_a_snapshot_is() -> None:
    """Which has transactions that come out of order."""
    subject = log()
    assert taken(subject, f"{SERVER}:1-4") == (0, 0, ":1-4", True)
    until = f"{SERVER}:1-4:6"
    for number in (7, 6, 5):
        assert not subject.whole(GtidSet.of(until)).is_there or number == 5
        subject.add([gtid(number), BEGIN, ROWS, XID])
    assert taken(subject, until) == (2, 4, ":1-4:6-7", True)


def test_a_compressed_transaction() -> None:
    rows = event(ev.WRITE_ROWS[1], bytes(2000), checksum=False)
    inner = query("BEGIN", checksum=False) + rows + event(ev.XID, bytes(8), checksum=False)
    packed = pa.Codec("zstd").compress(inner, asbytes=True)
    head = b"\1\1" + bytes((len(packed),)) + b"\2\1\0" + b"\3\3\xfc" + struct.pack("<H", len(inner)) + b"\0"
    subject = log()
    subject.add([gtid(5), event(ev.TRANSACTION_PAYLOAD, head + packed)])
    assert taken(subject) == (1, 2, ":1-5", False)
    assert [one[4] for one in subject.whole(None).events] == [ev.MYSQL_GTID, ev.WRITE_ROWS[1]]
    assert b"".join(payload_events(b"\2\3\xfc\xff\x00\0" + inner)) == inner
    for broken in (b"\1\1\5", b"\1\1\xc8\0" + inner[:50], b"\2\1\0\3\1\x20\0" + inner, b"\0" + inner[:-1]):
        with pytest.raises(StorageError, match="a compressed transaction"):
            list(payload_events(broken))
    with pytest.raises(SourceStalled, match="in another way"):
        list(payload_events(b"\2\1\7\0" + inner))


def test_the_last_transaction_that_was_read_comes_again() -> None:
    known = Known.of(Known(Transaction(SERVER, 4), 77).text)
    subject = log(known)
    subject.add([gtid(4, time=77), BEGIN, ROWS, XID, gtid(5), BEGIN, ROWS, XID])
    assert taken(subject) == (1, 2, ":1-5", False)
    with pytest.raises(SourceStalled, match="another history"):
        log(known).add([gtid(4, time=78)])


@pytest.mark.parametrize(
    ("broken", "error", "words"),
    [
        (gtid(5)[:-1] + b"\7", StorageError, "whose checksum is wrong"),
        (XID, StorageError, "that has not begun"),
        (event(ev.ANONYMOUS_GTID, bytes(25)), SourceStalled, "without a GTID"),
        (event(ev.TAGGED_GTID, bytes(25)), SourceStalled, "has a tag"),
        (event(ev.INCIDENT), SourceStalled, "has lost events"),
        (event(99), SourceStalled, "an event of type 99, which is not read"),
    ],
)
def test_what_cannot_be_gone_on_from(broken: bytes, error: type[PtvcError], words: str) -> None:
    with pytest.raises(error, match=words):
        log().add([broken])


def test_what_may_be_passed_over() -> None:
    log().add([event(ev.HEARTBEAT, b"bin.000007"), event(200, flags=ev.IGNORABLE)])
    log().add([event(kind) for kind in (28, 29, 35, 36, 37, 41)])
