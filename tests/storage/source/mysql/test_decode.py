"""Events of MySQL 8.0, as the description of its protocol says them: what they make of tables."""

from __future__ import annotations

import struct
from uuid import UUID

import pytest
from ptvc.errors import StorageError
from ptvc.storage.source.mysql import events as ev
from ptvc.storage.source.mysql.ddl import Effect
from ptvc.storage.source.mysql.decode import Decoder, Segment

NAME = ("d", "t")
SERVER = "1eef6886-e592-11e4-a12f-84a6c8c6729e"


def event(kind: int, body: bytes) -> bytes:
    return struct.pack("<IBIIIH", 0, kind, 1, 0, 0, 0) + body


def gtid() -> bytes:
    return event(ev.MYSQL_GTID, b"\1" + UUID(SERVER).bytes + struct.pack("<Q", 7) + bytes(18))


def packed(text: bytes) -> bytes:
    return bytes((len(text),)) + text


def table_map(*, names: bool = True) -> bytes:
    """Of (k int unsigned, v varchar(10), j json): with signs, character sets, names, the key, and what is visible."""
    head = (
        struct.pack("<IHH", 9, 0, 1)
        + packed(b"d")
        + b"\0"
        + packed(b"t")
        + b"\0"
        + b"\3"
        + bytes((3, 15, 245))
    )
    metas = packed(struct.pack("<HB", 40, 4)) + b"\6"
    optional = b"\1" + packed(b"\x80") + b"\2" + packed(b"\xfc\xff\0")
    if names:
        optional += b"\4" + packed(packed(b"k") + packed(b"v") + packed(b"j")) + b"\x08" + packed(b"\0")
    return event(ev.TABLE_MAP, head + metas + optional + b"\x0c" + packed(b"\xe0"))


def row(k: int, v: bytes) -> bytes:
    json = b"\x05" + struct.pack("<h", k & 0x7FFF)
    return b"\0" + struct.pack("<I", k) + packed(v) + struct.pack("<I", len(json)) + json


def rows(kind: int, values: bytes, *, extra: bytes = b"") -> bytes:
    present = b"\7" * (2 if kind == ev.UPDATE_ROWS[1] else 1)
    head = struct.pack("<IHHH", 9, 0, 1, 2 + len(extra)) + extra
    return event(kind, head + b"\3" + present + values)


@pytest.mark.parametrize("extra", [b"", b"\1\3\0", b"\0\6\0abcd"])
def test_rows_have_heads_of_any_length(extra: bytes) -> None:
    changed = row(2**31, b"b") + row(5, b"longer")
    found = Decoder().decode(
        [
            gtid(),
            table_map(),
            rows(ev.WRITE_ROWS[1], row(1, b"a") + row(2**31, b"b"), extra=extra),
            rows(ev.UPDATE_ROWS[1], changed, extra=extra),
            rows(ev.DELETE_ROWS[1], row(1, b"a"), extra=extra),
        ],
        frozenset((NAME,)),
    )
    (segment,) = found[NAME]
    assert isinstance(segment, Segment)
    assert segment.named
    assert segment.diffs.tolist() == [1, 1, -1, 1, -1]
    cells = segment.by_name(())
    assert list(cells) == ["k", "v", "j"]
    assert cells["k"].column.unsigned
    assert segment.stream.little(cells["k"].starts, 4).tolist() == [1, 2**31, 2**31, 5, 1]
    assert cells["v"].lengths.tolist() == [1, 1, 1, 6, 1]
    assert cells["j"].lengths.tolist() == [3] * 5


def test_columns_may_have_no_names() -> None:
    found = Decoder().decode(
        [gtid(), table_map(names=False), rows(ev.WRITE_ROWS[1], row(1, b"a"))], frozenset((NAME,))
    )
    (segment,) = found[NAME]
    assert isinstance(segment, Segment)
    assert not segment.named
    assert list(segment.by_name(("x", "y"))) == ["x", "y"]


def test_parts_of_json_end_their_table() -> None:
    """Whoever reads it has no whole row."""
    events = [gtid(), table_map(), rows(ev.PARTIAL_UPDATE, b"")]
    (effect,) = Decoder().decode(events, frozenset((NAME,)))[NAME]
    assert isinstance(effect, Effect)
    assert "binlog_row_value_options" in effect.how
    assert Decoder().decode(events, frozenset((("d", "u"),))) == {}


def test_what_an_unfinished_transaction_has_changed_ends_its_table() -> None:
    """XA PREPARE: it may be rolled back yet."""
    events = [gtid(), table_map(), rows(ev.WRITE_ROWS[1], row(1, b"a")), event(ev.XA_PREPARE, bytes(13))]
    _, effect = Decoder().decode(events, frozenset((NAME,)))[NAME]
    assert isinstance(effect, Effect)
    assert "not told whole" in effect.how


def test_rows_of_a_table_that_was_not_described_are_refused() -> None:
    for kind in (ev.WRITE_ROWS[1], ev.PARTIAL_UPDATE):
        with pytest.raises(StorageError, match="that it has not described"):
            Decoder().decode([gtid(), rows(kind, row(1, b"a"))], frozenset((NAME,)))
