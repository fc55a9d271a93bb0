"""Random rows of every type that a sink writes in Avro, and what fastavro is to read of them where logical types are left out."""

from __future__ import annotations

import io
import json
import uuid
from decimal import Decimal
from random import Random
from typing import Any

import fastavro
import pyarrow as pa
from ptvc.repr.batch import Batch, batch_from_rows
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import (
    BOOL,
    BPCHAR,
    BYTEA,
    CHAR,
    DATE,
    FLOAT4,
    FLOAT8,
    INT2,
    INT4,
    INT8,
    JSON,
    JSONB,
    MZ_TIMESTAMP,
    NAME,
    NUMERIC,
    OID,
    TEXT,
    TIME,
    TIMESTAMP,
    TIMESTAMPTZ,
    UINT2,
    UINT4,
    UINT8,
    UUID,
    Kind,
    ScalarType,
    array_of,
    derived_numeric,
    list_of,
    map_of,
)

SIMPLE = (
    BOOL, INT2, INT4, INT8, UINT2, UINT4, UINT8, FLOAT4, FLOAT8, NUMERIC, ScalarType(Kind.NUMERIC, 10, 2),
    ScalarType(Kind.NUMERIC, 38, 38), derived_numeric(3), TEXT, BPCHAR, NAME, CHAR, DATE, TIME, TIMESTAMP, TIMESTAMPTZ, BYTEA,
    UUID, OID, MZ_TIMESTAMP, JSON, JSONB,
)  # fmt: skip
_NO_DIGITS = Decimal(0)


class Cases:
    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def type(self, depth: int = 2) -> ScalarType:
        if depth and self.random.random() < 0.3:
            match self.random.randrange(3):
                case 0:
                    return array_of(self.random.choice(SIMPLE))
                case 1:
                    return list_of(self.type(depth - 1))
                case _:
                    return map_of(self.type(depth - 1))
        return self.random.choice(SIMPLE)

    def schema(self) -> Schema:
        count = self.random.randint(1, 8)
        return Schema(tuple(Column(f"c{i}", self.type(), self.random.random() < 0.6) for i in range(count)))

    def value(self, type_: ScalarType) -> tuple[Any, Any]:
        """As Arrow takes it, and as fastavro reads it."""
        random, kind = self.random, type_.kind
        if kind is Kind.BOOL:
            found: Any = random.random() < 0.5
        elif type_.is_integer or kind in (Kind.OID, Kind.MZ_TIMESTAMP):
            found = self._integer(*type_.integer_bounds)
            if kind in (Kind.UINT8, Kind.MZ_TIMESTAMP):
                return found, _shortest(found)
        elif kind in (Kind.DATE, Kind.TIME, Kind.TIMESTAMP, Kind.TIMESTAMPTZ):
            bits = 31 if kind is Kind.DATE else 63
            found = (
                self._integer(0, 86_400_000_000)
                if kind is Kind.TIME
                else self._integer(1 - (1 << bits), (1 << bits) - 2)
            )
        elif type_.is_float:
            found = random.choice([0.0, -0.0, 1.5, -(2.0**40), float("inf"), 2.0**-120])
        elif kind is Kind.NUMERIC:
            digits = type_.precision or (38 if type_.scale is not None else 76)
            number = random.choice([1, -1]) * self._integer(0, 10 ** random.randint(0, digits) - 1)
            scale = 38 if type_.scale is None else type_.scale
            sign, figures = int(number < 0), tuple(map(int, str(abs(number))))
            return Decimal((sign, figures, -scale)), _shortest(number)
        elif kind is Kind.BYTEA:
            found = random.randbytes(random.choice([0, 1, 5, 63, 64, 200]))
        elif kind is Kind.UUID:
            found = random.randbytes(16)
            return found, str(uuid.UUID(bytes=found))
        elif kind in (Kind.JSON, Kind.JSONB):
            found = json.dumps({"a": random.randrange(10)})
        elif type_.element is not None:
            return self._collection(type_, type_.element)
        else:
            found = random.choice(["", "a", "ä\U0001f600", "x" * 70, '"\\\n'])
        return found, found

    def _integer(self, least: int, greatest: int) -> int:
        edges = [
            n for n in (0, 1, -1, 63, -64, 64, 127, 128, -129, least, greatest) if least <= n <= greatest
        ]
        return self.random.choice([*edges, self.random.randint(least, greatest)])

    def _collection(self, type_: ScalarType, element: ScalarType) -> tuple[Any, Any]:
        count = self.random.choice([0, 0, 1, 2, 70])
        items = [self.nullable(element) for _ in range(count)]
        if type_.kind is not Kind.MAP:
            return [given for given, _ in items], [read for _, read in items]
        keys = [f"k{i}" for i in range(count)]
        given = [{"f0": key, "f1": item[0]} for key, item in zip(keys, items, strict=True)]
        return given, {key: item[1] for key, item in zip(keys, items, strict=True)}

    def nullable(self, type_: ScalarType, share: float = 0.2) -> tuple[Any, Any]:
        return (None, None) if self.random.random() < share else self.value(type_)

    def rows(self, schema: Schema, count: int) -> tuple[Batch, list[dict[str, Any]]]:
        """A batch, which is a part of a larger one, and what its rows are read as."""
        found = [
            [
                self.nullable(c.type, self.random.choice([0, 0.3, 1])) if c.nullable else self.value(c.type)
                for c in schema
            ]
            for _ in range(count)
        ]
        batch = batch_from_rows(schema, [[given for given, _ in row] for row in found], 1)
        names = [column.name for column in schema]
        reads = [dict(zip(names, (read for _, read in row), strict=True)) for row in found]
        return batch, reads


def _shortest(number: int) -> bytes:
    """In two's complement, as short as can be."""
    bits = number.bit_length() if number >= 0 else (number + 1).bit_length()
    return number.to_bytes(bits // 8 + 1, "big", signed=True)


def plain(schema: Any) -> Any:
    """Without logical types."""
    if isinstance(schema, list):
        return [plain(branch) for branch in schema]
    if not isinstance(schema, dict):
        return schema
    left_out = ("logicalType", "precision", "scale")
    return {name: plain(value) for name, value in schema.items() if name not in left_out}


def read(schema: Any, payload: bytes) -> Any:
    """The whole of it."""
    source = io.BytesIO(payload)
    found = fastavro.schemaless_reader(source, fastavro.parse_schema(schema), None)
    assert source.read() == b""
    return found


def column(values: list[Any], type_: ScalarType) -> pa.Array:
    return pa.array(values, type_.arrow)
