"""JSON lines: both paths mean the same, and every error names file, line, column and value."""

from __future__ import annotations

import datetime
import json
from decimal import Decimal
from random import Random

import pytest
from ptvc.errors import Unsupported
from ptvc.expr.text.text_output import to_text
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import (
    BOOL,
    DATE,
    FLOAT4,
    FLOAT8,
    INT2,
    INT4,
    INT8,
    JSONB,
    NUMERIC,
    TEXT,
    TIMESTAMP,
    TIMESTAMPTZ,
    UINT4,
    UINT8,
    Kind,
    ScalarType,
    array_of,
)
from ptvc.storage.decode import Decoded, concat_decoded
from ptvc.storage.decode_json import JsonDecoder

SCHEMA = Schema(
    (
        Column("k", INT4),
        Column("s", INT2),
        Column("l", INT8),
        Column("f", FLOAT8),
        Column("r", FLOAT4),
        Column("n", ScalarType(Kind.NUMERIC, 6, 2)),
        Column("u", NUMERIC),
        Column("b", BOOL),
        Column("t", TEXT),
        Column("v", ScalarType(Kind.VARCHAR, length=3)),
        Column("d", DATE),
        Column("ts", TIMESTAMP),
        Column("tz", TIMESTAMPTZ),
    )
)


class SlowDecoder(JsonDecoder):
    """The definition: nothing goes through pyarrow's parser."""

    def _parse(self, lines: object) -> None:
        return None


def rows(decoded: Decoded) -> list[tuple[object, ...]]:
    return [tuple(row) for row in zip(*(column.to_pylist() for column in decoded.columns), strict=True)]


def shown(decoded: Decoded) -> list[str]:
    """The columns as text, in which NaN equals itself, and which dates have that Python does not."""
    return [
        repr(to_text(column, type_).to_pylist())
        for column, type_ in zip(decoded.columns, SCHEMA.types, strict=True)
    ]


def errors(decoded: Decoded) -> list[tuple[int, int, str, str]]:
    found = decoded.errors
    return list(
        zip(
            found.rows.tolist(),
            found.columns.tolist(),
            found.sqlstates.to_pylist(),
            found.messages.to_pylist(),
            strict=True,
        )
    )


def one_column(type_: ScalarType, *values: str) -> Decoded:
    """Each of `values` (JSON text) in a column `c` of its own record."""
    data = "".join(f'{{"c": {value}}}\n' for value in values).encode()
    return JsonDecoder(Schema((Column("c", type_),))).decode(data, "x.jsonl", 1)


def messages(decoded: Decoded) -> list[str]:
    return [entry[3].split(": ", 2)[-1] for entry in errors(decoded)]


VALUES = [
    "0", "1", "-7", "32767", "32768", "2147483648", "9223372036854775807", "9223372036854775808", "1.0", "1.005",
    "1234.56", "9999.994", "9999.995", "10000", "-0", "1e2", "1e-3", "1e400", "1e-400", "NaN", "Infinity", "-Infinity",
    "null", "true", "false", '"abc"', '"12"', '" 12 "', '"1e3"', '""', '"yes"', '"a\\u0000b"', '"\\ud800"', '"\\ud83d\\ude00"',
    '"x\\ny"', '"2024-02-29"', '"2024-02-30"', '"2024-01-01T10:00:00Z"', '"2024-01-01 10:00:00.1234567+02"', '"infinity"',
    '"NaN"', "[1]", '{"a": 1}', "01", "tru", '"unterminated', "123456789012345678901234567890.5", "0.1234567890123456789",
]  # fmt: skip


def random_line(random: Random) -> bytes:
    if random.random() < 0.06:
        return random.choice(
            [b"", b"  ", b"nonsense", b"[1, 2]", b'{"k": 1', b'{"k": 1} {"k": 2}', b'"k"', b"null", b"{}", b'{"t": "\xff"}',
             b'{"zz": ' + b"[" * 5000 + b"]" * 5000 + b"}", b'{"zz": NaN}', b'  {"k": 5}  ', b'{"k": 1, "k": 2}']
        )  # fmt: skip
    names = [column.name for column in SCHEMA if random.random() < 0.4]
    if random.random() < 0.7:
        good = {"k": "5", "s": "6", "l": "7", "f": "1.5", "r": "0.1", "n": "12.34", "u": "5.5", "b": "true",
                "t": '"text"', "v": '"abc"', "d": '"2024-01-02"', "ts": '"2024-01-02 03:04:05"', "tz": '"2024-01-02T03:04:05Z"'}  # fmt: skip
        values = [good[name] for name in names]
    else:
        values = [random.choice(VALUES) for _ in names]
    fields = [f'"{name}": {value}' for name, value in zip(names, values, strict=True)]
    if random.random() < 0.3:
        fields.insert(random.randrange(len(fields) + 1), '"unknown": {"a": [1, "x"]}')
    return ("{" + ", ".join(fields) + "}").encode()


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("key", [(), (0,)])
def test_bulk_slow_and_line_by_line_agree(seed: int, key: tuple[int, ...]) -> None:
    random = Random(seed)
    lines = [random_line(random) for _ in range(120)]
    end = random.choice([b"\n", b"\r\n"])
    data = b"".join(line + end for line in lines)
    bulk = JsonDecoder(SCHEMA, key).decode(data, "x.jsonl", 1)
    slow = SlowDecoder(SCHEMA, key).decode(data, "x.jsonl", 1)
    single = concat_decoded(
        [JsonDecoder(SCHEMA, key).decode(line + end, "x.jsonl", i + 1) for i, line in enumerate(lines)]
    )
    assert len(bulk) >= 100
    for other in (slow, single):
        assert shown(other) == shown(bulk)
        assert errors(other) == errors(bulk)
        assert other.lines.tolist() == bulk.lines.tolist()
        assert other.present.tolist() == bulk.present.tolist()


def test_values_have_exact_types() -> None:
    line = {
        "k": 1,
        "l": 2**63 - 1,
        "f": 0.1,
        "n": 1.25,
        "b": False,
        "t": "ü",
        "d": "2024-02-29",
        "tz": "2024-01-01T02:00:00+02",
    }
    decoded = JsonDecoder(SCHEMA).decode(json.dumps(line).encode() + b"\n", "x.jsonl", 1)
    row = dict(zip(SCHEMA.names, rows(decoded)[0], strict=True))
    assert errors(decoded) == []
    assert (row["k"], row["l"], row["f"], row["n"], row["b"], row["t"]) == (
        1,
        2**63 - 1,
        0.1,
        Decimal("1.25"),
        False,
        "ü",
    )
    assert row["d"] == datetime.date(2024, 2, 29)
    assert row["tz"] == datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC)
    assert row["s"] is None  # missing


def test_numeric_does_not_go_through_floats() -> None:
    decoded = one_column(NUMERIC, "0.1234567890123456789", "123456789012345678901234567890.5")
    assert decoded.columns[0].to_pylist() == [
        Decimal("0.1234567890123456789"),
        Decimal("123456789012345678901234567890.5"),
    ]
    assert one_column(ScalarType(Kind.NUMERIC, 4, 2), "1.005", "-1.005").columns[0].to_pylist() == [
        Decimal("1.01"),
        Decimal("-1.01"),
    ]


@pytest.mark.parametrize(
    ("type_", "value", "sqlstate"),
    [
        (INT4, "2147483648", "22003"),
        (INT2, "32768", "22003"),
        (UINT4, "-1", "22003"),
        (UINT8, "18446744073709551616", "22003"),
        (INT4, "1.0", "22P02"),
        (INT4, '"abc"', "22P02"),
        (INT4, "true", "22P02"),
        (FLOAT8, "1e400", "22003"),
        (ScalarType(Kind.NUMERIC, 4, 2), "100", "22003"),
        (BOOL, '"maybe"', "22P02"),
        (DATE, '"2024-02-30"', "22008"),
        (TEXT, "[1]", "22P02"),
        (TEXT, '"a\\u0000"', "22P05"),
        (TEXT, '"\\ud800"', "22P05"),
        (ScalarType(Kind.VARCHAR, length=2), '"abc"', "22001"),
    ],
)
def test_a_value_that_does_not_fit_is_an_error_of_its_record_only(
    type_: ScalarType, value: str, sqlstate: str
) -> None:
    decoded = one_column(type_, "null", value, "null")
    assert [(entry[0], entry[2]) for entry in errors(decoded)] == [(1, sqlstate)]
    assert decoded.columns[0].to_pylist() == [None, None, None]


def test_messages_name_file_line_column_and_value() -> None:
    data = b'{"k": 1}\n\n{"k": "abc"}\nnonsense\n'
    decoded = JsonDecoder(SCHEMA).decode(data, "x.jsonl", 10)
    assert decoded.lines.tolist() == [10, 12, 13]
    assert [entry[3] for entry in errors(decoded)] == [
        'file "x.jsonl", line 12: column "k": invalid input syntax for type integer: "abc"',
        'file "x.jsonl", line 13: invalid input syntax for type json: nonsense',
    ]


def test_timestamps_in_utc_and_elsewhere_agree() -> None:
    texts = ['"2024-02-29T23:59:59.123456Z"', '"2024-02-29 23:59:59+00"', "null", '"0001-01-01T00:00:00Z"']
    fast = one_column(TIMESTAMPTZ, *texts)
    mixed = one_column(TIMESTAMPTZ, *texts, '"2024-01-01 00:00:00+01"')
    assert fast.columns[0].to_pylist() == mixed.columns[0].to_pylist()[:-1]
    assert fast.columns[0][0].as_py() == datetime.datetime(2024, 2, 29, 23, 59, 59, 123456, datetime.UTC)
    bad = one_column(TIMESTAMPTZ, '"2024-02-30T00:00:00Z"', texts[0])
    assert [(row, code) for row, _, code, _ in errors(bad)] == [(0, "22008")]


def test_delete_markers_are_records_without_value_columns() -> None:
    data = b'{"k": 1}\n{"k": 2, "t": null}\n{"k": 3, "t": "x"}\n{"k": 4, "other": 1}\n'
    schema = Schema((Column("k", INT4), Column("t", TEXT)))
    assert JsonDecoder(schema, (0,)).decode(data, "x", 1).present.tolist() == [False, True, True, False]
    assert JsonDecoder(schema).decode(data, "x", 1).present.all()


def test_not_null_columns() -> None:
    schema = Schema((Column("k", INT4), Column("t", TEXT, nullable=False)))
    decoded = JsonDecoder(schema, (0,)).decode(b'{"k": 1}\n{"k": 2, "t": null}\n{"t": "x"}\n', "x", 1)
    assert [(row, column, code) for row, column, code, _ in errors(decoded)] == [
        (1, 1, "23502"),
        (2, 0, "23502"),
    ]


def test_arrays_are_refused() -> None:
    with pytest.raises(Unsupported, match='column "a" of type integer\\[\\]'):
        JsonDecoder(Schema((Column("a", array_of(INT4)),)))


def test_documents_keep_their_numbers_and_nest() -> None:
    schema = Schema((Column("id", INT4), Column("d", JSONB), Column("t", TEXT)))
    lines = [
        b'{"id": 1, "d": {"b": 1.50, "a": [1e2, "x", "7", true, null]}, "t": 1.50}',
        b'{"id": 2, "d": "text", "t": "1"}',
        b'{"id": 3, "d": 12345678901234567890.123456789}',
        b'{"id": 4, "d": null}',
        b'{"id": 5, "d": "\\u0000"}',
        b'{"id": 6, "d": {"a": 1, "a": 2}}',
    ]
    decoded = JsonDecoder(schema).decode(b"\n".join(lines) + b"\n", "x.jsonl", 1)
    assert [row[1] for row in rows(decoded)] == [
        '{"a": [100, "x", "7", true, null], "b": 1.50}',
        '"text"',
        "12345678901234567890.123456789",
        None,
        None,
        '{"a": 2}',
    ]
    assert rows(decoded)[0][2] == "1.50"
    assert [(error[0], error[1]) for error in errors(decoded)] == [(4, 1)]


def test_what_a_key_that_comes_again_replaces_in_a_document_is_read() -> None:
    schema = Schema((Column("id", INT4), Column("d", JSONB)))
    documents = [
        '{"a": 1e999999, "a": 1}', '[{"b": {"a": "\\u0000", "a": 1}}]', '{"a": {"b": 1e999999}, "a": {}}', '{"b": 1, "a": 2.50, "b": 3}'
    ]  # fmt: skip
    lines = [f'{{"id": {number}, "d": {text}}}' for number, text in enumerate(documents)]
    decoded = JsonDecoder(schema).decode("\n".join(lines).encode(), "x.jsonl", 1)
    assert [(row, column, code) for row, column, code, _ in errors(decoded)] == [
        (0, 1, "22003"),
        (1, 1, "22P05"),
        (2, 1, "22003"),
    ]
    assert rows(decoded)[3][1] == '{"a": 2.50, "b": 3}'
