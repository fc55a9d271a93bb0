"""MySQL's binary JSON, as its description says it, and the texts that queries show: one document has one text."""

from __future__ import annotations

import struct

import pyarrow as pa
import pytest
from ptvc.errors import StorageError
from ptvc.storage.source.mysql.binary_json import texts_of_binary, texts_of_shown


def text(data: bytes) -> bytes:
    return bytes((len(data),)) + data


SMALL = bytes.fromhex("00 0200 2100 1200 0100 1300 0200 05 feff 02 1500".replace(" ", "")) + b"abc"
"""An object with the keys a and bc, of -2 and an array, which is to follow at byte 21."""
ARRAY = struct.pack("<HH", 2, 12) + b"\x04\x01\x00" + b"\x0c\x0a\x00" + text(b"x")
LARGE = (
    b"\x03"
    + struct.pack("<II", 3, 8 + 15 + 8)
    + b"\x07"
    + struct.pack("<i", -70000)
    + b"\x08"
    + struct.pack("<I", 1 << 31)
    + b"\x0a"
    + struct.pack("<I", 8 + 15)
    + struct.pack("<Q", (1 << 64) - 1)
)


def moment(kind: int, packed: int) -> bytes:
    return b"\x0f" + bytes((kind,)) + text(struct.pack("<q", packed))


DAY = ((2024 * 13 + 2) << 5 | 29) << 17
CLOCK = 10 << 12 | 20 << 6 | 30


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (b"", "null"),
        (b"\x04\x00", "null"),
        (b"\x04\x01", "true"),
        (b"\x04\x02", "false"),
        (b"\x05\xff\xff", "-1"),
        (b"\x06\xff\xff", "65535"),
        (b"\x07" + struct.pack("<i", -(1 << 31)), "-2147483648"),
        (b"\x08" + struct.pack("<I", (1 << 32) - 1), "4294967295"),
        (b"\x09" + struct.pack("<q", -(1 << 63)), "-9223372036854775808"),
        (b"\x0a" + struct.pack("<Q", (1 << 64) - 1), "18446744073709551615"),
        (b"\x0b" + struct.pack("<d", 1.0), "1.0"),
        (b"\x0b" + struct.pack("<d", -0.0), "-0.0"),
        (b"\x0b" + struct.pack("<d", 0.1), "0.1"),
        (b"\x0b" + struct.pack("<d", 1e20), "1e20"),
        (b"\x0b" + struct.pack("<d", 1.5e-9), "0.0000000015"),
        (b"\x0c" + text('ü"\\\n'.encode()), '"ü\\"\\\\\\n"'),
        (b"\x0c\xac\x02" + b"y" * 300, '"' + "y" * 300 + '"'),
        (b"\x0c" + text(b"\x001.5"), '"\\u00001.5"'),
        (b"\x00\x00\x00\x04\x00", "{}"),
        (b"\x02\x00\x00\x04\x00", "[]"),
        (SMALL + ARRAY, '{"a": -2, "bc": [true, "x"]}'),
        (LARGE, "[-70000, 2147483648, 18446744073709551615]"),
        (b"\x0f\xf6" + text(b"\x04\x02" + b"\x8c\x22"), "12.34"),
        (b"\x0f\xf6" + text(b"\x04\x02" + b"\x73\xdd"), "-12.34"),
        (b"\x0f\xf6" + text(b"\x0e\x04" + bytes.fromhex("810dfb38d204d2")), "1234567890.1234"),
        (moment(10, DAY << 24), '"2024-02-29"'),
        (moment(12, (DAY | CLOCK) << 24 | 250_000), '"2024-02-29 10:20:30.250000"'),
        (moment(7, (DAY | CLOCK) << 24), '"2024-02-29 10:20:30.000000"'),
        (moment(11, CLOCK << 24 | 1), '"10:20:30.000001"'),
        (moment(11, -(CLOCK << 24 | 1)), '"-10:20:30.000001"'),
        (b"\x0f\x0f" + text(bytes(60)), '"base64:type15:' + "A" * 76 + "\n" + 'AAAA"'),
    ],
)
def test_the_two_forms_are_one_text(value: bytes, shown: str) -> None:
    raw = pa.array([value, None, value], pa.binary())
    found = texts_of_binary(raw)
    assert found.type == pa.string()
    assert found == texts_of_shown(pa.array([shown.encode(), None, shown.encode()], pa.binary()))
    assert found.null_count == 1


def test_numbers_have_no_zeros_at_their_end() -> None:
    shown = [b"[1.0, 1.50, 1e3, 100, 0.0, -0.0, 12345678901234567890.10]", None]
    assert texts_of_shown(pa.array(shown, pa.binary())).to_pylist() == [
        "[1, 1.5, 1000, 100, 0, 0, 12345678901234567890.1]",
        None,
    ]


@pytest.mark.parametrize(
    "value",
    [
        b"\x0d\x00",
        b"\x05\xff",
        b"\x0c\x05abc",
        b"\x0c\x02\xff\xfe",
        SMALL,
        b"\x02\x01\x00\x07\x00\x02\x00\x00",
        b"\x04\x03",
    ],
)
def test_what_is_none_is_refused(value: bytes) -> None:
    with pytest.raises(StorageError, match="a JSON value that cannot be read"):
        texts_of_binary(pa.array([value], pa.binary()))
