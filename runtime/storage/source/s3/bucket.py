"""A bucket as an S3 source sees it: the objects below a prefix in the order of their keys, and bytes of one of them.

An object is read as what it was when it was listed: its ETag goes with every request, so that one that has changed in between is
noticed, never mixed.
"""

from __future__ import annotations

import fnmatch
import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from ....retry import THREAD, Timing
from ...connections import aws
from ...connections.values import Values
from ..directory import SourceStalled
from .options import S3Options

T = TypeVar("T")

_HIDDEN = (".", "_")
_PAGE = 200


@dataclass(frozen=True, slots=True)
class Found:
    """An object that was listed.  `version` changes when it is written anew: its ETag, or when it was written where there is none."""

    key: str
    version: str
    size: int


class Bucket:
    """Raises SourceStalled where it is refused, and ConnectionFailed where the connection may not lead there."""

    def __init__(self, options: S3Options, values: Values, timing: Timing = THREAD) -> None:
        self._options = options
        self._values = values
        self._timing = timing
        self._obstore = aws.client()
        self._store = aws.bucket_store(values, options.bucket)
        self._skipped = len(options.prefix) + 1 if options.prefix else 0

    def objects(self, after: str | None = None) -> list[Found]:
        """The source's objects, those alone whose keys come after `after`."""

        metas: list[Any] = []
        pages = self._pages(after)

        def page() -> list[Any] | None:
            nonlocal pages
            try:
                return next(pages, None)
            except Exception:
                pages = self._pages(metas[-1]["path"] if metas else after)
                raise

        while (more := self._attempt(f"list {self._options.uri}", page)) is not None:
            metas += more
        found = [_found(meta) for meta in metas if meta["size"] and self._wanted(meta["path"])]
        return sorted(found, key=lambda each: each.key)

    def _pages(self, after: str | None) -> Iterator[list[Any]]:
        prefix = self._options.prefix or None
        return iter(self._obstore.list(self._store, prefix, offset=after, chunk_size=_PAGE))

    def find(self, key: str) -> Found:
        """The object as it is now.  Raises SourceStalled where there is none."""

        def headed() -> Found:
            return _found(self._obstore.head(self._store, key))

        return self._attempt(f'read object "{key}"', headed, Found(key, "", 0))

    def read(self, found: Found, start: int, end: int) -> memoryview:
        """Its bytes `[start, end)`."""
        asked: dict[str, Any] = {"range": (start, end)}
        if found.version.startswith('"'):
            asked["if_match"] = found.version

        def got() -> memoryview:
            result = self._obstore.get(self._store, found.key, options=asked)
            if _found(result.meta) != found:
                raise changed(found)
            return memoryview(result.bytes())

        return self._attempt(f'read object "{found.key}"', got, found)

    def open(self, found: Found) -> RangeFile:
        return RangeFile(self, found)

    def _wanted(self, key: str) -> bool:
        name = key[self._skipped :]
        if any(part.startswith(_HIDDEN) for part in name.split("/")):
            return False
        pattern = self._options.pattern
        return pattern is None or fnmatch.fnmatchcase(name, pattern)

    def _attempt(self, what: str, operation: Callable[[], T], found: Found | None = None) -> T:
        failures = (self._obstore.exceptions.BaseError, OSError)
        try:
            return aws.attempt(operation, self._timing)
        except failures as error:
            if found is not None:
                if isinstance(error, self._obstore.exceptions.PreconditionError):
                    raise changed(found) from None
                if isinstance(error, FileNotFoundError) and "NoSuchBucket" not in str(error):
                    raise vanished(found.key) from None
            # Without its cause: that has the whole address of the request.
            raise SourceStalled(
                f"cannot {what}: {aws.refusal(error, self._values)}",
                hint="It is tried again. The connection's keys need s3:ListBucket on the bucket and s3:GetObject on its objects.",
            ) from None


class RangeFile(io.RawIOBase):
    """An object as a file: what is read of it is asked for as a range."""

    def __init__(self, bucket: Bucket, found: Found) -> None:
        super().__init__()
        self._bucket = bucket
        self._found = found
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._found.size}[whence]
        self._at = base + offset
        return self._at

    def readinto(self, buffer: Any) -> int:
        end = min(self._at + len(buffer), self._found.size)
        if end <= self._at:
            return 0
        data = self._bucket.read(self._found, self._at, end)
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)


def _found(meta: Any) -> Found:
    return Found(meta["path"], meta["e_tag"] or meta["last_modified"].isoformat(), meta["size"])


def vanished(key: str) -> SourceStalled:
    return SourceStalled(
        f'object "{key}" has vanished',
        hint="Put it back as it was, or drop the source and create it again.",
    )


def changed(found: Found) -> SourceStalled:
    return SourceStalled(
        f'object "{found.key}" has changed after it was found',
        hint="Objects of a source are written once: put the old content back and add corrections in a new object, or drop "
        "the source and create it again.",
    )
