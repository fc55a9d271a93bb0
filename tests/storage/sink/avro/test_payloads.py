"""Payloads of random rows: fastavro reads what was written, by the schema that is registered, and so do KAFKA sources."""

from __future__ import annotations

import datetime
import json
import math
import uuid
from decimal import Decimal
from random import Random
from typing import Any

import numpy as np
import pytest
from ptvc.repr.batch import Batch, batch_from_rows
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import DATE, INT4, INT8, TEXT, TIMESTAMP, UUID, Kind, ScalarType
from ptvc.storage.debezium.avro import DebeziumAvro
from ptvc.storage.formats.avro.format import AvroFormat
from ptvc.storage.formats.schemas import SchemaText
from ptvc.storage.sink.avro.encoding import varints
from ptvc.storage.sink.avro.payloads import AvroPayloads
from ptvc.storage.sink.avro.types import RowType, change_record, schema_text
from ptvc.storage.sink.change_records import ABSENT, ChangeRecords, SinkEnvelope, change_records
from ptvc.storage.sink.contract import Unwritable

from .cases import Cases, plain, read

HEADER = b"\x00\x00\x00\x01\x02"
ID = 0x102


class Known:
    """A registry that knows one schema."""

    def __init__(self, text: str) -> None:
        self._text = SchemaText(text)

    def schema(self, id_: int) -> SchemaText | None:
        return self._text if id_ == ID else None


def row_type(schema: Schema) -> RowType:
    required = frozenset(i for i, column in enumerate(schema) if not column.nullable)
    return RowType(schema, tuple(range(len(schema))), required)


def same(found: Any, wanted: Any) -> bool:
    """NaN and signs of zeros are told apart."""
    if isinstance(wanted, dict):
        return found.keys() == wanted.keys() and all(same(found[key], wanted[key]) for key in wanted)
    if isinstance(wanted, list):
        return len(found) == len(wanted) and all(map(same, found, wanted))
    if isinstance(wanted, float):
        return math.copysign(1, found) == math.copysign(1, wanted) and found == wanted
    return type(found) is type(wanted) and bool(found == wanted)


@pytest.mark.parametrize("seed", range(40))
def test_fastavro_reads_random_rows(seed: int) -> None:
    cases = Cases(seed)
    schema = cases.schema()
    row = row_type(schema)
    batch, reads = cases.rows(schema, cases.random.choice([1, 3, 50, 300]))
    rows = np.array([cases.random.randrange(-1, len(batch)) for _ in range(len(batch) + 5)])
    payloads = AvroPayloads(row, ID).rows(batch, rows).to_pylist()
    written = row.record("a.b.r", null_defaults=seed % 2 == 0)
    for payload, number in zip(payloads, rows.tolist(), strict=True):
        if number == ABSENT:
            assert payload is None
        else:
            assert payload[:5] == HEADER
            assert same(read(plain(written), payload[5:]), reads[number])


@pytest.mark.parametrize("seed", range(20))
def test_fastavro_reads_random_changes(seed: int) -> None:
    cases = Cases(seed)
    schema = cases.schema()
    row = row_type(schema)
    batch, reads = cases.rows(schema, 40)
    count = cases.random.choice([1, 60])
    sides = [np.array([cases.random.randrange(-1, 40) for _ in range(count)]) for _ in range(2)]
    if seed % 4 == 0:
        sides[seed // 4 % 2][:] = ABSENT
    zeros = np.zeros(count, np.int64)
    records = ChangeRecords(sides[0], sides[1], zeros, zeros.astype(np.uint64), zeros)
    written = change_record(row, "a.b.Change", null_defaults=seed % 2 == 0)
    payloads = AvroPayloads(row, ID).changes(batch, records).to_pylist()
    assert len(payloads) == count
    for payload, before, after in zip(payloads, *(side.tolist() for side in sides), strict=True):
        assert payload[:5] == HEADER
        wanted = {
            "before": None if before == ABSENT else reads[before],
            "after": None if after == ABSENT else reads[after],
        }
        assert same(read(plain(written), payload[5:]), wanted)


@pytest.mark.parametrize("seed", range(10))
def test_a_source_reads_the_same_rows(seed: int) -> None:
    """Columns whose types a source gives back as they were."""
    cases = Cases(seed)
    lossless = [
        column
        for column in cases.schema()
        if column.type.leaf.kind
        in (Kind.BOOL, Kind.INT4, Kind.INT8, Kind.FLOAT8, Kind.NUMERIC, Kind.TEXT, Kind.BYTEA, Kind.UUID)
        and column.type.element is None
    ]
    schema = Schema((Column("k", INT8, False), *lossless, Column("d", ScalarType(Kind.NUMERIC, 12, 4))))
    row = row_type(schema)
    batch, _ = cases.rows(schema, 100)
    everything = np.arange(100)
    text = schema_text(row.record("r", null_defaults=False))
    found = AvroFormat(SchemaText(text), Known(text), "value").decode(
        AvroPayloads(row, ID).rows(batch, everything).cast("large_binary")
    )
    assert not len(found.errors)
    assert [column.to_pylist() for column in found.columns] == [
        column.to_pylist() for column in batch.columns
    ]
    changes = Batch(batch.columns, batch.times, np.where(everything % 3 == 0, -1, 1))
    records = change_records(schema, changes, SinkEnvelope.DEBEZIUM, ())
    text = schema_text(change_record(row, "change", null_defaults=True))
    events = DebeziumAvro(SchemaText(text), Known(text)).decode(
        AvroPayloads(row, ID).changes(batch, records).cast("large_binary")
    )
    assert not len(events.payloads.errors)
    assert events.present.tolist() == (records.after != ABSENT).tolist()
    there = records.after[records.after != ABSENT]
    for given, decoded in zip(batch.columns, events.payloads.columns, strict=True):
        assert decoded.filter(events.present).to_pylist() == given.take(there).to_pylist()


def test_logical_types() -> None:
    schema = Schema(
        (
            Column("d", DATE),
            Column("t", TIMESTAMP),
            Column("n", ScalarType(Kind.NUMERIC, 6, 2)),
            Column("u", UUID),
        )
    )
    at = datetime.datetime(1969, 12, 31, 23, 59, 59, 999_999)
    id_ = uuid.UUID(int=5)
    batch = batch_from_rows(schema, [(datetime.date(1, 1, 1), at, Decimal("-12.30"), id_.bytes)], 1)
    row = row_type(schema)
    (payload,) = AvroPayloads(row, ID).rows(batch, np.array([0])).to_pylist()
    assert read(row.record("r", null_defaults=False), payload[5:]) == {
        "d": datetime.date(1, 1, 1),
        "t": at.replace(tzinfo=datetime.UTC),
        "n": Decimal("-12.30"),
        "u": id_,
    }


def test_varints_of_every_length() -> None:
    random = Random(7)
    numbers = [sign * (1 << bits) + off for bits in range(63) for sign in (1, -1) for off in (-1, 0)]
    numbers += [-(1 << 63), (1 << 63) - 1, *(random.getrandbits(63) for _ in range(100))]
    for chosen in (numbers, numbers[:4], [5] * 10, [-(1 << 63)] * 3):
        found = varints(np.array(chosen, np.int64)).to_pylist()
        assert [read("long", payload) for payload in found] == chosen


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        (
            Column("v", INT4, False),
            None,
            'column "v" is NULL, and the sink\'s Avro schema says that it never is',
        ),
        (Column("v", DATE), (1 << 31) - 1, 'column "v" is infinite, which Avro has no date for'),
        (
            Column("v", TIMESTAMP),
            -(1 << 63),
            'column "v" is infinite, which Avro has no timestamp without time zone for',
        ),
    ],
)
def test_rows_that_have_no_payload(column: Column, value: Any, message: str) -> None:
    schema = Schema((Column("k", TEXT), column))
    batch = batch_from_rows(schema, [("a", 1), ("b", value)], 1)
    payloads = AvroPayloads(row_type(schema), ID)
    assert payloads.rows(batch, np.array([0, ABSENT])).null_count == 1
    with pytest.raises(Unwritable) as refused:
        payloads.rows(batch, np.array([0, 1]))
    assert refused.value.message == message


def test_a_schema_has_one_text() -> None:
    schema = Schema((Column("k", INT4, False), Column("v", TEXT)))
    row = row_type(schema)
    assert json.loads(schema_text(row.record("com.x.Row", null_defaults=True))) == {
        "type": "record",
        "name": "Row",
        "namespace": "com.x",
        "fields": [
            {"name": "k", "type": "int"},
            {"name": "v", "type": ["null", "string"], "default": None},
        ],
    }
