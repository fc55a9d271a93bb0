"""Formats by their names, with packages missing, and with columns that another version has made."""

from __future__ import annotations

import sys

import pytest
from ptvc.errors import InvalidParameter, PtvcError, Unsupported
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT4, INT8, TEXT
from ptvc.storage.formats.known import DEBEZIUM, open_events, open_format
from ptvc.storage.formats.options import FormatOptions

from .protobuf.messages import everything, set_of

RECORD = '{"type":"record","name":"r","fields":[{"name":"id","type":"int"}]}'


def avro(column: Column, schema: str = RECORD) -> FormatOptions:
    return FormatOptions("avro", Schema((column,)), {"schema": schema}, "u1")


def protobuf(column: Column) -> FormatOptions:
    settings = {"schema": set_of(everything()).hex(), "message": "p.First"}
    return FormatOptions("protobuf", Schema((column,)), settings)


def test_columns_are_those_that_the_source_was_created_with() -> None:
    assert open_format(avro(Column("id", INT4, False)), {}).schema.names == ("id",)
    # Of one column, the statement may have given another name.
    open_format(avro(Column("other", INT4, False)), {})
    open_format(protobuf(Column("x", INT4, False)), {})
    for options in (avro(Column("id", INT8)), protobuf(Column("x", TEXT))):
        with pytest.raises(InvalidParameter, match="makes other columns"):
            open_format(options, {})


def test_change_events_are_of_json_and_avro() -> None:
    settings = {**protobuf(Column("x", INT4)).settings, "envelope": DEBEZIUM}
    with pytest.raises(Unsupported, match="ENVELOPE DEBEZIUM of FORMAT PROTOBUF"):
        open_events(FormatOptions("protobuf", Schema((Column("x", INT4),)), settings), {})


def test_packages_that_are_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fastavro.schema", None)
    monkeypatch.setitem(sys.modules, "ptvc.storage.formats.protobuf.format", None)
    for options, package in (
        (avro(Column("id", INT4)), "fastavro"),
        (protobuf(Column("x", INT4)), "protobuf"),
    ):
        with pytest.raises(PtvcError, match=f"needs the package {package}") as failed:
            open_format(options, {})
        assert failed.value.sqlstate == "58000"
