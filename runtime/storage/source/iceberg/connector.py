"""The connector of ICEBERG sources.  The libraries are loaded when the table is opened, and by nothing else."""

from __future__ import annotations

from collections.abc import Mapping

from ....repr.schema import Schema
from ...connections.values import Values
from ...lake.packages import needed
from ..lake.connector import LakeConnector
from ..lake.table import LakeTable
from .options import IcebergSourceOptions


class IcebergConnector(LakeConnector):
    def __init__(
        self, options: IcebergSourceOptions, schema: Schema, connections: Mapping[str, Values]
    ) -> None:
        """See `LakeConnector`."""
        self._options = options
        self._connections = connections
        super().__init__(schema, list(connections.values()), options.scan_ms)

    @property
    def _what(self) -> str:
        return f'table "{".".join(self._options.identifier)}"'

    def _opened(self) -> LakeTable:
        needed("pyiceberg")
        needed("sqlalchemy")
        from .table import IcebergLakeTable

        options = self._options
        files = None if options.files is None else self._connections[options.files]
        return IcebergLakeTable(options, self._schema, self._connections[options.connection], files)

    def _errors(self) -> tuple[type[Exception], ...]:
        import pyarrow as pa

        from ...lake.catalogs import ERRORS

        return (*ERRORS, pa.ArrowException, NotImplementedError)
