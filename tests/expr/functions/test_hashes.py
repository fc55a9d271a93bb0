"""digest, hmac and other hashes against published vectors; constant_time_eq."""

from __future__ import annotations

import pyarrow as pa
import pytest
from ptvc.errors import UndefinedFunction
from ptvc.expr.evaluate import evaluate
from ptvc.expr.registry import resolve_call
from ptvc.expr.tree.scalar import ColumnRef, Literal
from ptvc.repr.types import BOOL, BYTEA, INT4, INT8, TEXT, UINT8, ScalarType
from support import column

ABC = {
    "md5": "900150983cd24fb0d6963f7d28e17f72",
    "sha1": "a9993e364706816aba3e25717850c26c9cd0d89d",
    "sha224": "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7",
    "sha256": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    "sha384": "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed"
    "8086072ba1e7cc2358baeca134c825a7",
    "sha512": "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
    "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
}
"""Of FIPS 180-4 and RFC 1321."""
JEFE = {
    "md5": "750c783e6ab0b503eaa86e310a5db738",
    "sha1": "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79",
    "sha256": "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
}
"""HMACs of RFC 2202 and RFC 4231, test case 2."""
QUESTION = "what do ya want for nothing?"


def call(name: str, types: tuple[ScalarType, ...], *rows: tuple[str | None, ...]) -> list[object]:
    """The results over columns of these rows; those of constants must be the same."""
    result = resolve_call(name, tuple(ColumnRef(i, type_) for i, type_ in enumerate(types)))
    columns = [column([row[i] for row in rows], type_) for i, type_ in enumerate(types)]
    found = evaluate(result, columns, len(rows))
    assert found.values.type == result.type.arrow
    assert found.errors is None, found.errors.messages.to_pylist()
    values: list[object] = found.values.to_pylist()
    literals = [Literal(array[0].as_py(), type_) for array, type_ in zip(columns, types, strict=True)]
    constant = evaluate(resolve_call(name, (ColumnRef(0, types[0]), *literals[1:])), columns, len(rows))
    assert constant.values[0].as_py() == values[0]
    return values


def hexed(text: str) -> str:
    return "\\x" + text.encode().hex()


@pytest.mark.parametrize("name", ABC)
def test_digest(name: str) -> None:
    expected = bytes.fromhex(ABC[name])
    assert call("digest", (TEXT, TEXT), ("abc", name), ("abc", name.upper()), (None, name), ("abc", None)) == [
        expected, expected, None, None,
    ]  # fmt: skip
    assert call("digest", (BYTEA, TEXT), (hexed("abc"), name)) == [expected]


@pytest.mark.parametrize("name", JEFE)
def test_hmac(name: str) -> None:
    expected = bytes.fromhex(JEFE[name])
    assert call("hmac", (TEXT, TEXT, TEXT), (QUESTION, "Jefe", name), (QUESTION, None, name)) == [
        expected,
        None,
    ]
    assert call("hmac", (BYTEA, BYTEA, TEXT), (hexed(QUESTION), hexed("Jefe"), name)) == [expected]


@pytest.mark.parametrize(("name", "types"), [("digest", (TEXT, TEXT)), ("hmac", (TEXT, TEXT, TEXT))])
def test_an_unknown_algorithm_is_an_error_of_its_row(name: str, types: tuple[ScalarType, ...]) -> None:
    refs = tuple(ColumnRef(i, type_) for i, type_ in enumerate(types))
    algorithms = pa.array(["SHA9", "md5", None])
    columns = [pa.array(["a"] * 3)] * (len(types) - 1) + [algorithms]
    found = evaluate(resolve_call(name, refs), columns, 3)
    assert found.errors is not None
    assert found.errors.indices.tolist() == [0]
    assert found.errors.sqlstates.to_pylist() == ["22023"]
    assert found.errors.messages.to_pylist() == ['Cannot use "SHA9": No such hash algorithm']
    assert found.values.is_valid().to_pylist() == [False, True, False]


def test_text_and_bytea_do_not_mix() -> None:
    for name, types in (("hmac", (TEXT, BYTEA, TEXT)), ("constant_time_eq", (TEXT, BYTEA))):
        with pytest.raises(UndefinedFunction):
            resolve_call(name, tuple(ColumnRef(i, type_) for i, type_ in enumerate(types)))


def test_constant_time_eq() -> None:
    rows: list[tuple[str | None, ...]] = [
        ("é", "é"), ("a", "b"), ("a", "ab"), ("", ""), (None, "a"), ("a", None),
    ]  # fmt: skip
    expected = [True, False, False, True, None, None]
    assert call("constant_time_eq", (TEXT, TEXT), *rows) == expected
    as_bytes = [tuple(None if value is None else hexed(value) for value in row) for row in rows]
    assert call("constant_time_eq", (BYTEA, BYTEA), *as_bytes) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [  # of Kafka's own test of its utilities
        ("21", -973932308),
        ("foobar", -790332482),
        ("a-little-bit-long-string", -985981536),
        ("a-little-bit-longer-string", -1486304829),
        ("lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971),
        ("abc", 479470107),
    ],
)
def test_kafka_murmur2(text: str, expected: int) -> None:
    assert call("kafka_murmur2", (TEXT,), (text,), (None,)) == [expected & 0x7FFFFFFF, None]
    assert call("kafka_murmur2", (BYTEA,), (hexed(text),)) == [expected & 0x7FFFFFFF]


def test_seahash() -> None:
    assert call("seahash", (TEXT,), ("to be or not to be",), (None,)) == [1988685042348123509, None]
    assert call("seahash", (BYTEA,), (hexed("to be or not to be"),)) == [1988685042348123509]


def test_result_types() -> None:
    text = (ColumnRef(0, TEXT),)
    assert resolve_call("seahash", text).type == UINT8
    assert resolve_call("kafka_murmur2", text).type == INT4
    assert resolve_call("crc32c", (ColumnRef(0, BYTEA),)).type == INT8
    assert resolve_call("constant_time_eq", text * 2).type == BOOL
