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
_CHUNK = 200
_INVALID = "Encountered object with invalid path: "


@dataclass(frozen=True, slots=True)
class Found:
    """An object that was listed.  `version` changes when it is written anew: its ETag, or when it was written where there is none."""

    key: str
    version: str
    size: int


class Unnamed(SourceStalled):
    """An object whose key the client has no name for, and so cannot ask for: the bucket lists it no more."""


class Bucket:
    """`left_out` is the key of an object that the client cannot ask for.  Raises SourceStalled where it is refused, and ConnectionFailed where the connection may not lead there."""

    def __init__(self, options: S3Options, values: Values, timing: Timing = THREAD) -> None:
        self._options = options
        self._values = values
        self._timing = timing
        self._obstore = aws.client()
        self._store = aws.bucket_store(values, options.bucket)
        self._unnamed: set[Found] = set()
        self.left_out: str | None = None
        self._skipped = len(options.prefix) + 1 if options.prefix else 0

    def objects(self, after: str | None = None) -> list[Found]:
        """The source's objects, those alone whose keys come after `after`."""

        metas: list[Any] = []
        size = _CHUNK
        pages = self._pages(after, size)

        def page() -> list[Any] | None:
            nonlocal pages, size
            try:
                return next(pages, None)
            except Exception:
                # A chunk that takes several requests, of a store with small pages, would hardly get through where many fail.
                size = 1
                pages = self._pages(metas[-1]["path"] if metas else after, size)
                raise

        while (more := self._attempt(f"list {self._options.uri}", page)) is not None:
            metas += more
            if size < _CHUNK:
                size = min(4 * size, _CHUNK)
                pages = self._pages(metas[-1]["path"], size)
        listed: dict[str, Found] = {}
        self.left_out = None
        for meta in metas:
            if meta["size"] and self._wanted(meta["path"]):
                found = _found(meta)
                if found.key in listed or found in self._unnamed:
                    self.left_out = f"{found.key}/"  # the second is listed without its slash
                else:
                    listed[found.key] = found
        return sorted(listed.values(), key=lambda each: each.key)

    def _ends_in_slash(self, key: str) -> bool:
        """Whether the object that was listed so has a slash behind that: who asks for what lies below finds it there again."""
        page = next(iter(self._obstore.list(self._store, key, chunk_size=1)), ())
        return any(meta["path"] == key for meta in page)

    def _pages(self, after: str | None, size: int) -> Iterator[list[Any]]:
        prefix = self._options.prefix or None
        return iter(self._obstore.list(self._store, prefix, offset=after, chunk_size=size))

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
                    if self._attempt(f"list {self._options.uri}", lambda: self._ends_in_slash(found.key)):
                        self._unnamed.add(found)
                        raise Unnamed(f'object "{found.key}/" cannot be asked for') from None
                    raise vanished(found.key) from None
            if isinstance(error, self._obstore.exceptions.InvalidPathError):
                text = str(error).partition("\n\nDebug source:")[0]
                raise SourceStalled(
                    f"{self._options.uri} has a key that cannot be read: {text.removeprefix(_INVALID)}",
                    sqlstate="0A000",
                    hint="Keys with an empty part, or with a control character, have no name in the client: rename the object "
                    "(`aws s3 mv s3://bucket/p//x s3://bucket/p/x`), remove it, or give a longer prefix, below which there is none.",
                ) from None
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
