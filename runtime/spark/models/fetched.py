"""Relations read through SQL: the lines of COPY that dbt's process passes on, as an Arrow table with Spark's types."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

import pyarrow as pa
from pyspark.sql.types import StructType

from ...coord.results.results import CopyIn
from ...errors import PtvcError, Unsupported
from ...pgwire.copy import TextReader
from ...repr.schema import Column, Schema
from ...repr.types import TEXT, Kind, ScalarType, array_of, type_from_oid
from ..columns import arrow_schema, spark_columns, spark_schema
from .channel import Channel, Message
from .result import COPY_OPTIONS

_TYPMOD_HEADER = 4


class QueryError(PtvcError):
    """What SQL has answered, with everything that it has said."""


def fetch(
    channel: Channel, relations: Sequence[str], as_of: int | None, known: Mapping[str, Schema]
) -> dict[str, tuple[StructType, pa.Table]]:
    """The relations as of one time, `as_of` unless that is None.  Of those in `known` the columns' types are known better than SQL
    tells a client."""
    found: dict[str, tuple[StructType, pa.Table]] = {}
    for relation in relations:
        channel.send("query", relation=relation, as_of=as_of)
        columns = _expect(channel, "columns")["columns"]
        schema = known.get(relation) or described(columns)
        found[relation] = _table(channel, relation, schema)
    if found:
        channel.send("queried")
    return found


def _expect(channel: Channel, type: str) -> Message:
    reply = channel.expect(type, "refused")
    if reply["type"] == "refused":
        raise QueryError(reply["message"])
    return reply


def _table(channel: Channel, relation: str, schema: Schema) -> tuple[StructType, pa.Table]:
    """The bytes up to `end`, all of which are taken whatever is wrong with them."""
    parts = _lines(channel)
    try:
        if not len(schema):
            raise Unsupported(f"{relation} has no columns: Spark cannot read it")
        shown = spark_schema(schema)
        target = arrow_schema(shown)
        reader = TextReader(CopyIn(schema, COPY_OPTIONS, relation), f"COPY {relation}")
        fed = chain(((data, False) for data in parts), [(b"", True)])
        batches = [
            pa.RecordBatch.from_arrays(spark_columns(schema, columns, target), schema=target)
            for data, final in fed
            for columns in reader.feed(data, final)
        ]
        return shown, pa.Table.from_batches(batches, schema=target)
    finally:
        for _ in parts:
            pass


def _lines(channel: Channel) -> Iterator[bytes]:
    while True:
        received = channel.receive()
        if isinstance(received, bytes):
            yield received
        elif received["type"] == "refused":
            raise QueryError(received["message"])
        else:
            assert received["type"] == "end"
            return


def described(columns: Sequence[tuple[str, int, int]]) -> Schema:
    """Columns as a client sees them: name, OID and modifier of the type.  What that does not say is text, as it is printed."""
    return Schema(tuple(Column(name, _type(oid, modifier)) for name, oid, modifier in columns))


def _type(oid: int, modifier: int) -> ScalarType:
    type_ = type_from_oid(oid) or TEXT
    if modifier < _TYPMOD_HEADER or type_.leaf.kind is not Kind.NUMERIC:
        return type_
    precision, scale = divmod(modifier - _TYPMOD_HEADER, 1 << 16)
    numeric = ScalarType(Kind.NUMERIC, precision, scale)
    return array_of(numeric) if type_.kind is Kind.ARRAY else numeric
