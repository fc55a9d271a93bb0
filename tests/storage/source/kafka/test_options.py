"""Options and positions are plain values in the catalog and beside the rows."""

from __future__ import annotations

import json

from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT4, TEXT
from ptvc.storage.formats.options import FormatOptions
from ptvc.storage.source.kafka.options import KafkaOptions, MessageColumn, Part
from ptvc.storage.source.kafka.position import Position


def test_options_come_back_from_json() -> None:
    key = FormatOptions("csv", Schema((Column("k", INT4),)), {"declared": True, "delimiter": ";"})
    value = FormatOptions("json", Schema((Column("v", TEXT, False),)), {"declared": True}, "u7")
    columns = (MessageColumn(Part.KEY), MessageColumn(Part.VALUE), MessageColumn(Part.HEADER, 0, "h", True))
    for options in (
        KafkaOptions("u1", "t", value, columns[1:2]),
        KafkaOptions("u1", "t", value, columns, key, (0, -1), None, "p", 200),
        KafkaOptions("u1", "t", value, columns, key, (), -5),
    ):
        assert KafkaOptions.from_json(json.loads(json.dumps(options.to_json()))) == options
        assert options.connections == ("u1", "u7")


def test_a_position_forgets_the_ends_that_it_has_come_to() -> None:
    at = Position("id", {0: 3, 10: 0}, {0: 5, 10: 2}, ("u2",))
    assert Position.from_json(json.loads(json.dumps(at.to_json()))) == at
    moved = at.moved({0: 5, 10: 1})
    assert moved == Position("id", {0: 5, 10: 1}, {10: 2}, ("u2",))
    assert Position.from_json(json.loads(json.dumps(moved.moved({0: 6, 10: 7}).to_json()))).until == {}
