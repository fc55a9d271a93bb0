"""Replay: dead letters are decoded again, by what decodes the source's records now.

Those that are records now are rows of the source, and no dead letters any more; of those that still are not, the reason is what it is now,
and what the record was stays.  Both changes are to be committed in one.  It is for ENVELOPE NONE, where a row depends on its record alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..errors import Unsupported
from ..repr.batch import Batch, Indices, concat_batches
from ..repr.schema import Schema
from .connections.values import Values
from .connectors import Options, message_records
from .dead_letters import with_label
from .decode import WHOLE_RECORD, Decoded, ErrorList, check_not_null, empty_columns
from .formats.contract import DecodedPayloads, PayloadFormat
from .formats.csv import Csv
from .formats.json import JsonFields
from .projection import Projection
from .row_filter import RowFilter, judged_records
from .source.avro_file import AvroReader
from .source.avro_records import declared_columns
from .source.file import FileReader
from .source.file_options import FileOptions
from .source.kafka.letters import messages_of
from .source.kafka.options import KafkaOptions
from .source.kafka.records import Records
from .source.s3.letters import ObjectHeaders
from .source.s3.options import S3Options


class LetterDecoder(Protocol):
    def decode(self, letters: Sequence[pa.Array]) -> Decoded:
        """The records of dead letters, whose columns but for the reason are given, in their order.

        Raises PtvcError where something else than a record is in the way, such as a registry that does not answer."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """`rows` come to the source, and `letters` are changes of its dead letters; `decoded` of these have gone, `remaining` have stayed."""

    rows: Batch
    letters: Batch
    decoded: int
    remaining: int


def open_letters(options: Options, schema: Schema, connections: Mapping[str, Values]) -> LetterDecoder:
    """The decoder of a source with these options and columns."""
    match options:
        case KafkaOptions():
            return _MessageLetters(message_records(options, schema, connections))
        case FileOptions(format="json" | "csv"):
            reader = FileReader(
                options.path, pattern=options.pattern, header=options.header, delimiter=options.delimiter
            )
            return _LineLetters(options, schema, reader.fields)
        case S3Options(format="json" | "csv"):
            return _LineLetters(options, schema, ObjectHeaders(options, connections).fields)
        case FileOptions(format="avro"):
            files = AvroReader(options.path, pattern=options.pattern)
            return _AvroLetters(schema, files.schema)
        case S3Options(format="avro"):
            return _AvroLetters(schema, ObjectHeaders(options, connections).schema)
        case _:
            raise Unsupported("the source has no dead letters")


def replayed(
    found: Batch,
    letters: Schema,
    decoder: LetterDecoder,
    label: str,
    where: RowFilter | None = None,
    projection: Projection | None = None,
) -> Replayed:
    """`found` are dead letters as they are, and behind these columns as they are to be decoded; `label` is what reasons begin with.  A
    record that `where` leaves out is no dead letter any more, and no row."""
    width = len(letters)
    old = found.select(range(width))
    decoded = decoder.decode(found.columns[width : 2 * width - 1])
    keep = np.ones(len(found), np.bool_)
    if where is not None:
        decoded, keep = judged_records(where, decoded, by_key=False)
    if projection is not None:
        decoded = projection.of_records(decoded)
    bad, first = np.unique(decoded.errors.rows, return_index=True)
    good = np.ones(len(found), np.bool_)
    good[bad] = False
    kept = good & keep
    index = pa.array(np.flatnonzero(kept))
    rows = Batch(
        tuple(column.take(index) for column in decoded.columns), found.times[kept], found.diffs[kept]
    )
    still = old.take(bad)
    reasons = with_label(label, decoded.errors.messages.take(pa.array(first)))
    renewed = np.flatnonzero(pc.not_equal(still.columns[-1], reasons).to_numpy(zero_copy_only=False))
    anew = still.with_columns([*still.columns[:-1], reasons]).take(renewed)
    gone = concat_batches(letters, [old.take(np.flatnonzero(good)), still.take(renewed)]).negate()
    changes = concat_batches(letters, [gone, anew])
    return Replayed(rows, changes, int(found.diffs[good].sum()), int(still.diffs.sum()))


@dataclass(frozen=True, slots=True)
class _MessageLetters:
    records: Records

    def decode(self, letters: Sequence[pa.Array]) -> Decoded:
        return self.records.decode(messages_of(letters))


class _FileLetters(ABC):
    """Records of files, each with the name of its file and its number there."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema

    def decode(self, letters: Sequence[pa.Array]) -> Decoded:
        files, numbers, payloads = letters
        lines = numbers.to_numpy(zero_copy_only=False)
        errors = _LineErrors(self._schema, files, lines)
        for row in np.flatnonzero(payloads.is_null().to_numpy(zero_copy_only=False)).tolist():
            errors.add(row, WHOLE_RECORD, "23502", "the payload is NULL")
        columns = self._columns(files, payloads.fill_null(b"").cast(pa.large_binary()), errors)
        present = np.ones(len(lines), np.bool_)
        check_not_null(self._schema, columns, present, (), errors)
        return Decoded(tuple(columns), lines, present, errors.finish())

    def _columns(self, files: pa.Array, payloads: pa.LargeBinaryArray, errors: ErrorList) -> list[pa.Array]:
        if not len(files):
            return empty_columns(self._schema.columns, 0)
        parts: list[DecodedPayloads] = []
        places: list[Indices] = []
        for rows, format_ in self._formats(files):
            part = format_.decode(payloads.take(pa.array(rows)))
            parts.append(part)
            places.append(rows)
            found = part.errors
            for row, column, sqlstate, reason in zip(
                rows[found.rows].tolist(),
                found.columns.tolist(),
                found.sqlstates.to_pylist(),
                found.reasons.to_pylist(),
                strict=True,
            ):
                errors.add(row, column, sqlstate, reason)
        if len(parts) == 1:
            return list(parts[0].columns)
        back = pa.array(np.argsort(np.concatenate(places)))
        return [
            pa.concat_arrays(list(column)).take(back)
            for column in zip(*(part.columns for part in parts), strict=True)
        ]

    @abstractmethod
    def _formats(self, files: pa.Array) -> list[tuple[Indices, PayloadFormat]]:
        """Which letters are of which format, each once."""


class _LineLetters(_FileLetters):
    """Lines.  One with a header is read by that of its file, which `fields` knows."""

    def __init__(
        self, options: FileOptions | S3Options, schema: Schema, fields: Callable[[str], tuple[str, ...]]
    ) -> None:
        super().__init__(schema)
        self._options, self._fields = options, fields

    def _formats(self, files: pa.Array) -> list[tuple[Indices, PayloadFormat]]:
        options = self._options
        if options.format == "json":
            return [(np.arange(len(files)), JsonFields(self._schema))]
        settings = {"delimiter": options.delimiter}
        if not options.header:
            return [(np.arange(len(files)), Csv(self._schema, settings))]
        return [(rows, Csv(self._schema, settings, self._fields(name))) for name, rows in _by_file(files)]


class _AvroLetters(_FileLetters):
    """Records of Avro.  Each is read as what its file was written with, which `writer` knows."""

    def __init__(self, schema: Schema, writer: Callable[[str], str]) -> None:
        super().__init__(schema)
        self._writer = writer

    def _formats(self, files: pa.Array) -> list[tuple[Indices, PayloadFormat]]:
        return [
            (rows, declared_columns(name, self._writer(name), self._schema)) for name, rows in _by_file(files)
        ]


def _by_file(files: pa.Array) -> list[tuple[str, Indices]]:
    encoded = files.dictionary_encode()
    of_file = encoded.indices.to_numpy()
    return [
        (name, np.flatnonzero(of_file == place)) for place, name in enumerate(encoded.dictionary.to_pylist())
    ]


class _LineErrors(ErrorList):
    """Each record is of a file of its own."""

    def __init__(self, schema: Schema, files: pa.Array, lines: Indices) -> None:
        super().__init__(schema, "", lines)
        self._files = files

    def _message(self, row: int, column: int, reason: str) -> str:
        self._file = self._files[row].as_py()
        return super()._message(row, column, reason)
