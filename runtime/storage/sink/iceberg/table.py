"""The table that a sink writes to: made where it is not there, checked where it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count

import pyarrow as pa
from pyiceberg import exceptions, types
from pyiceberg.catalog import Catalog
from pyiceberg.io.pyarrow import schema_to_pyarrow
from pyiceberg.partitioning import PARTITION_FIELD_ID_START, UNPARTITIONED_PARTITION_SPEC, PartitionSpec
from pyiceberg.partitioning import PartitionField as SpecField
from pyiceberg.schema import Schema as IcebergSchema
from pyiceberg.table import Table
from pyiceberg.table.update.schema import UpdateSchema
from pyiceberg.transforms import parse_transform

from ....repr.schema import Schema
from ...lake.catalogs import make_namespace, table_of
from ...lake.columns import lake_type
from ...lake.partitions import PartitionField
from ..change_records import SinkEnvelope
from ..contract import SinkStalled
from ..lake.columns import written_columns
from ..lake.exchange import holds, wider
from .options import IcebergSinkOptions

PROPERTIES = {
    "format-version": "2",
    "write.parquet.compression-codec": "zstd",
    "commit.manifest-merge.enabled": "true",
    "write.metadata.delete-after-commit.enabled": "true",
}
"""Of a table that is made: neither its manifests nor what says which they are grows with each commit for ever."""

_PLAIN = {
    pa.bool_(): types.BooleanType(),
    pa.int32(): types.IntegerType(),
    pa.int64(): types.LongType(),
    pa.float32(): types.FloatType(),
    pa.float64(): types.DoubleType(),
    pa.string(): types.StringType(),
    pa.binary(): types.BinaryType(),
    pa.date32(): types.DateType(),
    pa.timestamp("us"): types.TimestampType(),
    pa.timestamp("us", tz="UTC"): types.TimestamptzType(),
}


def table_made_or_checked(
    catalog: Catalog,
    options: IcebergSinkOptions,
    made: IcebergSchema,
    wanted: IcebergSchema,
    *,
    grows: bool,
) -> Table:
    """It is `made` with those columns.  Raises SinkStalled where a table is there that does not take what the sink writes; one that `grows` may lack what `grow` gives it."""
    table = table_of(catalog, options.identifier)
    if table is None:
        make_namespace(catalog, options.identifier[:-1])
        spec = _spec(options.partition_by, made)
        try:
            return catalog.create_table(options.identifier, made, partition_spec=spec, properties=PROPERTIES)
        except exceptions.TableAlreadyExistsError:
            table = catalog.load_table(options.identifier)
    _check_columns(options, table.schema(), wanted, grows=grows)
    if options.partition_by and not _spec(options.partition_by, table.schema()).compatible_with(table.spec()):
        raise unfit(options, f"it is partitioned otherwise: {table.spec()}")
    return table


def iceberg_schema(schema: Schema, envelope: SinkEnvelope, key: Sequence[int]) -> IcebergSchema:
    """With the key as the table's identifier fields."""
    columns = written_columns(schema, envelope)
    inner = count(len(columns) + 1)
    fields = [
        types.NestedField(
            number,
            column.name,
            _iceberg_type(lake_type(column), inner),
            required=number - 1 in key,
        )
        for number, column in enumerate(columns, 1)
    ]
    return IcebergSchema(*fields, identifier_field_ids=[index + 1 for index in key])


def _iceberg_type(type_: pa.DataType, numbers: Iterator[int]) -> types.IcebergType:
    if pa.types.is_decimal(type_):
        return types.DecimalType(type_.precision, type_.scale)
    if pa.types.is_list(type_):
        element = _iceberg_type(type_.value_type, numbers)
        return types.ListType(next(numbers), element, element_required=False)
    return _PLAIN[type_]


def _spec(fields: Sequence[PartitionField], schema: IcebergSchema) -> PartitionSpec:
    if not fields:
        return UNPARTITIONED_PARTITION_SPEC
    return PartitionSpec(
        *(
            SpecField(
                schema.find_field(field.column).field_id,
                PARTITION_FIELD_ID_START + number,
                parse_transform(
                    field.transform if field.argument is None else f"{field.transform}[{field.argument}]"
                ),
                field.name,
            )
            for number, field in enumerate(fields)
        )
    )


def _check_columns(
    options: IcebergSinkOptions, schema: IcebergSchema, wanted: IcebergSchema, *, grows: bool
) -> None:
    there = {field.name: field for field in schema.fields}
    for field in wanted.fields:
        found = there.pop(field.name, None)
        if found is None and not grows:
            raise unfit(options, f'it has no column "{field.name}"')
        if found is None:
            continue
        if not _fits(found, field, grows=grows):
            raise unfit(
                options,
                f'column "{field.name}" is {_shown(found.field_type)}, and the sink writes {_shown(field.field_type)}',
            )
        if found.required and not field.required and not grows:
            raise unfit(options, f'column "{field.name}" is required, and what the sink reads may be NULL')
    for name, found in there.items():
        if found.required and not grows:
            raise unfit(options, f'column "{name}" is not of the sink, and is required')


def _fits(found: types.NestedField, wanted: types.NestedField, *, grows: bool) -> bool:
    there, written = schema_to_pyarrow(found.field_type), schema_to_pyarrow(wanted.field_type)
    return holds(there, written) or (grows and wider(there, written) is not None)


def grow(
    options: IcebergSinkOptions, update: UpdateSchema, schema: IcebergSchema, wanted: IcebergSchema
) -> None:
    """Adds what is not there, and makes wider, and allows NULL in, what does not hold all that is written.  The fields keep their numbers, by
    which files know them.  Raises SinkStalled."""
    _check_columns(options, schema, wanted, grows=True)
    there = {field.name: field for field in schema.fields}
    for field in wanted.fields:
        path = (field.name,)
        if (found := there.pop(field.name, None)) is None:
            update.add_column(path, field.field_type)
        elif not _fits(found, field, grows=False):
            update.update_column(path, field_type=field.field_type)
        if found is not None and found.required and not field.required:
            update.update_column(path, required=False)
    for name, found in there.items():
        if found.required:
            update.update_column((name,), required=False)


def _shown(type_: types.IcebergType) -> str:
    """Without the numbers of fields."""
    return f"list<{_shown(type_.element_type)}>" if isinstance(type_, types.ListType) else str(type_)


def unfit(options: IcebergSinkOptions, why: str) -> SinkStalled:
    return SinkStalled(
        f'table "{".".join(options.identifier)}" cannot be written to: {why}',
        sqlstate="42P16",
        hint="Change the table, or give the sink one that is not there yet: it is made then.",
    )
