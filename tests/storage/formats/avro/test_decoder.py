"""Reading in columns: as fastavro writes and reads, whatever the schema, and however payloads are broken."""

from __future__ import annotations

import io
import json
from random import Random
from typing import Any

import fastavro
import numpy as np
import pyarrow as pa
import pytest
from ptvc.storage.formats.avro.decoder import RawDecoder
from ptvc.storage.formats.avro.place import Malformed
from ptvc.storage.formats.avro.schema import parse

from .cases import Cases, as_plain, read_all, written


@pytest.mark.parametrize("seed", range(60))
def test_what_fastavro_writes(seed: int) -> None:
    cases = Cases(seed)
    schema = cases.record()
    type_ = parse(json.dumps(schema))
    values = [cases.value(type_) for _ in range(80)]
    payloads = [written(schema, value) for value, _ in values]
    decoder = RawDecoder(type_, type_)
    found = read_all(decoder, payloads)
    assert found.reasons == ()
    expected = [raw for _, raw in values]
    assert found.values.to_pylist() == pa.array(expected, found.values.type).to_pylist() == expected
    alone = pa.array([decoder.one(payload) for payload in payloads], found.values.type)
    assert alone.to_pylist() == expected


@pytest.mark.parametrize("seed", range(60))
def test_broken_payloads_hurt_nobody_else(seed: int) -> None:
    """What is read of a payload, or why it is not, does not depend on its neighbours; and fastavro reads nothing else."""
    cases = Cases(1000 + seed)
    schema = cases.record()
    type_ = parse(json.dumps(schema))
    sound = [written(schema, cases.value(type_)[0]) for _ in range(60)]
    payloads = [_broken(cases.random, payload) if i % 2 else payload for i, payload in enumerate(sound)]
    decoder = RawDecoder(type_, type_)
    found = read_all(decoder, payloads)
    reasons = dict(zip(found.bad.tolist(), found.reasons, strict=True))
    assert all(number % 2 for number in reasons)
    for number, payload in enumerate(payloads):
        value = _alone(decoder, payload)
        if isinstance(value, str):
            assert reasons[number] == value
        else:
            assert number not in reasons
            array = pa.array([value], found.values.type)
            assert array.equals(found.values[number : number + 1]) or "nan" in repr(value)
            assert repr(as_plain(array[0].as_py(), type_)) == repr(_by_fastavro(schema, payload))


def _alone(decoder: RawDecoder, payload: bytes) -> Any:
    """The value of a record, or why there is none."""
    try:
        return decoder.one(payload)
    except Malformed as error:
        return str(error)


def _broken(random: Random, payload: bytes) -> bytes:
    match random.randrange(4):
        case 0:
            return payload[: random.randrange(len(payload))] if payload else b"\x01"
        case 1:
            return payload + random.randbytes(random.randint(1, 3))
        case 2 if payload:
            at = random.randrange(len(payload))
            return payload[:at] + random.randbytes(1) + payload[at + 1 :]
        case _:
            return random.randbytes(random.randrange(40))


def _by_fastavro(schema: Any, payload: bytes) -> Any:
    return fastavro.schemaless_reader(io.BytesIO(payload), fastavro.parse_schema(schema), None)


def test_numbers_of_every_length() -> None:
    type_ = parse('"long"')
    values = [sign * ((1 << bits) + more) for bits in range(63) for sign in (1, -1) for more in (-1, 0, 1)]
    values += [(1 << 63) - 1, -(1 << 63)]
    found = read_all(RawDecoder(type_, type_), [written("long", value) for value in values])
    assert (found.values.to_pylist(), found.reasons) == (values, ())


def test_numbers_that_are_too_long() -> None:
    type_ = parse('"long"')
    payloads = [
        b"\x80" * 9 + b"\x01",
        b"\x80" * 9 + b"\x02",
        b"\x80" * 10 + b"\x01",
        b"\x80" * 3,
        b"\x82\x00",
        b"",
    ]
    found = read_all(RawDecoder(type_, type_), payloads)
    assert dict(zip(found.bad.tolist(), found.reasons, strict=True)) == {
        1: "an integer of more than 64 bits",
        2: "an integer of more than ten bytes",
        3: "a value of 1 bytes where 0 are left",
        5: "a value of 1 bytes where 0 are left",
    }
    assert found.values.to_pylist()[0] == 1 << 62
    assert found.values.to_pylist()[4] == 1


@pytest.mark.parametrize(
    ("schema", "payload", "reason"),
    [
        ('"boolean"', b"\x02", "2 is no boolean"),
        ('"int"', written("long", 1 << 31), "2147483648 is no int: it has more than 32 bits"),
        ('"string"', b"\x02\xff", 'invalid byte sequence for encoding "UTF8": 0xff'),
        ('["null","long"]', b"\x04", "2 is no branch of a union of 2"),
        ('["null","long"]', b"\x01", "-1 is no branch of a union of 2"),
        ('"bytes"', b"\x01", "a value of -1 bytes where 0 are left"),
        (
            '{"type":"enum","name":"e","symbols":["a"]}',
            b"\x01",
            "-1 is no number of a symbol, of which there are 1",
        ),
        ('{"type":"array","items":"int"}', b"\x02\x00\x00\x00", "1 bytes follow its value"),
        (
            '{"type":"record","name":"r","fields":[{"name":"a","type":{"type":"record","name":"s","fields":[{"name":"b","type":"double"}]}}]}',
            b"\x00",
            'field "a.b": a value of 8 bytes where 1 are left',
        ),
    ],
)
def test_what_is_wrong(schema: str, payload: bytes, reason: str) -> None:
    type_ = parse(schema)
    found = read_all(RawDecoder(type_, type_), [payload, payload])
    assert (found.bad.tolist(), found.reasons) == ([0, 1], (reason, reason))


def test_arrays_of_which_few_are_long() -> None:
    type_ = parse('{"type":"array","items":["null","string"]}')
    schema = {"type": "array", "items": ["null", "string"]}
    values = [[None, "x"] * count for count in [0, 1, 2, 3000, 40, 0, 5] + [33] * 100]
    found = read_all(RawDecoder(type_, type_), [written(schema, value) for value in values])
    assert (found.values.to_pylist(), found.reasons) == (values, ())


def test_blocks_of_arrays() -> None:
    """Of two blocks, of which the second says how many bytes it has."""
    type_ = parse('{"type":"array","items":"int"}')
    payload = b"\x02\x0a" + b"\x03\x04\x0c\x0e" + b"\x00"
    found = read_all(RawDecoder(type_, type_), [payload] * 3)
    assert (found.values.to_pylist(), found.reasons) == ([[5, 6, 7]] * 3, ())


def test_more_payloads_than_are_read_at_once() -> None:
    type_ = parse('"string"')
    payloads = [written("string", str(i)) for i in range(40_000)]
    payloads[20_000] = b"\x7f"
    found = read_all(RawDecoder(type_, type_), payloads)
    assert found.bad.tolist() == [20_000]
    expected = np.arange(40_000).astype(str)
    assert found.values[:20_000].to_pylist() == expected[:20_000].tolist()
    assert found.values[20_001:].to_pylist() == expected[20_001:].tolist()
