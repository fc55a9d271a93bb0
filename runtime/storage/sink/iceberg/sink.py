"""One ICEBERG sink: each interval is one snapshot of the table, which says in its summary how far it goes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import monotonic

from pyiceberg.schema import Schema as IcebergSchema

from ....repr.schema import Schema
from ...connections.values import Values
from ...lake.catalogs import CONNECT_S, ERRORS, AnyCatalog, open_catalog, table_of
from ..change_records import SinkEnvelope
from ..lake.sink import LakeSink
from ..lake.table import LakeTable, Progress
from .files import IcebergFile, IcebergTable, ManifestCache
from .options import IcebergSinkOptions, check_options
from .table import grow, iceberg_schema, table_made_or_checked


class IcebergSink(LakeSink[IcebergFile]):
    _errors = ERRORS

    def __init__(
        self,
        options: IcebergSinkOptions,
        schema: Schema,
        envelope: SinkEnvelope,
        key: Sequence[int],
        generation: int,
        as_of: int,
        values: Values,
        files: Values | None,
        *,
        term: int = 0,
        formers: Mapping[int, Schema] | None = None,
    ) -> None:
        """`values` are the catalog's connection, `files` the one to AWS; for the others see `LakeSink`.  Raises as `check_options`."""
        check_options(options, schema, envelope, key)
        super().__init__(
            ".".join(options.identifier),
            options.identity,
            schema,
            envelope,
            key,
            generation,
            as_of,
            options.commit_interval_ms,
            [values] if files is None else [values, files],
            term,
            formers or {},
        )
        self._options = options
        self._values = values
        self._files = files
        self._catalog: AnyCatalog | None = None
        self._manifests = ManifestCache()

    def close(self) -> None:
        if self._catalog is not None:
            self._catalog.close()
            self._catalog = None

    def _table(self) -> IcebergTable | None:
        table = table_of(self._connected(), self._options.identifier)
        return None if table is None else IcebergTable(table, self._manifests)

    def _made_or_checked(self) -> IcebergTable:
        made, wanted = self._columns(self._schema), self._columns(self._reads)
        table = table_made_or_checked(
            self._connected(), self._options, made, wanted, grows=bool(self._exchanges)
        )
        return IcebergTable(table, self._manifests)

    def _grown(self, table: LakeTable[IcebergFile], progress: Progress) -> IcebergTable:
        """All in one commit."""
        assert isinstance(table, IcebergTable)
        wanted = self._columns(self._reads)
        return table.grown(lambda update, there: grow(self._options, update, there, wanted))

    def _columns(self, schema: Schema) -> IcebergSchema:
        return iceberg_schema(schema, self._envelope, self._key)

    def _connected(self) -> AnyCatalog:
        if self._catalog is None:
            self._catalog = open_catalog(self._values, self._files, monotonic() + CONNECT_S)
        return self._catalog
