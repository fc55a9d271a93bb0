"""The table that a sink writes to: made where it is not there, checked where it is."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
from deltalake import DeltaTable

from ....repr.schema import Schema
from ...lake.columns import lake_type
from ...lake.delta import delta_table
from ..change_records import SinkEnvelope
from ..contract import SinkStalled
from ..lake.columns import written_columns
from .options import DeltaSinkOptions

_FEATURES = frozenset(("timestampNtz", "appendOnly", "invariants"))
"""What a table may ask of its writers: the columns are checked for invariants."""
_PLAIN_VERSION, _FEATURES_VERSION = 2, 7


def table_made_or_checked(
    options: DeltaSinkOptions, schema: Schema, envelope: SinkEnvelope, storage: dict[str, str]
) -> DeltaTable:
    """Raises SinkStalled where a table is there that does not take what the sink writes."""
    wanted = pa.schema([(column.name, lake_type(column)) for column in written_columns(schema, envelope)])
    partitions = [field.column for field in options.partition_by]
    table = delta_table(options.uri, storage)
    if table is None:
        if (path := options.local_path) is not None:
            Path(path).mkdir(parents=True, exist_ok=True)
        table = DeltaTable.create(
            options.uri, wanted, mode="ignore", partition_by=partitions, storage_options=storage
        )
    _check_features(options, table, envelope)
    _check_columns(options, table, wanted)
    there = list(table.metadata().partition_columns)
    if partitions and partitions != there:
        raise unfit(options, f"it is partitioned by ({', '.join(there)})")
    return table


def _check_features(options: DeltaSinkOptions, table: DeltaTable, envelope: SinkEnvelope) -> None:
    protocol = table.protocol()
    beyond = set(protocol.writer_features or ()) - _FEATURES
    version = protocol.min_writer_version
    if beyond or (version > _PLAIN_VERSION and version != _FEATURES_VERSION):
        what = ", ".join(sorted(beyond)) or f"version {version} of the protocol"
        raise unfit(options, f"it asks its writers for {what}")
    if envelope is SinkEnvelope.UPSERT and table.metadata().configuration.get("delta.appendOnly") == "true":
        raise unfit(options, "rows may only be added to it")


def _check_columns(options: DeltaSinkOptions, table: DeltaTable, wanted: pa.Schema) -> None:
    there = {field.name: field for field in pa.schema(table.schema().to_arrow())}
    rules = {field.name for field in table.schema().fields if field.metadata}
    for field in wanted:
        if (found := there.pop(field.name, None)) is None:
            raise unfit(options, f'it has no column "{field.name}"')
        if not _same(found.type, field.type):
            raise unfit(options, f'column "{field.name}" is {found.type}, and the sink writes {field.type}')
        if field.name in rules or not found.nullable:
            raise unfit(options, f'column "{field.name}" has rules, which the sink does not look at')
    for name, found in there.items():
        if not found.nullable or name in rules:
            raise unfit(options, f'column "{name}" is not of the sink, and may not be NULL')


def _same(found: pa.DataType, wanted: pa.DataType) -> bool:
    """But for the names of elements."""
    if pa.types.is_list(found) and pa.types.is_list(wanted):
        return bool(found.value_type == wanted.value_type)
    return bool(found == wanted)


def unfit(options: DeltaSinkOptions, why: str) -> SinkStalled:
    return SinkStalled(
        f'table "{options.uri}" cannot be written to: {why}',
        sqlstate="42P16",
        hint="Change the table, or give the sink a place where none is yet: it is made then.",
    )
