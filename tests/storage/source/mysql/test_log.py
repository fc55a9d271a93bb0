"""The log as it comes: what is a transaction, how far it goes, and what is broken."""

from __future__ import annotations

import struct
import zlib

import pytest
from ptvc.errors import PtvcError, StorageError
from ptvc.storage.source.directory import SourceStalled
from ptvc.storage.source.mysql import events as ev
from ptvc.storage.source.mysql.mariadb_log import MariaDbLog
from ptvc.storage.source.mysql.position import Gtid, Place, gtids_of, gtids_text


def event(kind: int, body: bytes = b"", *, end: int = 0, flags: int = 0, checksum: bool = True) -> bytes:
    whole = struct.pack("<IBIIIH", 0, kind, 1, 0, end, flags) + body
    return whole + struct.pack("<I", zlib.crc32(whole)) if checksum else whole


def gtid(sequence: int, *, end: int, domain: int = 0, flags: int = 0) -> bytes:
    return event(ev.GTID, struct.pack("<QIB", sequence, domain, flags), end=end)


def query(sql: str, *, end: int) -> bytes:
    return event(ev.QUERY, struct.pack("<IIBHH", 0, 0, 1, 0, 0) + b"d\0" + sql.encode(), end=end)


def rotate(name: str) -> bytes:
    return event(ev.ROTATE, struct.pack("<Q", 4) + name.encode())


def log() -> MariaDbLog:
    made = MariaDbLog(gtids_of("0-1-4"), checksums=True)
    made.add([rotate("bin.000007")])
    return made


ROWS = event(ev.WRITE_ROWS[0], bytes(20))


def test_transactions_are_whole() -> None:
    subject = log()
    subject.add([gtid(5, end=100), ROWS, event(ev.XID, end=200), gtid(6, end=250), ROWS])
    taken = subject.whole(None)
    assert (taken.ends, len(taken.events), taken.gtids) == (1, 2, "0-1-5")
    subject.take(taken)
    assert subject.whole(None).ends == 0
    subject.add(
        [
            event(ev.XID, end=300),
            gtid(1, end=350, domain=2, flags=ev.STANDALONE),
            query("DROP TABLE t", end=400),
        ]
    )
    taken = subject.whole(None)
    assert (taken.ends, len(taken.events), taken.gtids) == (2, 4, "0-1-6,2-1-1")
    subject.take(taken)
    assert subject.is_empty
    assert subject.nbytes == 0


def test_it_stops_at_a_place() -> None:
    subject = log()
    subject.add([gtid(5, end=100), ROWS, event(ev.XID, end=200)])
    assert not subject.whole(Place(7, 300)).is_there
    subject.add(
        [gtid(6, end=250), ROWS, event(ev.XID, end=300), gtid(7, end=350), ROWS, event(ev.XID, end=400)]
    )
    taken = subject.whole(Place(7, 300))
    assert (taken.ends, taken.is_there) == (2, True)
    assert subject.whole(Place(7, 400)).is_there
    assert not subject.whole(Place(8, 4)).is_there
    subject.add([event(ev.HEARTBEAT, b"bin.000008", end=4)])
    assert subject.whole(Place(8, 4)).is_there


def test_what_is_rolled_back_is_dropped() -> None:
    subject = log()
    subject.add(
        [gtid(5, end=100), ROWS, query("ROLLBACK", end=200), gtid(6, end=250), ROWS, query("COMMIT", end=300)]
    )
    taken = subject.whole(None)
    assert [one[4] for one in taken.events] == [ev.GTID, ev.GTID, ev.WRITE_ROWS[0]]
    assert taken.gtids == "0-1-6"
    subject.add([gtid(7, end=350), ROWS])
    subject.take(taken)
    assert len(subject.part()) == 2
    with pytest.raises(SourceStalled, match="was rolled back of which a part was read"):
        subject.add([query("ROLLBACK", end=400)])


@pytest.mark.parametrize(
    ("broken", "error", "words"),
    [
        (event(ev.XID)[:-1] + b"\7", StorageError, "whose checksum is wrong"),
        (event(ev.XID, end=100), StorageError, "that has not begun"),
        (event(ev.INCIDENT), SourceStalled, "has lost events"),
        (event(40), SourceStalled, "an event of type 40, which is not read"),
        (event(166), SourceStalled, "an event of type 166, which is not read"),
    ],
)
def test_what_cannot_be_gone_on_from(broken: bytes, error: type[PtvcError], words: str) -> None:
    with pytest.raises(error, match=words):
        log().add([broken])


def test_what_may_be_passed_over() -> None:
    log().add([event(200, flags=ev.IGNORABLE), event(160), event(163)])


def test_gtids() -> None:
    assert gtids_of("") == {}
    assert gtids_of("3-2-9,0-1-7") == {0: Gtid(0, 1, 7), 3: Gtid(3, 2, 9)}
    assert gtids_text(gtids_of("3-2-9,0-1-7")) == "0-1-7,3-2-9"
