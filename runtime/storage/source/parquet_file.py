"""Reading parquet files, each once and when it is complete: that is, when its footer can be read.

The position is JSON: `{"files": {name: {"rows": rows read, "groups": row groups read, "size": bytes, "check": crc}}}`.
A file that changes after it was begun, or vanishes, stalls the source.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ..shares import WHOLE, Piece, Sizes
from .directory import FileSet, FoundFile, SourceStalled, changed, vanished
from .file import Position
from .file_shares import ALL, Extent, FilePart, in_pieces

_MAGIC = b"PAR1"
_FOOTER_BYTES = 4096


@dataclass(frozen=True, slots=True)
class RowsPiece:
    """Rows of one file, the first of them number `first_row` (1-based)."""

    file: str
    first_row: int
    rows: pa.RecordBatch


@dataclass(frozen=True, slots=True)
class RowsChunk:
    """What one poll read.  `at_end`: nothing more was there; `lag_bytes`: about what is not read yet."""

    records: tuple[RowsPiece, ...]
    next_position: dict[str, Any]
    at_end: bool
    lag_bytes: int
    nbytes: int


class ParquetReader:
    """Polls one parquet file, or those of a directory; `check` refuses a file whose schema does not fit."""

    def __init__(
        self,
        path: str | Path,
        columns: tuple[str, ...],
        check: Callable[[pa.Schema, str], None],
        *,
        pattern: str | None = None,
        piece: Piece = WHOLE,
        extent: Extent = ALL,
    ) -> None:
        """Of a file that was not begun yet, the `piece` alone is read."""
        self.files = FileSet(Path(path), pattern, extent.names)
        self._columns = list(columns)
        self._check = check
        self._piece = piece

    def poll(self, position: Position | None, max_bytes: int) -> RowsChunk | None:
        """The row groups after `position`, until there are `max_bytes`; None when there are none.

        Raises SourceStalled, UndefinedColumn or DatatypeMismatch; the same call may be repeated.
        """
        known: dict[str, Any] = dict((position or {}).get("files", {}))
        found = self.files.list()
        gone = known.keys() - {file.name for file in found}
        if gone:
            raise vanished(min(gone), self.files.path)
        pieces: list[RowsPiece] = []
        progressed = False
        read, lag, at_end = 0, 0, True
        for file in found:
            mark = known.get(file.name)
            if mark is not None and mark["size"] != file.size:
                raise changed(file, "was changed after it was read")
            if mark is not None and mark["groups"] is None:
                continue  # read to its end
            if read >= max_bytes:
                at_end, lag = False, lag + file.size
                continue
            new, new_mark, nbytes, rest = self._read(file, mark, max_bytes - read)
            if new_mark is not None:
                known[file.name] = new_mark
                progressed = True
                at_end &= rest == 0
            pieces += new
            read, lag = read + nbytes, lag + rest
        return RowsChunk(tuple(pieces), {"files": known}, at_end, lag, read) if progressed else None

    def unread(self, file: FoundFile, mark: Position | None) -> int | None:
        """How many bytes of it can be read, about; None of one that `poll` is to judge."""
        if mark is not None:
            return None if mark["size"] != file.size else 0 if mark["groups"] is None else file.size
        try:
            with file.path.open("rb") as stream:
                stream.seek(max(0, file.size - len(_MAGIC)))
                return file.size if stream.read() == _MAGIC else 0
        except OSError:
            return None

    def divide(
        self, file: FoundFile, mark: Position | None, unread: int, sizes: Sizes
    ) -> tuple[FilePart, ...]:
        """Parts that others may read."""
        return in_pieces(file, mark, unread, sizes)

    def _read(
        self, file: FoundFile, mark: dict[str, Any] | None, limit: int
    ) -> tuple[list[RowsPiece], dict[str, Any] | None, int, int]:
        """Pieces, the file's new mark (None: not complete yet), bytes read, bytes left."""
        try:
            with file.path.open("rb") as stream:
                if stream.read(4) != _MAGIC[: min(4, file.size)]:
                    raise SourceStalled(
                        f'file "{file.name}" is not a parquet file', hint="Remove it, or give a pattern."
                    )
                stream.seek(max(0, file.size - _FOOTER_BYTES))
                footer = stream.read(_FOOTER_BYTES)
                check = zlib.crc32(footer)
                if not footer.endswith(_MAGIC) or file.size < 12:
                    return [], None, 0, file.size
                if mark is not None and mark["check"] != check:
                    raise changed(file, "was replaced after it was begun")
                stream.seek(0)
                return self._row_groups(pq.ParquetFile(stream), file, mark, check, limit)
        except FileNotFoundError as error:
            raise vanished(file.name, self.files.path) from error
        except (OSError, pa.ArrowInvalid) as error:
            raise SourceStalled(
                f'cannot read file "{file.name}": {error}', hint="Write it again under another name."
            ) from error

    def _row_groups(
        self, parquet: pq.ParquetFile, file: FoundFile, mark: dict[str, Any] | None, check: int, limit: int
    ) -> tuple[list[RowsPiece], dict[str, Any], int, int]:
        self._check(parquet.schema_arrow, file.name)
        first, stop = piece_groups(parquet, self._piece)
        place = (mark["groups"], mark["rows"]) if mark is not None else first
        pieces, group, row, nbytes = read_groups(parquet, self._columns, file.name, place, limit, stop)
        done = group >= parquet.num_row_groups
        rest = file.size * (stop - group) // max(1, parquet.num_row_groups)
        new_mark = {"rows": row, "groups": None if done else group, "size": file.size, "check": check}
        return pieces, new_mark, nbytes, rest


def piece_groups(parquet: pq.ParquetFile, piece: Piece) -> tuple[tuple[int, int], int]:
    """Where a piece of the file begins, as a place, and the row group where it ends."""
    first, stop = piece.units(parquet.num_row_groups)
    rows = sum(parquet.metadata.row_group(group).num_rows for group in range(first))
    return (first, rows), stop


def read_groups(
    parquet: pq.ParquetFile, columns: list[str], name: str, place: tuple[int, int], limit: int, stop: int
) -> tuple[list[RowsPiece], int, int, int]:
    """Row groups from `place` on, the group and the rows before it, up to the group `stop` or until there are `limit` bytes: pieces, the
    place behind them, and how many bytes they have."""
    group, row = place
    pieces: list[RowsPiece] = []
    nbytes = 0
    while group < stop and nbytes < limit:
        table = parquet.read_row_group(group, columns=columns, use_threads=False)
        for rows in table.combine_chunks().to_batches():
            pieces.append(RowsPiece(name, row + 1, rows))
            row += rows.num_rows
            nbytes += rows.nbytes
        group += 1
    return pieces, group, row, nbytes
