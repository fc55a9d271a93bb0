"""The connector of DELTA sources.  The library is loaded when the table is opened, and by nothing else."""

from __future__ import annotations

from collections.abc import Mapping

from ....repr.schema import Schema
from ...connections.values import Values
from ...lake.packages import needed
from ..lake.connector import LakeConnector
from ..lake.table import LakeTable
from .options import DeltaSourceOptions


class DeltaConnector(LakeConnector):
    def __init__(
        self, options: DeltaSourceOptions, schema: Schema, connections: Mapping[str, Values]
    ) -> None:
        """See `LakeConnector`."""
        self._options = options
        self._values = None if options.connection is None else connections.get(options.connection)
        super().__init__(schema, [] if self._values is None else [self._values], options.scan_ms)

    @property
    def _what(self) -> str:
        return f'table "{self._options.uri}"'

    def _opened(self) -> LakeTable:
        needed("deltalake")
        from .table import DeltaLakeTable

        return DeltaLakeTable(self._options, self._schema, self._values)

    def _errors(self) -> tuple[type[Exception], ...]:
        from ...lake.delta import ERRORS

        return ERRORS
