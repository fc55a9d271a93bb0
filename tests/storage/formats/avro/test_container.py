"""Object container files: every codec, files that are torn or broken at any byte, and where records of blocks begin."""

from __future__ import annotations

import bz2
import io
import json
import lzma
import zlib
from collections.abc import Callable
from random import Random
from typing import Any

import fastavro
import numpy as np
import pyarrow as pa
import pytest
from ptvc.storage.formats.avro import codecs, records
from ptvc.storage.formats.avro import container as container_module
from ptvc.storage.formats.avro.codecs import CODECS, BrokenBlock
from ptvc.storage.formats.avro.container import Blocks, Broken, Container, Torn
from ptvc.storage.formats.avro.cursor import Payloads
from ptvc.storage.formats.avro.records import RecordBounds
from ptvc.storage.formats.avro.schema import Record, parse

from .cases import Cases

SCHEMA = {
    "type": "record",
    "name": "r",
    "fields": [{"name": "id", "type": "long"}, {"name": "t", "type": "string"}],
}
SYNC = bytes(range(16))


def snappy(data: bytes) -> bytes:
    packed: bytes = pa.compress(data, codec="snappy", asbytes=True)
    return packed + zlib.crc32(data).to_bytes(4, "big")


def deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


PACK: dict[str, Callable[[bytes], bytes]] = {
    "null": bytes,
    "deflate": deflate,
    "snappy": snappy,
    "zstandard": lambda data: pa.compress(data, codec="zstd", asbytes=True),
    "bzip2": bz2.compress,
    "xz": lzma.compress,
}


def number(value: int) -> bytes:
    sink = io.BytesIO()
    fastavro.schemaless_writer(sink, "long", value)
    return sink.getvalue()


def header(codec: str, schema: Any = SCHEMA) -> bytes:
    entries = {"avro.schema": json.dumps(schema).encode(), "avro.codec": codec.encode()}
    sink = io.BytesIO(b"Obj\x01")
    sink.seek(4)
    fastavro.schemaless_writer(sink, {"type": "map", "values": "bytes"}, entries)
    return sink.getvalue() + SYNC


def block(count: int, content: bytes) -> bytes:
    return number(count) + number(len(content)) + content + SYNC


def encoded(schema: Any, values: list[Any]) -> bytes:
    sink = io.BytesIO()
    parsed = fastavro.parse_schema(schema)
    for value in values:
        fastavro.schemaless_writer(sink, parsed, value)
    return sink.getvalue()


def rows(first: int, count: int) -> list[dict[str, Any]]:
    return [{"id": i, "t": f"t{i}"} for i in range(first, first + count)]


def opened(data: bytes) -> Container:
    return Container(io.BytesIO(data), len(data))


def found(blocks: Blocks, schema: Any = SCHEMA) -> list[bytes]:
    """Each record's bytes."""
    writer = parse(json.dumps(schema))
    assert isinstance(writer, Record)
    starts, ends = RecordBounds(writer, json.dumps(schema)).find(blocks, Payloads(blocks.data))
    data = blocks.data.tobytes()
    return [data[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]


def test_every_codec_is_tested() -> None:
    assert tuple(PACK) == CODECS


@pytest.mark.parametrize("codec", CODECS)
def test_blocks_of_every_codec(codec: str) -> None:
    parts = [encoded(SCHEMA, rows(10 * n, 10)) for n in range(3)]
    data = header(codec) + b"".join(block(10, PACK[codec](part)) for part in parts)
    container = opened(data)
    run = container.read(container.begin, 1 << 20)
    assert run.blocks is not None
    assert (run.end, run.torn) == (len(data), False)
    assert run.blocks.data.tobytes() == b"".join(parts)
    assert found(run.blocks) == [encoded(SCHEMA, [row]) for row in rows(0, 30)]
    again = container.read(int(run.blocks.places[1]), 1)
    assert again.blocks is not None
    assert (again.blocks.data.tobytes(), again.end) == (parts[1], int(run.blocks.places[2]))


@pytest.mark.parametrize("codec", [codec for codec in CODECS if codec != "null"])
def test_what_cannot_be_decompressed_names_its_block(codec: str) -> None:
    part = PACK[codec](encoded(SCHEMA, rows(0, 50)))
    for wrong in (part[:-3], b"junk", b"", part[:-6] + b"\xff" * 6):
        data = header(codec) + block(50, wrong)
        container = opened(data)
        with pytest.raises(Broken) as error:
            container.read(container.begin, 1)
        assert error.value.at == container.begin


@pytest.mark.parametrize("codec", CODECS)
def test_a_block_that_grows_beyond_all_measure_is_refused(
    codec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(codecs, "MOST_BYTES", 1000)
    if codec != "null":
        with pytest.raises(BrokenBlock, match="more than"):
            codecs.decompressor(codec)(PACK[codec](b"0" * 1001))  # type: ignore[misc]


@pytest.mark.parametrize("scan", [1, 7, 16, 1000])
def test_a_block_is_found_from_any_byte_on(scan: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(container_module, "_SCAN_BYTES", scan)
    blocks = [block(n, encoded(SCHEMA, rows(0, n))) for n in (3, 1, 10)]
    data = header("null") + b"".join(blocks)
    container = opened(data)
    begins = np.cumsum([container.begin, *map(len, blocks)]).tolist()
    counts = [0, 3, 4, 14]
    for byte in range(len(data) + 1):
        number = next(i for i, begin in enumerate(begins) if begin >= byte)
        assert container.first_from(byte) == (begins[number], counts[number])
        assert container.marked_from(byte) == begins[number]


@pytest.mark.parametrize("codec", ["deflate", "null"])
def test_a_file_may_end_anywhere(codec: str) -> None:
    parts = [PACK[codec](encoded(SCHEMA, rows(10 * n, 10))) for n in range(2)]
    blocks = [block(10, part) for part in parts]
    data = header(codec) + b"".join(blocks)
    begin = len(header(codec))
    whole = [begin, begin + len(blocks[0]), len(data)]
    for size in range(len(data) + 1):
        try:
            container = opened(data[:size])
        except Torn:
            assert size < begin
            continue
        run = container.read(begin, 1 << 20)
        end = max(place for place in whole if place <= size)
        assert (run.end, run.torn) == (end, size not in whole)
        assert (0 if run.blocks is None else run.blocks.rows) == 10 * whole.index(end)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"PAR1xxxx", "it does not begin as a file of Avro does"),
        (b"Obj\x01\x00" + SYNC, "its header has no schema"),
        (header("lz4"), "its blocks are compressed by lz4, which is none of null, deflate, snappy, zstandard, bzip2, xz"),
        (b"Obj\x01\x02\x01", "its header has an entry of -1 bytes"),
    ],
)  # fmt: skip
def test_what_is_no_container(data: bytes, reason: str) -> None:
    with pytest.raises(Broken) as error:
        opened(data)
    assert error.value.reason == reason


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (number(1) + number(2) + b"\x02\x00" + SYNC[::-1], "the block there has not the file's marker behind it"),
        (number(-1) + number(2) + b"\x02\x00" + SYNC, "there is no block of -1 records and 2 bytes"),
        (number(1) + number(1 << 40) + SYNC, "the block there has 1099511627776 bytes, more than 512 MiB"),
        (b"\xff" * 30, "a number there has more than ten bytes"),
    ],
)  # fmt: skip
def test_a_block_that_is_none(wrong: bytes, reason: str) -> None:
    good = header("null") + block(1, encoded(SCHEMA, rows(0, 1)))
    container = opened(good + wrong)
    run = container.read(container.begin, 1 << 20)
    assert (run.end, run.torn) == (len(good), False)
    with pytest.raises(Broken) as error:
        container.read(run.end, 1 << 20)
    assert (error.value.at, error.value.reason) == (len(good), reason)


@pytest.mark.parametrize("few", [0, 3, 1000])
@pytest.mark.parametrize("seed", range(25))
def test_records_of_random_schemas_begin_where_they_were_written(
    seed: int, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "_FEW", few)
    cases = Cases(seed)
    schema = cases.record()
    schema["fields"].append({"name": "last", "type": "long"})
    type_ = parse(json.dumps(schema))
    written = [
        [encoded(schema, [cases.value(type_)[0]]) for _ in range(cases.random.randrange(0, 30))]
        for _ in range(cases.random.randrange(1, 12))
    ]
    data = header("null", schema) + b"".join(block(len(part), b"".join(part)) for part in written)
    container = opened(data)
    run = container.read(container.begin, 1 << 30)
    assert run.blocks is not None
    assert found(run.blocks, schema) == [record for part in written for record in part]


@pytest.mark.parametrize("few", [0, 1000])
def test_arrays_and_maps_in_blocks_with_their_bytes(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Avro lets writers say how many bytes the items take, which fastavro does not write."""
    monkeypatch.setattr(records, "_FEW", few)
    schema = {
        "type": "record",
        "name": "r",
        "fields": [
            {"name": "a", "type": {"type": "array", "items": "long"}},
            {"name": "m", "type": {"type": "map", "values": ["null", "string"]}},
        ],
    }
    items = number(300) + number(-1)
    entries = number(1) + b"k" + number(1) + number(2) + b"xy" + number(0) + number(0)
    record = number(-2) + number(len(items)) + items + number(1) + number(5) + b"\x00"
    record += number(-2) + number(len(entries)) + entries + b"\x00"
    blocks = Blocks(
        np.frombuffer(record * 5, np.uint8), np.array([len(record) * 5]), np.array([5]), np.array([0])
    )
    assert found(blocks, schema) == [record] * 5


@pytest.mark.parametrize("few", [0, 1000])
@pytest.mark.parametrize("seed", range(20))
def test_a_block_of_other_bytes_is_refused_or_has_as_many_records(
    seed: int, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever it holds: nothing hangs, and no record leaves its block."""
    monkeypatch.setattr(records, "_FEW", few)
    random = Random(seed)
    schema = Cases(seed).record()
    for _ in range(20):
        sizes = [random.randrange(0, 60) for _ in range(4)]
        data = np.frombuffer(random.randbytes(sum(sizes)), np.uint8)
        counts = np.array([random.randrange(0, 8) for _ in sizes])
        blocks = Blocks(data, np.cumsum(sizes), counts, np.zeros(4, np.int64))
        refused = None
        try:
            together = found(blocks, schema)
        except BrokenBlock as error:
            refused = error.args[0]
        if refused is None:
            assert len(together) == counts.sum()
            assert b"".join(together) == data.tobytes()
        else:
            assert 0 <= refused < 4


def test_a_count_that_cannot_be_is_refused() -> None:
    data = encoded(SCHEMA, rows(0, 3))
    for count in (0, 4, 1 << 60):
        blocks = Blocks(
            np.frombuffer(data, np.uint8), np.array([len(data)]), np.array([count]), np.array([7])
        )
        with pytest.raises(BrokenBlock):
            found(blocks)
