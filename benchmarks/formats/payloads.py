"""Payloads a second on one core, by format: a flat record of six fields, as it is, as a change event, and as a message.

Batches are of the size that a source reads at once.  Beside Avro stands fastavro, which reads the same payloads one by one.
"""

from __future__ import annotations

import io
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any
from uuid import UUID

import fastavro
import pyarrow as pa
from google.protobuf import descriptor_pb2, descriptor_pool
from google.protobuf.message_factory import GetMessageClass
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import BOOL, FLOAT8, INT8, TEXT
from ptvc.storage.debezium.avro import DebeziumAvro
from ptvc.storage.debezium.json import DebeziumJson
from ptvc.storage.decode import Decoded
from ptvc.storage.formats.avro.container import Container
from ptvc.storage.formats.avro.format import AvroFormat
from ptvc.storage.formats.protobuf.format import ProtobufFormat
from ptvc.storage.formats.schemas import SchemaText
from ptvc.storage.source.avro_records import AvroPiece, AvroRecords
from rich.table import Table

from ..measure import Latencies, load
from ..report import ms, new_table, shows

PAYLOADS = 50_000
REPEATS = 7
_FILE_SHARES = 3
"""A source reads more of a file at once than of messages."""
_HEADER = b"\0\0\0\0\1"
_BLOCK_BYTES = 64_000
"""As Java's writers have them."""
_SOURCE_FIELDS = ("version", "connector", "name", "db", "schema", "table")

ROW = {
    "type": "record",
    "name": "Value",
    "fields": [
        {"name": "id", "type": "long"},
        {"name": "name", "type": "string"},
        {"name": "price", "type": "double"},
        {"name": "stock", "type": ["null", "long"], "default": None},
        {"name": "at", "type": {"type": "long", "logicalType": "timestamp-micros"}},
        {"name": "active", "type": "boolean"},
    ],
}
ENVELOPE = {
    "type": "record",
    "name": "Envelope",
    "fields": [
        {"name": "before", "type": ["null", ROW], "default": None},
        {"name": "after", "type": ["null", "Value"], "default": None},
        {
            "name": "source",
            "type": {
                "type": "record",
                "name": "Source",
                "fields": [
                    *({"name": name, "type": "string"} for name in _SOURCE_FIELDS),
                    {"name": "lsn", "type": ["null", "long"], "default": None},
                ],
            },
        },
        {"name": "op", "type": "string"},
        {"name": "ts_ms", "type": ["null", "long"], "default": None},
    ],
}
_COLUMNS = Schema(
    tuple(
        Column(name, type_)
        for name, type_ in (
            ("id", INT8),
            ("name", TEXT),
            ("price", FLOAT8),
            ("stock", INT8),
            ("at", INT8),
            ("active", BOOL),
        )
    )
)


@dataclass(frozen=True, slots=True)
class FormatResult:
    """Batches of `payloads` payloads of `bytes_each` bytes."""

    format: str
    payloads: int
    bytes_each: float
    batch: Latencies
    load_1min: float

    @property
    def per_second(self) -> float:
        return self.payloads / (self.batch.median_ms / 1e3)


class _OneSchema:
    def __init__(self, schema: Any) -> None:
        self._text = SchemaText(json.dumps(schema))

    def schema(self, id_: int | UUID) -> SchemaText:
        return self._text


def run_formats(payloads: int = PAYLOADS, repeats: int = REPEATS) -> list[FormatResult]:
    """Raises AssertionError if a format does not make the rows that went in."""
    rows = _rows(payloads)
    flat = _avro(ROW, rows)
    avro = AvroFormat(SchemaText(json.dumps(ROW)), _OneSchema(ROW), "value")
    events = [_event(row) for row in rows]
    debezium = DebeziumAvro(SchemaText(json.dumps(ENVELOPE)), _OneSchema(ENVELOPE))
    in_json = DebeziumJson(_COLUMNS)
    descriptor_set, messages = _messages(rows)
    protobuf = ProtobufFormat(descriptor_set, "p.Row")
    parsed = fastavro.parse_schema(ROW)

    read: Callable[..., Any] = fastavro.schemaless_reader
    read_file: Callable[..., Any] = fastavro.reader

    def one_by_one(given: pa.Array) -> list[int]:
        readers = (io.BytesIO(payload[len(_HEADER) :]) for payload in given.to_pylist())
        return [read(reader, parsed, None)["id"] for reader in readers]

    in_file = _rows(_FILE_SHARES * payloads)
    file = _avro_file(in_file)
    records = AvroRecords(_COLUMNS)

    def of_file(given: pa.Array) -> Decoded:
        container = Container(io.BytesIO(file), len(file))
        run = container.read(container.begin, len(file) * 100)
        assert run.blocks is not None
        return records.decode(AvroPiece("f", container.schema, 1, run.blocks))

    def of_file_one_by_one(given: pa.Array) -> list[int]:
        return [row["id"] for row in read_file(io.BytesIO(file))]

    return [
        _measured("avro, a file", of_file, lambda d: d.columns[0].to_pylist(), _avro(ROW, in_file), repeats),
        _measured("avro, a file, by fastavro", of_file_one_by_one, list, _avro(ROW, in_file), repeats),
        _measured("avro", avro.decode, lambda d: d.columns[0].to_pylist(), flat, repeats),
        _measured("avro, by fastavro", one_by_one, list, flat, repeats),
        _measured(
            "debezium, avro",
            debezium.decode,
            lambda d: d.payloads.columns[0].to_pylist(),
            _avro(ENVELOPE, events),
            repeats,
        ),
        _measured(
            "debezium, json",
            in_json.decode,
            lambda d: d.payloads.columns[0].to_pylist(),
            [json.dumps(event).encode() for event in events],
            repeats,
        ),
        _measured("protobuf", protobuf.decode, lambda d: d.columns[0].to_pylist(), messages, repeats),
    ]


def _measured(
    name: str,
    decode: Callable[[pa.Array], Any],
    ids: Callable[[Any], list[int]],
    payloads: list[bytes],
    repeats: int,
) -> FormatResult:
    batch = pa.array(payloads, pa.large_binary())
    assert ids(decode(batch)) == list(range(len(payloads))), f"{name} reads other rows than were written"
    seconds = []
    cpu = time.process_time()
    for _ in range(repeats):
        started = time.perf_counter()
        decode(batch)
        seconds.append(time.perf_counter() - started)
    cpu = time.process_time() - cpu
    each = sum(map(len, payloads)) / len(payloads)
    return FormatResult(name, len(payloads), each, Latencies.of(seconds, cpu), load())


def _rows(count: int) -> list[dict[str, Any]]:
    random = Random(1)
    return [
        {
            "id": number,
            "name": f"customer {random.randrange(10**9)}",
            "price": random.random() * 1000,
            "stock": None if random.random() < 0.3 else random.randrange(10**6),
            "at": 1_700_000_000_000_000 + number * 1000,
            "active": random.random() < 0.5,
        }
        for number in range(count)
    ]


def _event(row: dict[str, Any]) -> dict[str, Any]:
    source = {name: f"{name} of the source" for name in _SOURCE_FIELDS} | {"lsn": 24_023_128 + row["id"]}
    return {"before": None, "after": row, "source": source, "op": "c", "ts_ms": 1_700_000_000_123}


def _avro(schema: Any, values: list[dict[str, Any]]) -> list[bytes]:
    # Without logical types fastavro takes the numbers that are written.
    parsed = fastavro.parse_schema(
        json.loads(json.dumps(schema).replace('"logicalType": "timestamp-micros"', '"x": 0'))
    )
    payloads = []
    for value in values:
        sink = io.BytesIO(_HEADER)
        sink.seek(len(_HEADER))
        fastavro.schemaless_writer(sink, parsed, value)
        payloads.append(sink.getvalue())
    return payloads


def _avro_file(rows: list[dict[str, Any]]) -> bytes:
    sink = io.BytesIO()
    plain = json.loads(json.dumps(ROW).replace('"logicalType": "timestamp-micros"', '"x": 0'))
    fastavro.writer(sink, plain, rows, "deflate", _BLOCK_BYTES)
    return sink.getvalue()


def _messages(rows: list[dict[str, Any]]) -> tuple[bytes, list[bytes]]:
    """A descriptor set with `p.Row`, and the rows as its messages."""
    file = descriptor_pb2.FileDescriptorProto(name="row.proto", package="p", syntax="proto3")
    message = file.message_type.add(name="Row")
    field = descriptor_pb2.FieldDescriptorProto
    types = {
        "id": field.TYPE_INT64,
        "name": field.TYPE_STRING,
        "price": field.TYPE_DOUBLE,
        "stock": field.TYPE_INT64,
        "at": field.TYPE_INT64,
        "active": field.TYPE_BOOL,
    }
    for number, (name, type_) in enumerate(types.items()):
        message.field.add(name=name, number=number + 1, type=type_, label=field.LABEL_OPTIONAL)
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(file.SerializeToString())
    made = GetMessageClass(pool.FindMessageTypeByName("p.Row"))
    descriptor_set = descriptor_pb2.FileDescriptorSet(file=[file]).SerializeToString()
    return descriptor_set, [made(**row).SerializeToString() for row in rows]


@shows(FormatResult)
def _formats_table(results: list[FormatResult]) -> Table:
    table = new_table("Formats of messages", "format", "bytes each", "median ms", "max", "payloads/s", "load")
    for r in results:
        table.add_row(
            r.format,
            f"{r.bytes_each:.0f}",
            *map(ms, (r.batch.median_ms, r.batch.max_ms)),
            f"{r.per_second:,.0f}",
            f"{r.load_1min:.1f}",
        )
    return table
