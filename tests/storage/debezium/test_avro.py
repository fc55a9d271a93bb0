"""Change events as Debezium's PostgreSQL connector writes them with Confluent's converter."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ptvc.errors import InvalidParameter
from ptvc.storage.debezium.avro import DebeziumAvro
from ptvc.storage.debezium.contract import DecodedEvents
from ptvc.storage.decode import WHOLE_RECORD
from ptvc.storage.formats.schemas import SchemaText

from ..formats.avro.cases import binary, written


def connect(type_: str, name: str, **more: Any) -> dict[str, Any]:
    return {"type": type_, "connect.version": 1, "connect.name": name, **more}


VALUE = {
    "type": "record",
    "name": "Value",
    "fields": [
        {"name": "id", "type": {"type": "int", "connect.default": 0}, "default": 0},
        {"name": "name", "type": ["null", "string"], "default": None},
        {"name": "day", "type": ["null", connect("int", "io.debezium.time.Date")], "default": None},
        {"name": "at", "type": ["null", connect("long", "io.debezium.time.MicroTimestamp")], "default": None},
        {
            "name": "zoned",
            "type": ["null", connect("string", "io.debezium.time.ZonedTimestamp")],
            "default": None,
        },
        {"name": "doc", "type": ["null", connect("string", "io.debezium.data.Json")], "default": None},
        {
            "name": "amount",
            "type": [
                "null",
                connect(
                    "bytes",
                    "org.apache.kafka.connect.data.Decimal",
                    logicalType="decimal",
                    precision=8,
                    scale=2,
                ),
            ],
            "default": None,
        },
    ],
    "connect.name": "pg.public.t.Value",
}
ENVELOPE = {
    "type": "record",
    "name": "Envelope",
    "namespace": "pg.public.t",
    "fields": [
        {"name": "before", "type": ["null", VALUE], "default": None},
        {"name": "after", "type": ["null", "Value"], "default": None},
        {
            "name": "source",
            "type": {
                "type": "record",
                "name": "Source",
                "namespace": "io.debezium.connector.postgresql",
                "fields": [
                    {"name": "version", "type": "string"},
                    {"name": "lsn", "type": ["null", "long"], "default": None},
                    {
                        "name": "snapshot",
                        "type": [connect("string", "io.debezium.data.Enum"), "null"],
                        "default": "false",
                    },
                ],
            },
        },
        {"name": "op", "type": "string"},
        {"name": "ts_ms", "type": ["null", "long"], "default": None},
    ],
    "connect.name": "pg.public.t.Envelope",
}
ROW = {
    "id": 1,
    "name": "Ada",
    "day": 19_000,
    "at": 1_700_000_000_000_001,
    "zoned": "2024-01-02T03:04:05.5Z",
    "doc": '{"b": 1, "a": [2]}',
    "amount": b"\x01\x00",
}


class One:
    """A registry of one schema, 5."""

    def schema(self, id_: int) -> SchemaText | None:
        return SchemaText(json.dumps(ENVELOPE)) if id_ == 5 else None


def event(op: str, before: dict[str, Any] | None, after: dict[str, Any] | None) -> bytes:
    source = {"version": "3.0.0.Final", "lsn": 24023128, "snapshot": "false"}
    value = {"before": before, "after": after, "source": source, "op": op, "ts_ms": None}
    return b"\0\0\0\0\5" + written(_raw_decimals(ENVELOPE), value)


def _raw_decimals(schema: Any) -> Any:
    return json.loads(json.dumps(schema).replace('"logicalType": "decimal", ', ""))


def decode(*payloads: bytes) -> DecodedEvents:
    return DebeziumAvro(SchemaText(json.dumps(ENVELOPE)), One()).decode(binary(list(payloads)))


def rows(found: DecodedEvents) -> list[tuple[Any, ...]]:
    return list(zip(*(column.to_pylist() for column in found.payloads.columns), strict=True))


def failures(found: DecodedEvents) -> list[tuple[int, int, str]]:
    errors = found.payloads.errors
    return list(zip(errors.rows.tolist(), errors.columns.tolist(), errors.reasons.to_pylist(), strict=True))


def test_columns_are_those_of_after() -> None:
    schema = DebeziumAvro(SchemaText(json.dumps(ENVELOPE)), One()).schema
    assert [(column.name, str(column.type), column.nullable) for column in schema] == [
        ("id", "integer", False),
        ("name", "text", True),
        ("day", "date", True),
        ("at", "timestamp without time zone", True),
        ("zoned", "timestamp with time zone", True),
        ("doc", "jsonb", True),
        ("amount", "numeric(8,2)", True),
    ]


def test_operations() -> None:
    other = dict.fromkeys(ROW) | {"id": 2}
    found = decode(
        event("r", None, ROW), event("c", None, other), event("u", other, ROW), event("d", ROW, None)
    )
    assert failures(found) == []
    assert found.present.tolist() == [True, True, True, False]
    first, second, third, deleted = rows(found)
    assert [str(value) for value in first] == [
        "1",
        "Ada",
        "2022-01-08",
        "2023-11-14 22:13:20.000001",
        "2024-01-02 03:04:05.500000+00:00",
        '{"a": [2], "b": 1}',
        "2.56",
    ]
    assert third == first
    assert second == (2, *[None] * 6)
    assert deleted == (None,) * 7


def test_what_is_no_change_of_a_row() -> None:
    found = decode(
        event("t", None, None), event("c", None, None), event("d", None, ROW), event("m", None, ROW), b""
    )
    assert [(row, column) for row, column, _ in failures(found)] == [(row, WHOLE_RECORD) for row in range(5)]
    truncated, *others = [reason for _, _, reason in failures(found)]
    assert "truncated upstream" in truncated
    assert others == [
        'a change event of operation "c" has no row after it',
        'a change event of operation "d" has a row after it',
        '"m" is no operation of a change event',
        "0 bytes are too few for the id of a schema",
    ]
    assert found.payloads.errors.sqlstates[0].as_py() == "0A000"


def test_values_that_were_not_sent() -> None:
    found = decode(event("u", None, ROW | {"name": "__debezium_unavailable_value"}), event("u", None, ROW))
    assert [(row, column) for row, column, _ in failures(found)] == [(0, 1)]
    assert "REPLICA IDENTITY FULL" in failures(found)[0][2]


def test_events_without_an_operation() -> None:
    schema = {**ENVELOPE, "fields": [f for f in ENVELOPE["fields"] if f["name"] in ("before", "after")]}

    class Other:
        def schema(self, id_: int) -> SchemaText:
            return SchemaText(json.dumps(schema))

    format_ = DebeziumAvro(SchemaText(json.dumps(schema)), Other())
    payloads = [
        b"\0\0\0\0\5" + written(_raw_decimals(schema), {"before": None, "after": after})
        for after in (ROW, None)
    ]
    found = format_.decode(binary(payloads))
    assert (found.present.tolist(), failures(found)) == ([True, False], [])


@pytest.mark.parametrize(
    "schema", ["string", VALUE, {**ENVELOPE, "fields": [{"name": "after", "type": "string"}]}]
)
def test_what_is_no_envelope(schema: Any) -> None:
    with pytest.raises(InvalidParameter, match="no envelope of Debezium"):
        DebeziumAvro(SchemaText(json.dumps(schema)), One())
