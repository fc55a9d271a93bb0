"""The table that a sink writes to: made where it is not there, checked where it is."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
from deltalake import DeltaTable

from ...lake.delta import delta_table
from ..change_records import SinkEnvelope
from ..contract import SinkStalled
from ..lake.exchange import holds, wider
from .options import DeltaSinkOptions

_FEATURES = frozenset(("timestampNtz", "appendOnly", "invariants"))
"""What a table may ask of its writers: the columns are checked for invariants."""
_PLAIN_VERSION, _FEATURES_VERSION = 2, 7


def table_made_or_checked(
    options: DeltaSinkOptions,
    made: pa.Schema,
    wanted: pa.Schema,
    envelope: SinkEnvelope,
    storage: dict[str, str],
    *,
    grows: bool,
) -> DeltaTable:
    """It is `made` with those columns.  Raises SinkStalled where a table is there that does not take what the sink writes; one that `grows` may lack what `grown_columns` has."""
    partitions = [field.column for field in options.partition_by]
    table = delta_table(options.uri, storage)
    if table is None:
        if (path := options.local_path) is not None:
            Path(path).mkdir(parents=True, exist_ok=True)
        table = DeltaTable.create(
            options.uri, made, mode="ignore", partition_by=partitions, storage_options=storage
        )
    _check_features(options, table, envelope)
    _check_columns(options, table, wanted, grows=grows)
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


def _check_columns(options: DeltaSinkOptions, table: DeltaTable, wanted: pa.Schema, *, grows: bool) -> None:
    there = {field.name: field for field in pa.schema(table.schema().to_arrow())}
    rules = {field.name for field in table.schema().fields if field.metadata}
    for field in wanted:
        found = there.pop(field.name, None)
        if found is None and not grows:
            raise unfit(options, f'it has no column "{field.name}"')
        if found is None:
            continue
        _check_type(options, found, field, grows=grows)
        if field.name in rules or not found.nullable:
            raise unfit(options, f'column "{field.name}" has rules, which the sink does not look at')
    for name, found in there.items():
        if not found.nullable or name in rules:
            raise unfit(options, f'column "{name}" is not of the sink, and may not be NULL')


def _check_type(options: DeltaSinkOptions, found: pa.Field, field: pa.Field, *, grows: bool) -> None:
    if not holds(found.type, field.type) and not (grows and wider(found.type, field.type)):
        raise unfit(options, f'column "{field.name}" is {found.type}, and the sink writes {field.type}')


def grown_columns(options: DeltaSinkOptions, there: pa.Schema, wanted: pa.Schema) -> pa.Schema:
    """Those that are there, of types that hold all that is written, and behind them those that are not.  Raises SinkStalled."""
    for field in wanted:
        place = there.get_field_index(field.name)
        if place < 0:
            there = there.append(field)
            continue
        found = there.field(place)
        _check_type(options, found, field, grows=True)
        if not holds(found.type, field.type):
            there = there.set(place, found.with_type(field.type))
    return there


def unfit(options: DeltaSinkOptions, why: str) -> SinkStalled:
    return SinkStalled(
        f'table "{options.uri}" cannot be written to: {why}',
        sqlstate="42P16",
        hint="Change the table, or give the sink a place where none is yet: it is made then.",
    )
