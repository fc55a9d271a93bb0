"""Schemas in which something was replaced by nonsense, and payloads of random bytes: refused, in error, or read, and nothing else."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from ptvc.errors import InvalidParameter, Unsupported
from ptvc.storage.formats.avro.format import AvroFormat
from ptvc.storage.formats.avro.schema import parse, self_contained
from ptvc.storage.formats.schemas import SchemaText

from .cases import Cases, binary

_NONSENSE: tuple[Any, ...] = (
    *(None, 0, 1, -1, 10**30, 1.5, True, "", "x", "int", "null", "record", "array", [], {}, ["int"]),
    {"type": "int"},
    {"type": ["int"]},
    {"type": {"type": "int"}},
    {"type": "fixed", "name": "q", "size": 10**30},
    {"type": "fixed", "name": "q", "size": 0},
    {"type": "enum", "name": "q", "symbols": []},
    {"type": "bytes", "logicalType": "decimal", "precision": 10**9, "scale": 5},
)
_KEYS = ("default", "aliases", "logicalType", "precision", "scale", "size", "name", "namespace", "type")
_HEADER = b"\0\0\0\0\1"


class Written:
    def __init__(self, text: str) -> None:
        self._text = SchemaText(text)

    def schema(self, id_: int) -> SchemaText:
        return self._text


def _spoilt(random: Random, value: Any) -> Any:
    if random.random() < 0.15:
        return random.choice(_NONSENSE)
    if isinstance(value, list):
        return [_spoilt(random, item) if random.random() < 0.3 else item for item in value]
    if not isinstance(value, dict):
        return value
    found = {key: _spoilt(random, item) if random.random() < 0.3 else item for key, item in value.items()}
    if found and random.random() < 0.1:
        found.pop(random.choice(list(found)))
    if random.random() < 0.1:
        found[random.choice(_KEYS)] = random.choice(_NONSENSE)
    return found


@pytest.mark.parametrize("seed", range(20))
def test_nonsense(seed: int) -> None:
    readable = 0
    for number in range(20):
        cases = Cases(1000 * seed + number)
        random = cases.random
        sound = json.dumps(cases.record())
        spoilt = json.dumps(_spoilt(random, _spoilt(random, json.loads(sound))))
        payloads = [_HEADER + random.randbytes(random.randrange(60)) for _ in range(5)]
        payloads += [_HEADER + bytes(random.randrange(30)) for _ in range(5)]
        try:
            schema = parse(spoilt)
            for written in (spoilt, sound):
                format_ = AvroFormat(SchemaText(spoilt), Written(written), "value")
                found = format_.decode(binary(payloads))
                for column, array in zip(format_.schema, found.columns, strict=True):
                    array.validate(full=True)
                    assert (array.type, len(array)) == (column.type.arrow, len(payloads))
            assert parse(self_contained(spoilt)) == schema
            readable += 1
        except (InvalidParameter, Unsupported):
            continue
    assert readable
