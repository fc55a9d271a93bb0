"""A sink into a lake's table: each interval is one commit, which holds the changes and how far they go.

```
the table as it is ── whose is the progress? ── files are written ── commit: nobody else has meanwhile
        └───────────────────── somebody has: what was written is removed ─────────────┘
```

Whoever opens the sink makes a commit in which nothing changes but the writer's name: whoever had the sink before cannot commit on what it
knew, looks who the sink belongs to, and has ended.  A commit whose outcome is not known is looked for in the table before anything else is
done; one that comes late after that finds another one than it follows.

Where what the sink reads is exchanged for something of other columns, the commit that goes over to it is in the columns of the exchange
(`exchange`), and the table gets those that it lacks, or wider types: in the same commit, or in one before it in which nothing else changes.
"""

from __future__ import annotations

import secrets
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Generic

import pyarrow as pa

from ....errors import PtvcError
from ....repr.batch import Batch
from ....repr.consolidate import consolidate
from ....repr.schema import Schema
from ...connections.failures import scrubbed
from ...connections.values import Values
from ...lake.columns import KeySet, lake_arrays, refuse_null_keys
from ..change_records import SinkEnvelope
from ..contract import RowsNotAsLeft, SinkStalled, SinkStatistics, fenced, refuse_lost
from .columns import log_arrays, row_arrays, written_columns
from .exchange import Exchange
from .intervals import IntervalSink, net_changes
from .rewrite import NotAsLeft, planned
from .table import F, LakeTable, Progress, Unreadable, all_written

ATTEMPTS = 10
"""Commits of others that may come in between before the sink says that it waits."""


class LakeSink(IntervalSink, Generic[F]):
    """`_errors` are what the library raises for what is outside."""

    _errors: tuple[type[Exception], ...]

    def __init__(
        self,
        shown: str,
        identity: str,
        schema: Schema,
        envelope: SinkEnvelope,
        key: Sequence[int],
        generation: int,
        as_of: int,
        interval_ms: int,
        connections: Sequence[Values],
        term: int,
        formers: Mapping[int, Schema],
    ) -> None:
        """`shown` is the name of the table in messages, in which nothing of the connections' secrets is; `as_of` is the time of the
        contents that the sink begins with, `formers` what it has read in generations before of which the table may show one.  Of two that
        write as this sink the one with the lower `term` has been replaced, and gives way; so does who comes second with the same one, which a
        copy of the runtime alone can have."""
        super().__init__(schema, generation, interval_ms)
        self._reads = schema
        self._exchanges = {number: Exchange.between(former, schema) for number, former in formers.items()}
        self._shown = shown
        self._identity = identity
        self._envelope = envelope
        self._key = tuple(key)
        self._as_of = as_of
        self._term = term
        self._secrets = [secret for values in connections for secret in values.secrets.values()]
        self._writer = secrets.token_hex(7)  # a number below 2**56
        self._claimed = False
        self._wrote(min(formers, default=0))

    @abstractmethod
    def _table(self) -> LakeTable[F] | None:
        """As it is now; None: there is none.  Raises SinkStalled where it cannot be written to any more."""

    @abstractmethod
    def _made_or_checked(self) -> LakeTable[F]:
        """One that is made has the columns of the exchange.  Raises SinkStalled where a table is there that does not take what the sink writes,
        nor would after `_grown`."""

    @abstractmethod
    def _grown(self, table: LakeTable[F], progress: Progress) -> LakeTable[F] | None:
        """The table with columns for all that the sink writes, which a commit of it makes; None where somebody else has committed since.
        `progress` is that so far.  Raises SinkStalled for a column that does not become what is written."""

    @abstractmethod
    def close(self) -> None:
        """What was not committed is left out."""

    # -- taking the target --

    def open(self) -> int:
        """Raises SinkStalled where the table does not let the sink write, and SinkFenced where a later one has been here."""
        with self._explained():
            for _ in range(ATTEMPTS):
                table = self._owned_table() if self._claimed else self._made_or_checked()
                self._take_progress(table)
                if table.commit([], [], self._progress(self._durable_upper, self._written_generation)):
                    self._claimed = True
                    return self._begin()
        raise self._crowded()

    def check_follows(self, acknowledged: int) -> None:
        hint = "It was rolled back or made anew, or its history expired: drop the sink, and create it with a table of its own."
        refuse_lost(f'table "{self._shown}"', self._durable_upper, acknowledged, self._as_of, hint)

    def _owned_table(self) -> LakeTable[F]:
        """The table as it is now, with what is durable in it.  Raises as `_take_progress`."""
        table = self._table()
        if table is None:
            raise self._exchanged("is gone")
        self._take_progress(table)
        return table

    def _take_progress(self, table: LakeTable[F]) -> None:
        """Raises SinkFenced, and SinkStalled where it is not the table that the sink has written to."""
        found = table.progress(self._identity)
        if found is None:
            if self._claimed:
                raise self._exchanged("has no progress of the sink any more")
            self._refuse_rows(table)
            return
        other = found.writer != self._writer
        if other and (self._claimed or found.term >= self._term):
            raise fenced(f'table "{self._shown}"')
        if table.rolled_back(self._identity) or (self._claimed and found.upper < self._durable_upper):
            raise self._exchanged("was rolled back to what it was before commits of the sink")
        self._durable_upper = found.upper
        self._wrote(found.generation)

    def _wrote(self, generation: int) -> None:
        """The table shows what the sink has read in that generation."""
        self._written_generation = generation
        exchange = self._exchanges.get(generation)
        self._schema = self._reads if exchange is None else exchange.schema

    def _exchanged(self, what: str) -> SinkStalled:
        return SinkStalled(
            f'table "{self._shown}" {what}',
            sqlstate="55000",
            hint="Restore it, or drop the sink, and create it again with a table of its own.",
        )

    def _refuse_rows(self, table: LakeTable[F]) -> None:
        """A sink that begins would not know which rows are its own."""
        if self._envelope is SinkEnvelope.UPSERT and any(file.count for file in self._live_files(table)):
            raise SinkStalled(
                f'table "{self._shown}" has rows that are not of the sink',
                sqlstate="55000",
                hint="Empty it, or give the sink a table of its own.",
            )

    # -- writing --

    @property
    def writes_net(self) -> bool:
        return self._envelope is SinkEnvelope.UPSERT

    def _look(self) -> None:
        with self._explained():
            self._owned_table()

    def _commit(
        self, changes: Batch, upper: int, generation: int, between: Callable[[], None]
    ) -> SinkStatistics:
        with self._explained():
            for _ in range(ATTEMPTS):
                table = self._owned_table()
                if self._durable_upper >= upper:
                    return SinkStatistics()  # a commit that got no answer was done
                if self._written_generation in self._exchanges and generation != self._written_generation:
                    grown = self._grown(table, self._progress(self._durable_upper, self._written_generation))
                    if grown is None:
                        continue
                    table = grown
                added: list[F] = []
                try:
                    rows, removed = self._changed(table, changes, added, between)
                except Exception:
                    with suppress(*self._errors):  # then they are left for those who tidy the lake up
                        table.discard(added)
                    raise
                if table.commit(added, removed, self._progress(upper, generation)):
                    self._durable_upper = upper
                    self._wrote(generation)
                    size = sum(file.nbytes for file in added)
                    return SinkStatistics(messages_staged=rows, bytes_staged=size, files=len(added))
                table.discard(added)
        raise self._crowded()

    def _changed(
        self, table: LakeTable[F], changes: Batch, added: list[F], between: Callable[[], None]
    ) -> tuple[int, list[F]]:
        """How many changes there are, and the files that go with them; those that come are written, and put into `added`."""
        if self._envelope is SinkEnvelope.NONE:
            log = consolidate(changes)
            rows = self._in_columns(table, log_arrays(self._schema, log))
            added.extend(all_written(table, rows, between))
            return len(log), []
        net = net_changes(self._schema, changes, self._key)
        columns = [self._schema[index] for index in self._key]
        keys = lake_arrays([net.keys.columns[index] for index in self._key], columns)
        refuse_null_keys(keys, columns)
        names = [column.name for column in columns]
        try:
            files = self._live_files(table)
            rewrite = planned(files, names, KeySet(keys), net.was_there, between, whole=table.rewrites_all)
        except NotAsLeft as error:
            raise RowsNotAsLeft(
                f'table "{self._shown}" {error}',
                sqlstate="55000",
                hint="Either the sink's key does not identify rows of what it reads, or somebody else has written to the table: "
                "put the rows back, or drop the sink, and create it with a table of its own.",
            ) from None
        rows = self._in_columns(table, row_arrays(self._schema, net.rows))
        added.extend(rewrite.written(table, rows, between))
        return len(net.keys), rewrite.removed

    def _in_columns(self, table: LakeTable[F], arrays: Sequence[pa.Array]) -> pa.Table:
        """Rows of the table's.  Raises SinkStalled where it has lost a column: its values would be lost with it."""
        lost = {column.name for column in written_columns(self._reads, self._envelope)} - table.names
        if lost:
            raise self._exchanged(f'has no column "{min(lost)}" any more')
        names = [column.name for column in written_columns(self._schema, self._envelope)]
        return table.in_columns(names, arrays)

    def _live_files(self, table: LakeTable[F]) -> Sequence[F]:
        try:
            return table.files()
        except Unreadable:
            raise SinkStalled(
                f'table "{self._shown}" has rows that are marked as deleted beside its files, which is not of the sink',
                sqlstate="55000",
                hint="Have what writes them rewrite the data files, and let the sink alone write to the table.",
            ) from None

    def _progress(self, upper: int, generation: int) -> Progress:
        return Progress(self._identity, upper, self._writer, self._term, generation)

    def _crowded(self) -> SinkStalled:
        return SinkStalled(
            f'others commit to table "{self._shown}" all the time: none of {ATTEMPTS} commits of the sink went through',
            sqlstate="40001",
        )

    # -- what is outside --

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """After any failure the next one connects anew, and looks what has become of what was being done."""
        try:
            yield
        except PtvcError:
            self.close()
            raise
        except self._errors as error:
            self.close()
            text = scrubbed(str(error), self._secrets)
            raise SinkStalled(f'cannot write to table "{self._shown}": {text}', sqlstate="58030") from None
        except BaseException:
            self.close()
            raise
