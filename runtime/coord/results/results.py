"""What executing a statement yields: the coordinator's side of the contract with pgwire.

A session executes planned statements and answers with one of these; pgwire turns them into messages.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from ...errors import PlanChanged
from ...expr.datetimes.zones import Zone
from ...repr.schema import Schema
from ...sql.syntax.vocabulary import CopyOptions
from ...storage.export.place import Place
from ...storage.export.tasks import WrittenFile

Columns = tuple[pa.Array, ...]
"""One chunk of a result: Arrow arrays of equal length, in the order and of the types of the schema."""


class OneChunk:
    """The chunks of a result that is all there: it needs no time, and nothing ends it."""

    __slots__ = ("_columns",)

    def __init__(self, columns: Columns) -> None:
        self._columns: Columns | None = columns

    def __aiter__(self) -> OneChunk:
        return self

    async def __anext__(self) -> Columns:
        columns, self._columns = self._columns, None
        if columns is None:
            raise StopAsyncIteration
        return columns


@dataclass(frozen=True, slots=True)
class Notice:
    """A NoticeResponse.  `severity` is NOTICE, WARNING or INFO."""

    severity: str
    message: str
    sqlstate: str = "00000"
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class Rows:
    """A result set, streamed.  `tag` is the command's word (SELECT, SHOW, INSERT 0, ...); pgwire appends
    the number of rows, except where `fixed_tag` holds (EXPLAIN, SHOW).  Text of instants is in `zone`, None: UTC.  `binary` rows are
    sent so where the client has no say, that is in the simple protocol.  `endless` ones are sent as they come, and wait for
    more as long as the client likes."""

    schema: Schema
    chunks: AsyncIterator[Columns]
    tag: str = "SELECT"
    fixed_tag: bool = False
    zone: Zone | None = None
    binary: bool = False
    endless: bool = False


@dataclass(frozen=True, slots=True)
class Command:
    """A statement without rows; `tag` is complete (`INSERT 0 3`, `CREATE TABLE`).  `rest`: what a definition still waits for when it is made."""

    tag: str
    rest: Callable[[], Awaitable[None]] | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Empty:
    """An empty query string."""


@dataclass(slots=True)
class TaskFiles:
    """Files that the tasks of a Spark job write, if a job answers a query, and with more than `least_bytes`.

    `columns` are those of the answer that the result has.  Whoever asks for the rows may give a `writer`, as `FileWriting` has it, before:
    then there may be no rows to hand out, but the files that were `written` of them."""

    least_bytes: int
    columns: tuple[int, ...]
    writer: bytes | None = field(default=None, repr=False)
    written: tuple[WrittenFile, ...] | None = None


@dataclass(frozen=True, slots=True)
class Export:
    """Where COPY writes files, of about `max_file_bytes` each.  `tasks` is None if the rows have to pass one process, as they have an
    order or a limit.  `directory` is for files of its own meanwhile.  `by_tasks`: files may be written by tasks, which are on this machine."""

    place: Place
    max_file_bytes: int
    directory: Path
    tasks: TaskFiles | None
    by_tasks: bool


@dataclass(frozen=True, slots=True)
class CopyOut:
    """COPY ... TO STDOUT: the rows, to be written in the format of `options`; `endless` as in `Rows`.  With `export` they go there,
    and the client is told how many they were."""

    schema: Schema
    chunks: AsyncIterator[Columns]
    options: CopyOptions
    zone: Zone | None = None
    endless: bool = False
    export: Export | None = None


@dataclass(frozen=True, slots=True)
class CopyIn:
    """COPY ... FROM STDIN is open: pgwire decodes the client's data by `schema` (the columns that the statement
    names) and `options`, and hands the columns to `Session.copy_in`.  `table` is its name, for messages.

    With `optional`, the data may lack some of the columns: None stands for each of these.  `directory` is where data may
    wait that has to be complete before it can be read (None: the system's temporary directory)."""

    schema: Schema
    options: CopyOptions
    table: str = ""
    zone: Zone | None = None
    optional: bool = False
    directory: Path | None = None


def check_shape(described: Schema | None, found: Schema | None) -> None:
    """A prepared statement has rows of the types that it had when it was prepared: 0A000 if they have changed."""
    if described is not None and (found is None or _oids(described) != _oids(found)):
        raise PlanChanged("cached plan must not change result type", hint="Prepare the statement once more.")


def _oids(schema: Schema) -> tuple[int, ...]:
    return tuple(type_.oid for type_ in schema.types)


Result = Rows | Command | Empty | CopyOut | CopyIn
