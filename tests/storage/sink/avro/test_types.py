"""Schemas of rows: names, what has no type, and that every type has one or is refused by the column's name."""

from __future__ import annotations

import fastavro
import pytest
from ptvc.errors import InvalidParameter, PtvcError, Unsupported
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import (
    INT4,
    INT4RANGE,
    INTERVAL,
    SIMPLE,
    TEXT,
    Kind,
    ScalarType,
    list_of,
    map_of,
    record_of,
)
from ptvc.storage.sink.avro.types import RowType, change_record, check_full_name, field_name

REFUSED = {"interval", "int4range", "int8range", "numrange", "daterange", "tsrange", "tstzrange"}


def record(*columns: Column) -> object:
    schema = Schema(columns)
    return RowType(schema, tuple(range(len(schema))), frozenset()).record("r", null_defaults=False)


@pytest.mark.parametrize("kind", SIMPLE)
def test_every_type_has_a_schema_or_is_refused(kind: Kind) -> None:
    if kind.value in REFUSED:
        with pytest.raises(Unsupported, match='column "c" is of type'):
            record(Column("c", ScalarType(kind)))
    else:
        assert fastavro.parse_schema(record(Column("c", ScalarType(kind))))["fields"][0]["name"] == "c"


@pytest.mark.parametrize(
    "type_", [INTERVAL, list_of(INT4RANGE), map_of(list_of(INTERVAL)), record_of((("a", INT4),))]
)
def test_what_is_refused_says_which_column(type_: ScalarType) -> None:
    with pytest.raises(Unsupported, match=r'column "odd" is of type .*, which a sink in AVRO does not write'):
        record(Column("fine", INT4), Column("odd", type_))


def test_names() -> None:
    assert [field_name(name) for name in ("a", "A b-c", "1st", "größe", "é")] == [
        "a",
        "A_b_c",
        "_1st",
        "gr__e",
        "_",
    ]
    with pytest.raises(InvalidParameter, match='columns "a b" and "a-b" have one name in Avro, "a_b"'):
        record(Column("a b", INT4), Column("a-b", INT4))


@pytest.mark.parametrize("name", ["", "a.", ".a", "1a", "a b", "a..b", "ä"])
def test_names_of_records(name: str) -> None:
    check_full_name("com.example.Order_1")
    with pytest.raises(InvalidParameter, match="is no full name of Avro"):
        check_full_name(name)


def test_the_record_of_a_row_is_named_once() -> None:
    schema = Schema((Column("k", INT4, False), Column("v", TEXT)))
    row = RowType(schema, (0, 1), frozenset((0,)))
    written = change_record(row, "shop.Change", null_defaults=True)
    assert [field["type"][1] for field in written["fields"]][1] == "row"
    parsed = fastavro.parse_schema(written)
    assert parsed["fields"][1]["type"][1] == "shop.row"
    with pytest.raises(PtvcError, match=r'cannot be "shop\.row"'):
        change_record(row, "shop.row", null_defaults=False)
