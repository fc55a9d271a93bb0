"""Reading the objects below a prefix, each once, in the order of their keys as they are found.

```
scan: list ── new ones wait ── fetched ahead by threads ── poll: pieces of objects, in order, up to a chunk
        └ one that was read has changed or vanished: the source stalls
```

The position is JSON: `{"objects": how many were read to their ends, "object": the one that was begun, and where it stands, or null}`.
Which ones were read is recorded beside it (`ledger.py`), by the commit that has their last rows.
"""

from __future__ import annotations

import io
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from time import monotonic
from typing import Any

from ....errors import PtvcError, StorageError
from ....repr.batch import Batch
from ....repr.schema import Schema
from ...connections.values import Values
from ...decode import Decoded
from ...decode_parquet import ParquetDecoder
from ...ingestion import Outputs, Polled, Waiting
from ...shares import WHOLE, Piece, Share, ShareRead, Sizes
from ..avro_records import AvroRecords
from ..file_connectors import sole
from ..line_records import LineRecords
from ..line_stream import BEGIN, LineStream, Place
from .bucket import Bucket, Found, Unnamed, changed, vanished
from .ledger import Ledger, ledger_rows
from .object_shares import object_shares
from .objects import AvroObject, LineObject, ObjectReader, ParquetObject, buffered
from .options import S3Options

WHOLE_BYTES = 16 << 20
"""Up to here an object is fetched by one request, ahead of its turn."""
AHEAD_BYTES = 64 << 20
AHEAD_OBJECTS = 256
MOST_OBJECTS = 1000
"""Of one commit."""
THREADS = 16
FULL_SCANS = 10
"""Of so many scans one asks for all objects, where there are more than one answer holds; the others for those behind the last one."""
ONE_ANSWER = 1000


class S3Connector:
    def __init__(
        self,
        options: S3Options,
        schema: Schema,
        key: tuple[int, ...],
        connections: Mapping[str, Values],
        recorded: Iterable[Batch] = (),
        only: Sequence[Found] | None = None,
        piece: Piece = WHOLE,
        *,
        numbered: bool = False,
    ) -> None:
        """`recorded` is what stands beside the position.  Nothing outside is touched before the first poll.  A task has `only` these
        objects, and the `piece` of one; with `numbered` the numbers of its records are exact also where none is in error."""
        self._options = options
        self._only = only
        self._piece = piece
        self._numbered = numbered
        self._shared: Sequence[Found] = ()
        self._connections = connections
        self._parquet = ParquetDecoder(schema, key) if options.format == "parquet" else None
        self._avro = AvroRecords(schema, key) if options.format == "avro" else None
        self._lines = (
            LineRecords(options.format, schema, key, options.delimiter)
            if self._parquet is None and self._avro is None
            else None
        )
        self._ledger = Ledger(recorded)
        self._bucket_: Bucket | None = None
        self._threads: ThreadPoolExecutor | None = None
        self._ahead: dict[Found, Future[memoryview]] = {}
        self._waiting: deque[Found] = deque()
        self._lag = 0
        self._begun: Found | None = None
        self._open: tuple[Found, Place, ObjectReader] | None = None
        self._position: Mapping[str, Any] | None = None
        self._next: Mapping[str, Any] | None = None
        self._taken: list[Found] = []
        self._started = False
        self._scans = 0
        self._scan_at = 0.0
        self._failure: PtvcError | None = None

    def close(self) -> None:
        if self._threads is not None:
            self._threads.shutdown(wait=False, cancel_futures=True)

    def poll(
        self, position: Mapping[str, Any] | None, outputs: Outputs, max_bytes: int
    ) -> Polled | Waiting | None:
        self._settle(position)
        if self._failure is not None and monotonic() < self._scan_at:
            raise self._failure
        self._failure = None
        try:
            if not self._waiting and not self._scan():
                return self._nothing()
            return self._chunk(outputs, max_bytes)
        except Unnamed:
            self._scan_at, self._scans = 0.0, 0
            self._forget()
            return None
        except PtvcError as error:
            self._failed(error)
            raise

    def _nothing(self) -> Waiting | None:
        key = self._bucket.left_out
        return (
            None if key is None else Waiting(f'object "{key}" is left out, as its key has a slash at its end')
        )

    def shares(self, position: Mapping[str, Any] | None, min_bytes: int, sizes: Sizes) -> Sequence[Share]:
        self._settle(position)
        try:
            if not self._waiting and (self._failure is not None or not self._scan()):
                return ()
        except PtvcError as error:
            self._failed(error)
            return ()  # as `poll` will say
        if self._lag < min_bytes:
            return ()
        self._stop_fetching()
        at = position if self._begun is not None else None
        self._shared, shares = object_shares(self._waiting, at, sizes, divisible=self._lines is None)
        return shares

    def read_by_shares(self, reads: Sequence[ShareRead], outputs: Outputs) -> Polled:
        taken = list(self._shared)
        for found in taken:
            assert self._waiting.popleft() == found, "they were waiting"
            self._lag -= found.size
        self._shared, self._begun = (), None
        return self._polled({}, taken, None, sum(read.nbytes for read in reads))

    def _failed(self, error: PtvcError) -> None:
        """What is there is looked at anew, but not at once: the source is asked again ten times a second."""
        self._failure = error
        self._scan_at = monotonic() + self._options.scan_ms / 1000
        self._scans = 0
        self._forget()

    def _settle(self, position: Mapping[str, Any] | None) -> None:
        """What the last chunk had is durable if its position is; else it is read again."""
        if not self._started:
            self._started = True
            count = 0 if position is None else position["objects"]
            if count != len(self._ledger):
                raise StorageError(
                    f"the source has read {count} objects, of which {len(self._ledger)} are recorded"
                )
        elif self._taken or self._next is not None:
            if position == self._next:
                self._ledger.add(self._taken)
            else:
                assert position == self._position, "the durable position comes again"
                self._forget()
                self._scan_at, self._scans = 0.0, 0
            self._taken, self._next = [], None
        self._position = position
        found = (position or {}).get("object")
        self._begun = None if found is None else Found(found["key"], found["version"], found["size"])

    def _forget(self) -> None:
        """What waits is found anew."""
        self._waiting.clear()
        self._lag = 0
        self._stop_fetching()

    def _stop_fetching(self) -> None:
        self._open = None
        for future in self._ahead.values():
            future.cancel()
        self._ahead.clear()

    def _scan(self) -> bool:
        """Whether there are objects to read."""
        now = monotonic()
        if now < self._scan_at:
            return False
        if self._only is not None:
            self._scan_at = float("inf")
            self._waiting, self._lag = deque(self._only), sum(found.size for found in self._only)
            return True
        full = self._begun is not None or self._scans % FULL_SCANS == 0 or len(self._ledger) < ONE_ANSWER
        new = self._all() if full else self._bucket.objects(self._ledger.last)
        self._scan_at = monotonic() + self._options.scan_ms / 1000
        self._scans += 1
        self._waiting = deque(new)
        self._lag = sum(found.size for found in new)
        return bool(new)

    def _all(self) -> list[Found]:
        """The objects that were not read to their ends, first that which was begun."""
        new, other, gone = self._ledger.compare(self._bucket.objects())
        if other is not None:
            raise changed(other)
        if gone is not None and not self._options.keep_deleted:
            raise vanished(gone)
        if (begun := self._begun) is None:
            return new
        now = next((found for found in new if found.key == begun.key), None)
        if now is None:
            raise vanished(begun.key)
        if now != begun:
            raise changed(now)
        return [begun, *(found for found in new if found is not now)]

    def _chunk(self, outputs: Outputs, max_bytes: int) -> Polled:
        records: list[Decoded] = []
        nbytes = 0
        end: Place | None = None
        begun: Found | None = None
        taken: list[Found] = []
        while self._waiting and nbytes < max_bytes and len(taken) < MOST_OBJECTS:
            begun = self._waiting[0]
            if begun not in self._ahead:
                self._fetch_ahead()
            reader = self._reader(begun)
            part = reader.read(max_bytes - nbytes)
            records += part.records
            nbytes += part.nbytes
            if (end := part.end) is not None:
                self._open = (begun, end, reader)
                break
            self._open = None
            self._waiting.popleft()
            self._lag -= begun.size
            taken.append(begun)
            self._begun = begun = None
        self._fetch_ahead()  # while this is committed
        place = None
        if begun is not None and end is not None:
            place = {"key": begun.key, "version": begun.version, "size": begun.size, "at": list(end)}
        return self._polled(sole(outputs, tuple(records)), taken, place, nbytes)

    def _polled(
        self, contents: dict[str, Any], taken: list[Found], place: dict[str, Any] | None, nbytes: int
    ) -> Polled:
        self._taken = taken
        self._next = {"objects": len(self._ledger) + len(taken), "object": place}
        known = len(self._ledger) + len(taken) + len(self._waiting)
        return Polled(
            contents,
            self._next,
            not self._waiting,
            self._lag,
            nbytes,
            offset_known=known,
            offset_committed=self._next["objects"],
            recorded=ledger_rows(taken) if taken else None,
        )

    def _reader(self, found: Found) -> ObjectReader:
        """The object from where the position says, which goes on being read if it is open there."""
        place = BEGIN
        if found == self._begun and self._position is not None and self._position["object"] is not None:
            first, second = self._position["object"]["at"]
            place = (first, second)
        if self._open is not None and self._open[:2] == (found, place):
            return self._open[2]
        raw: Any
        if found.size <= WHOLE_BYTES:
            raw = io.BytesIO(self._fetched(found))
        else:
            raw = self._bucket.open(found) if self._parquet else buffered(self._bucket.open(found))
        if self._parquet is not None:
            return ParquetObject(found.key, raw, place, self._parquet, self._piece)
        if self._avro is not None:
            records, piece = self._avro, self._piece
            return AvroObject(found.key, raw, found.size, place, records, piece, numbered=self._numbered)
        assert self._lines is not None
        delimiter = self._options.delimiter
        lines = LineStream(found.key, raw, place, header=self._header, delimiter=delimiter, what="object")
        return LineObject(lines, self._lines.decode)

    @property
    def _header(self) -> bool:
        return self._options.format == "csv" and self._options.header

    def _fetch_ahead(self) -> None:
        if self._threads is None:
            self._threads = ThreadPoolExecutor(THREADS, "s3 source")
        total = 0
        for found in islice(self._waiting, AHEAD_OBJECTS):
            if found.size > WHOLE_BYTES or total > AHEAD_BYTES:
                return
            total += found.size
            if found not in self._ahead:
                self._ahead[found] = self._threads.submit(self._bucket.read, found, 0, found.size)

    def _fetched(self, found: Found) -> memoryview:
        future = self._ahead.pop(found, None)
        return self._bucket.read(found, 0, found.size) if future is None else future.result()

    @property
    def _bucket(self) -> Bucket:
        if self._bucket_ is None:
            self._bucket_ = Bucket(self._options, self._connections[self._options.connection])
        return self._bucket_
