"""The codec: every object of the vocabulary comes back as it was, and nothing else is made of bytes."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest
from ptvc.expr.tree.scalar import ColumnRef, Literal, Or
from ptvc.replica.protocol import CancelPeek, PeekRows, Progress, ProtocolError, codec
from ptvc.replica.protocol.codec import decode, encode
from ptvc.replica.protocol.vocabulary import classes, number_of
from ptvc.repr.types import BOOL

from .values import described, draw_object

HOSTILE = Path(__file__).with_name("hostile_bytes.py")


def encoded(message: Any) -> bytes:
    return b"".join(encode(message))


def of_rows(*rows: Any) -> bytes:
    text = json.dumps(rows).encode()
    return struct.pack(">II", len(text), 0) + text


@pytest.mark.parametrize("cls", classes(), ids=lambda cls: cls.__qualname__)
def test_comes_back(cls: Any) -> None:
    for seed in range(8):
        value = draw_object(cls, Random(seed))
        assert described(decode(encoded(value))) == described(value), seed


def test_what_occurs_twice_has_one_row() -> None:
    """A part of a plan that is used twice would else be there 2**n times."""
    value: Any = ColumnRef(0, BOOL)
    for _ in range(100):
        value = Or((value, value))
    data = encoded(value)
    assert len(data) < 10_000
    found = decode(data)
    assert found.args[0] is found.args[1]


def test_large_bytes_are_not_copied() -> None:
    payload = bytes(100_000)
    assert any(piece is payload for piece in encode(PeekRows(1, payload, True)))


def test_what_is_in_no_vocabulary_is_not_sent() -> None:
    with pytest.raises(TypeError, match="PosixPath is not in the vocabulary"):
        encode(Literal(Path(), BOOL))


def test_a_message_that_is_too_large_is_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(codec, "MAX_BYTES", 1_000)
    encode(PeekRows(1, bytes(900), True))
    with pytest.raises(ProtocolError, match="is too large to be sent") as raised:
        encode(PeekRows(1, bytes(1_000), True))
    assert raised.value.sqlstate == "54000"


CANCEL, ROWS, PROGRESS = number_of(CancelPeek), number_of(PeekRows), number_of(Progress)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\0" * 7,
        struct.pack(">II", 2**32 - 1, 0) + b"[]",
        struct.pack(">II", 2, 2**32 - 1) + b"[]",
        struct.pack(">III", 2, 1, 2**32 - 1) + b"[]",
        of_rows(),
        of_rows([]),
        of_rows({}),
        of_rows(7),
        of_rows([CANCEL]),
        of_rows([CANCEL, 1, 2]),
        of_rows([CANCEL, "1"]),
        of_rows([CANCEL, 1.0]),
        of_rows([CANCEL, None]),
        of_rows([CANCEL, [1]]),
        of_rows([-1, 1]),
        of_rows([10_000, 1]),
        of_rows([str(CANCEL), 1]),
        of_rows([[], 1]),
        of_rows([ROWS, 1, 0, True]),
        of_rows([ROWS, 1, -1, True]),
        of_rows([PROGRESS, 1, 1, [0], []]),
        of_rows([CANCEL, 1], [PROGRESS, 1, 1, [0], []]),
        of_rows([PROGRESS, 1, 1, [1], []]),
        of_rows([PROGRESS, 1, 1, [-1], []]),
        of_rows([PROGRESS, 1, 1, [], [["u1"]]]),
        of_rows([PROGRESS, 1, 1, [], [["u1", "1"]]]),
        of_rows([CANCEL, 1]) + b"x",
        struct.pack(">II", 6, 0) + b"[[\xff]]",
        struct.pack(">II", 200_000, 0) + b"[" * 200_000,
    ],
)
def test_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(ProtocolError):
        decode(data)


def test_hostile_bytes() -> None:
    hostile(2_000, 1)


@pytest.mark.slow
def test_many_hostile_bytes() -> None:
    hostile(100_000, 7)


def hostile(count: int, seed: int) -> None:
    """In a process of its own, whose memory and doings are watched."""
    command = [sys.executable, "-m", "replica.protocol.hostile_bytes", str(count), str(seed)]
    result = subprocess.run(command, capture_output=True, text=True, check=False, cwd=HOSTILE.parents[2])
    assert result.returncode == 0, result.stdout + result.stderr
    decoded, refused, grown = map(int, result.stdout.split())
    assert decoded + refused == count
    assert refused > count // 3
    assert grown < 32 << 20, grown
