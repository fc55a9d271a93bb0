"""A prefix of S3 as the place of an export.  A file is collected on the server's disk, and put whole: an object appears with its last byte."""

from __future__ import annotations

import errno
import secrets
import tempfile
from collections.abc import Callable, Collection
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from ...errors import DiskFull, PtvcError
from ..connections import aws
from ..connections.values import Values
from .place import INCOMPLETE, PART, SUCCESS, not_empty

T = TypeVar("T")


class BucketPlace:
    """`spool` is the directory for files that are being written."""

    def __init__(self, values: Values, bucket: str, prefix: str, spool: Path) -> None:
        self._values = values
        self._bucket = bucket
        self._prefix = f"{prefix}/" if prefix else ""
        self._spool = spool
        self._published: list[str] = []
        self._stream: BinaryIO | None = None
        self._token = secrets.token_hex(16).encode()

    def begin(self) -> None:
        self._attempt("write to", self._take)
        if (other := self._attempt("list", self._other)) is not None:
            self._delete([INCOMPLETE])
            raise not_empty(self._uri, other)

    def open(self) -> BinaryIO:
        self._spool.mkdir(parents=True, exist_ok=True)
        self._stream = tempfile.TemporaryFile(dir=self._spool)  # noqa: SIM115  # closed by publish, or undo
        return self._stream

    def publish(self, name: str, stream: BinaryIO) -> None:
        self._published.append(name)

        def put() -> None:
            stream.seek(0)
            aws.client().put(self._store, self._prefix + name, stream, max_concurrency=4)

        self._attempt("write to", put)
        stream.close()

    def for_tasks(self) -> BucketPlace:
        return BucketPlace(self._values, self._bucket, self._prefix.removesuffix("/"), self._spool)

    def keep_only(self, names: Collection[str]) -> None:
        parts = self._attempt("list", self._parts)
        self._delete([name for name in parts if name not in names])

    def finish(self, manifest: bytes) -> None:
        stream = self.open()
        stream.write(manifest)
        self.publish(SUCCESS, stream)
        self._delete([INCOMPLETE])

    def undo(self) -> None:
        if self._stream is not None:
            self._stream.close()
        self._delete([*reversed(self._published)])
        self._delete([INCOMPLETE])

    @property
    def _uri(self) -> str:
        return f"s3://{self._bucket}/{self._prefix}"

    @cached_property
    def _store(self) -> Any:
        return aws.bucket_store(self._values, self._bucket)

    def _take(self) -> None:
        """Of two exports that begin there at once one finds that of the other; its own it knows, when the answer was lost."""
        obstore, key = aws.client(), self._prefix + INCOMPLETE
        try:
            obstore.put(self._store, key, self._token, mode="create")
        except obstore.exceptions.AlreadyExistsError as error:
            try:
                found = bytes(obstore.get(self._store, key).bytes())
            except FileNotFoundError:
                raise error from None  # another one was being written: it is tried again
            if found != self._token:
                raise not_empty(self._uri, INCOMPLETE) from None

    def _other(self) -> str | None:
        """The name of an object that is there beside the sentinel."""
        for page in aws.client().list(self._store, self._prefix or None, chunk_size=10):
            for meta in page:
                name = str(meta["path"]).removeprefix(self._prefix)
                if name != INCOMPLETE:
                    return name
        return None

    def _parts(self) -> list[str]:
        pages = aws.client().list(self._store, self._prefix or None)
        names = [str(meta["path"]).removeprefix(self._prefix) for page in pages for meta in page]
        return [name for name in names if name.startswith(PART)]

    def _delete(self, names: list[str]) -> None:
        for name in names:
            self._attempt("delete from", lambda name=name: self._gone(name))  # type: ignore[misc]

    def _gone(self, name: str) -> None:
        try:
            aws.client().delete(self._store, self._prefix + name)
        except FileNotFoundError:
            return  # it is what was asked for, or the answer to an earlier attempt was lost

    def _attempt(self, what: str, operation: Callable[[], T]) -> T:
        failures = (aws.client().exceptions.BaseError, OSError)
        try:
            return aws.attempt(operation)
        except failures as error:
            if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise DiskFull("no room for a file that is to be exported") from error
            # Without its cause: that has the whole address of the request.
            raise PtvcError(
                f"cannot {what} {self._uri}: {aws.refusal(error, self._values)}",
                sqlstate="58030",
                hint="The connection's keys need s3:PutObject, s3:GetObject and s3:DeleteObject on the prefix, and s3:ListBucket on the "
                "bucket.",
            ) from None
