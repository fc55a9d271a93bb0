"""One DELTA sink: each interval is one version of the table, which says how far it goes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa
from deltalake import DeltaTable

from ....repr.schema import Schema
from ...connections.values import Values
from ...lake.columns import lake_type
from ...lake.delta import ERRORS, delta_table, storage_options
from ..change_records import SinkEnvelope
from ..lake.columns import written_columns
from ..lake.sink import LakeSink
from ..lake.table import LakeTable, Progress
from .files import DeltaFile, DeltaVersion, filesystem
from .options import DeltaSinkOptions, check_options
from .table import grown_columns, table_made_or_checked


class DeltaSink(LakeSink[DeltaFile]):
    _errors = ERRORS

    def __init__(
        self,
        options: DeltaSinkOptions,
        schema: Schema,
        envelope: SinkEnvelope,
        key: Sequence[int],
        generation: int,
        as_of: int,
        values: Values | None,
        *,
        term: int = 0,
        formers: Mapping[int, Schema] | None = None,
    ) -> None:
        """`values` is the connection to AWS; for the others see `LakeSink`.  Raises as `check_options`."""
        check_options(options, schema, envelope, key)
        super().__init__(
            options.uri,
            options.identity,
            schema,
            envelope,
            key,
            generation,
            as_of,
            options.commit_interval_ms,
            [] if values is None else [values],
            term,
            formers or {},
        )
        self._options = options
        self._values = values
        self._storage: dict[str, str] | None = None

    def close(self) -> None:
        self._storage = None

    def _table(self) -> DeltaVersion | None:
        table = delta_table(self._options.uri, self._connected())
        return None if table is None else self._version(table)

    def _made_or_checked(self) -> DeltaVersion:
        made, wanted, grows = (
            self._columns(self._schema),
            self._columns(self._reads),
            bool(self._exchanges),
        )
        return self._version(
            table_made_or_checked(self._options, made, wanted, self._envelope, self._connected(), grows=grows)
        )

    def _grown(self, table: LakeTable[DeltaFile], progress: Progress) -> DeltaVersion | None:
        """Files are only written anew where rows are not only added: with them the columns come; a log gets them in a version of its own."""
        assert isinstance(table, DeltaVersion)
        wanted = grown_columns(self._options, table.schema, self._columns(self._reads))
        if wanted == table.schema:
            return table
        if not table.allows(wanted):
            return None
        if self._envelope is SinkEnvelope.UPSERT:
            return table.with_columns(wanted)
        return self._table() if table.add_columns(wanted, progress) else None

    def _columns(self, schema: Schema) -> pa.Schema:
        return pa.schema([(c.name, lake_type(c)) for c in written_columns(schema, self._envelope)])

    def _version(self, table: DeltaTable) -> DeltaVersion:
        return DeltaVersion(table, filesystem(self._options.uri, self._connected()))

    def _connected(self) -> dict[str, str]:
        if self._storage is None:
            self._storage = storage_options(self._values)
        return self._storage
