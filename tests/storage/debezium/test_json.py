"""Change events in JSON, as Debezium's connectors write them with and without `schemas.enable`."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT4, JSONB, NUMERIC, TEXT
from ptvc.storage.debezium.contract import DecodedEvents
from ptvc.storage.debezium.json import DebeziumJson, DebeziumJsonKey
from ptvc.storage.decode import WHOLE_RECORD

from ..formats.avro.cases import binary

PLAIN = Schema((Column("id", INT4), Column("op", TEXT), Column("amount", NUMERIC)))
WITH_DOCUMENT = Schema((*PLAIN.columns, Column("doc", JSONB)))
DESCRIPTION = {
    "type": "struct",
    "fields": [
        {"type": "struct", "fields": [{"type": "int32", "field": "id"}], "optional": True, "field": "after"}
    ],
    "name": "pg.public.t.Envelope",
}
ROW = {"id": 1, "op": "mine", "amount": "1.50", "doc": {"a": [1]}, "other": [1, {"x": 2}]}
RECORDED = (
    '{"before":null,"after":{"id":1004,"first_name":"Anne","amount":"12.50"},"source":{"version":"3.0.0.Final",'
    '"connector":"postgresql","name":"dbserver1","ts_ms":1700000000000,"snapshot":"false","db":"postgres",'
    '"sequence":"[\\"24023119\\",\\"24023128\\"]","schema":"public","table":"customers","txId":555,"lsn":24023128,'
    '"xmin":null},"transaction":null,"op":"c","ts_ms":1700000000123}'
)


def event(op: str | None, after: Any, **more: Any) -> dict[str, Any]:
    return {"before": None, "after": after, "source": {"lsn": 1}, "op": op, "ts_ms": 5, **more}


def framed(payload: Any) -> dict[str, Any]:
    return {"schema": DESCRIPTION, "payload": payload}


def decode(schema: Schema, *events: Any) -> DecodedEvents:
    payloads = [e if isinstance(e, bytes) else json.dumps(e).encode() for e in events]
    return DebeziumJson(schema).decode(binary(payloads))


def rows(found: DecodedEvents) -> list[tuple[Any, ...]]:
    return list(zip(*(column.to_pylist() for column in found.payloads.columns), strict=True))


def failures(found: DecodedEvents) -> list[tuple[int, int, str]]:
    errors = found.payloads.errors
    return list(zip(errors.rows.tolist(), errors.columns.tolist(), errors.reasons.to_pylist(), strict=True))


@pytest.mark.parametrize("schema", [PLAIN, WITH_DOCUMENT], ids=["in columns", "one by one"])
@pytest.mark.parametrize("form", ["bare", "framed", "mixed"])
def test_operations(schema: Schema, form: str) -> None:
    events = [
        event("r", ROW),
        event("c", {"id": 2}),
        event("u", ROW),
        event("d", None),
        event("d", None, before=ROW),
    ]
    given = [
        framed(e) if form == "framed" or (form == "mixed" and i % 2) else e for i, e in enumerate(events)
    ]
    found = decode(schema, *given)
    assert failures(found) == []
    assert found.present.tolist() == [True, True, True, False, False]
    shown = [[None if v is None else str(v) for v in row[:3]] for row in rows(found)]
    assert shown[0][:2] == shown[2][:2] == ["1", "mine"]
    assert float(shown[0][2] or 0) == 1.5
    assert shown[1] == ["2", None, None]
    assert shown[3:] == [[None] * 3] * 2
    if schema is WITH_DOCUMENT:
        assert rows(found)[0][3] == '{"a": [1]}'


def test_as_recorded() -> None:
    found = decode(PLAIN, RECORDED.encode())
    assert (found.present.tolist(), failures(found)) == ([True], [])
    assert [str(value) for value in rows(found)[0][:2]] == ["1004", "None"]


def test_nothing_is_there() -> None:
    """What some converters write in place of a tombstone."""
    found = decode(PLAIN, framed(None), {"payload": None})
    assert (found.present.tolist(), failures(found)) == ([False, False], [])


def test_events_without_an_operation() -> None:
    found = decode(PLAIN, {"after": ROW}, {"after": None}, {"before": None})
    assert found.present.tolist() == [True, False, False]
    assert [failure[:2] for failure in failures(found)] == [(2, WHOLE_RECORD)]
    assert 'neither "after" nor "op"' in failures(found)[0][2]


def test_what_is_no_change_of_a_row() -> None:
    found = decode(
        PLAIN,
        event("t", None),
        event("c", None),
        event("d", ROW),
        event("x", ROW),
        event("u", [1]),
        ROW | {"op": None},
        {"payload": 5},
        5,
        b"{",
        {},
        event({"a": 1}, ROW),
        event("u", ROW),
    )
    assert [failure[:2] for failure in failures(found)] == [
        *((row, WHOLE_RECORD) for row in range(5)),
        *((row, WHOLE_RECORD) for row in range(6, 11)),
    ]
    reasons = [reason for _, _, reason in failures(found)]
    assert "truncated upstream" in reasons[0]
    assert reasons[4] == 'the "after" of a change event is neither an object nor null'
    assert rows(found)[11][0] == 1


def test_a_row_is_taken_for_no_event() -> None:
    found = decode(PLAIN, {"id": 1, "amount": 2})
    assert [failure[:2] for failure in failures(found)] == [(0, WHOLE_RECORD)]


def test_values_that_do_not_fit_or_were_not_sent() -> None:
    found = decode(PLAIN, event("u", {"id": "x", "op": "__debezium_unavailable_value"}), event("u", ROW))
    assert [failure[:2] for failure in failures(found)] == [(0, 0), (0, 1)]
    assert "REPLICA IDENTITY FULL" in failures(found)[1][2]


@pytest.mark.parametrize("seed", range(10))
def test_neighbours_do_not_matter(seed: int) -> None:
    random = Random(seed)

    def any_event() -> bytes:
        after = random.choice((None, ROW, {"id": random.randint(-9, 9)}, {"id": "y"}, {"amount": 1e400}, 7))
        made = event(random.choice(("r", "c", "u", "d", "t", None)), after)
        text = json.dumps(framed(made) if random.random() < 0.5 else made).encode()
        at = random.randrange(len(text))
        return text if random.random() < 0.8 else text[:at] + text[at + 1 :]

    payloads = [any_event() for _ in range(100)]
    together = decode(PLAIN, *payloads)
    for number, payload in enumerate(payloads):
        alone = decode(PLAIN, payload)
        assert repr(rows(alone)[0]) == repr(rows(together)[number])
        assert alone.present[0] == together.present[number]
        assert [f[1:] for f in failures(alone)] == [f[1:] for f in failures(together) if f[0] == number]


def keys(schema: Schema, *payloads: Any) -> tuple[list[tuple[Any, ...]], list[tuple[int, int, str]]]:
    found = DebeziumJsonKey(schema).decode(
        binary([p if isinstance(p, bytes) else json.dumps(p).encode() for p in payloads])
    )
    errors = found.errors
    shown = list(zip(errors.rows.tolist(), errors.columns.tolist(), errors.reasons.to_pylist(), strict=True))
    return list(zip(*(column.to_pylist() for column in found.columns), strict=True)), shown


def test_keys_alone_and_beside_a_schema() -> None:
    schema = Schema((Column("id", INT4), Column("region", TEXT)))
    row = {"id": 1, "region": "eu"}
    assert keys(schema, row, {"id": 2}) == ([(1, "eu"), (2, None)], [])
    assert keys(schema, framed(row), row, framed({"id": 3})) == ([(1, "eu"), (1, "eu"), (3, None)], [])
    rows_, errors = keys(schema, framed(5), framed({"id": "x"}), b"{", framed(row))
    assert (rows_[3], [error[:2] for error in errors]) == (
        (1, "eu"),
        [(0, WHOLE_RECORD), (1, 0), (2, WHOLE_RECORD)],
    )


def test_a_key_with_a_column_called_payload() -> None:
    schema = Schema((Column("payload", TEXT),))
    assert keys(schema, {"payload": "x"}) == ([("x",)], [])
