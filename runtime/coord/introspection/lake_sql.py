"""What of a sink into a lake stands behind INTO, and of a source over one behind FROM, as SHOW CREATE has it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...expr.functions.system.system import quote_ident, quote_literal
from ...expr.tree.relation import GlobalId
from ...storage.lake.partitions import IDENTITY, PartitionField
from ...storage.sink.change_records import SinkEnvelope
from ...storage.sink.delta.options import DeltaSinkOptions
from ...storage.sink.iceberg.options import IcebergSinkOptions
from ...storage.sink.lake.columns import MODES
from ...storage.sink.lake.intervals import DEFAULT_INTERVAL_MS
from ...storage.source.delta.options import DeltaSourceOptions
from ...storage.source.iceberg.options import IcebergSourceOptions
from ...storage.source.lake.options import SCAN_MS
from ..catalog.items import Sink


def lake_source_sql(
    options: DeltaSourceOptions | IcebergSourceOptions, name_of: Callable[[GlobalId], str]
) -> str:
    """`name_of` a connection is quoted."""
    interval = [] if options.scan_ms == SCAN_MS else [f"SCAN INTERVAL = '{options.scan_ms}ms'"]
    if isinstance(options, DeltaSourceOptions):
        text = f"DELTA ({', '.join([f'URI = {_literal(options.uri)}', *interval])})"
        files = options.connection
    else:
        given = [
            f"NAMESPACE = {_literal(options.namespace)}",
            f"TABLE = {_literal(options.table)}",
            *interval,
        ]
        text = f"ICEBERG CATALOG CONNECTION {name_of(options.connection)} ({', '.join(given)})"
        files = options.files
    return text if files is None else f"{text} USING AWS CONNECTION {name_of(files)}"


def iceberg_sink_sql(
    options: IcebergSinkOptions, name_of: Callable[[GlobalId], str], sink: Sink, names: Sequence[str]
) -> str:
    """`names` are those of the columns that it reads, `name_of` a connection is quoted."""
    given = [f"NAMESPACE = {_literal(options.namespace)}", f"TABLE = {_literal(options.table)}"]
    given += _partitions(options.partition_by)
    text = f" INTO ICEBERG CATALOG CONNECTION {name_of(options.connection)} ({', '.join(given)})"
    if options.files is not None:
        text += f" USING AWS CONNECTION {name_of(options.files)}"
    return text + _mode(sink, names) + _interval(options.commit_interval_ms)


def delta_sink_sql(
    options: DeltaSinkOptions, name_of: Callable[[GlobalId], str], sink: Sink, names: Sequence[str]
) -> str:
    """As `iceberg_sink_sql`."""
    given = [f"URI = {_literal(options.uri)}", *_partitions(options.partition_by)]
    text = f" INTO DELTA ({', '.join(given)})"
    if options.connection is not None:
        text += f" USING AWS CONNECTION {name_of(options.connection)}"
    return text + _mode(sink, names) + _interval(options.commit_interval_ms)


def _partitions(fields: Sequence[PartitionField]) -> list[str]:
    return [f"PARTITION BY ({', '.join(map(_partition, fields))})"] if fields else []


def _partition(field: PartitionField) -> str:
    column = quote_ident(field.column)
    if field.transform == IDENTITY:
        return column
    argument = "" if field.argument is None else f"{field.argument}, "
    return f"{field.transform}({argument}{column})"


def _mode(sink: Sink, names: Sequence[str]) -> str:
    key = f" KEY ({', '.join(quote_ident(names[index]) for index in sink.key)})" if sink.key else ""
    return f"{key} MODE {MODES[SinkEnvelope(sink.envelope.value)]}"


def _interval(interval_ms: int) -> str:
    return "" if interval_ms == DEFAULT_INTERVAL_MS else f" WITH (COMMIT INTERVAL = '{interval_ms} ms')"


def _literal(text: str) -> str:
    return quote_literal(text).strip()
