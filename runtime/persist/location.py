"""Where persist keeps things: a consensus and the blobs that belong to it, each named by a URL.

```
sqlite:                                   consensus.sqlite in the environment's directory (the default)
sqlite:///path/file.sqlite                that file
postgresql://user@host:port/database      a PostgreSQL database
file:                                     blobs/ in the environment's directory (the default)
file:///path                              that directory
s3://bucket/prefix?endpoint=URL&region=R  objects in S3, or in what speaks its protocol
```

A URL holds all that another process needs to open the same store, but for secrets: those come from that process's
environment variables.  So a URL may stand on a command line, in a log and in a file, and one with a password is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, parse_qsl, unquote, urlencode, urlsplit

from ..directory import BLOB_DIRECTORY, CONSENSUS_FILE
from ..errors import InvalidParameter, Unsupported
from .blob.base import Blob
from .blob.file import FileBlob
from .blob.objects import FileObjects, Objects

if TYPE_CHECKING:
    from .blob.s3_client import Place

DEFAULT_CONSENSUS = "sqlite:"
DEFAULT_BLOB = "file:"

_CONSENSUS_HINT = "Name sqlite:///path/file.sqlite, or postgresql://user@host:port/database."
_BLOB_HINT = "Name file:///path, or s3://bucket/prefix."
_PASSWORD_HINT = "Give it in PGPASSWORD or in ~/.pgpass: the URL is shown and kept."
_SECRET_HINT = "Give them in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY: the URL is shown and kept."
_SECRETS = re.compile(r"key|secret|token|password|credential", re.IGNORECASE)
_BUCKET = re.compile(r"[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]")


@dataclass(frozen=True, slots=True)
class Location:
    """The two URLs, as they were named; those of the defaults mean files in whatever directory the environment has."""

    consensus: str = DEFAULT_CONSENSUS
    blob: str = DEFAULT_BLOB

    def under(self, directory: Path) -> Location:
        """The same with the defaults' places, for processes that know of no directory."""
        directory = directory.resolve()
        consensus, blob = self.consensus, self.blob
        if consensus == DEFAULT_CONSENSUS:
            consensus = "sqlite" + (directory / CONSENSUS_FILE).as_uri().removeprefix("file")
        if blob == DEFAULT_BLOB:
            blob = (directory / BLOB_DIRECTORY).as_uri()
        return Location(consensus, blob)


def consensus_url(text: str) -> str:
    """The URL of a consensus, as somebody typed it.  Raises InvalidParameter, which names no secret."""
    url = _split("consensus", text, _CONSENSUS_HINT)
    match url.scheme:
        case "sqlite":
            return DEFAULT_CONSENSUS if text == DEFAULT_CONSENSUS else _local("consensus", url, text)
        case "postgresql" | "postgres":
            if url.password or any(name == "password" for name, _ in parse_qsl(url.query)):
                raise InvalidParameter("the URL of the consensus has a password in it", hint=_PASSWORD_HINT)
            return text
        case _:
            raise _no_place("consensus", url, _CONSENSUS_HINT)


def blob_url(text: str, environment: Mapping[str, str]) -> str:
    """The URL of blobs, as somebody typed it.  Of `environment`, what says where S3 is becomes part of the URL, so that
    every process looks in the same place.  Raises InvalidParameter, which names no secret."""
    url = _split("blobs", text, _BLOB_HINT)
    match url.scheme:
        case "file":
            return DEFAULT_BLOB if text == DEFAULT_BLOB else _local("blobs", url, text)
        case "s3":
            return _s3(url, environment)
        case _:
            raise _no_place("blobs", url, _BLOB_HINT)


def open_blob(url: str) -> Blob:
    """The blobs at a URL that is no default; cheap enough for every task.  StorageError if they cannot be opened."""
    split = urlsplit(url)
    if split.scheme == "file":
        return FileBlob(unquote(split.path))
    with _needing_extra(split):
        from .blob.s3 import S3Blob
    return S3Blob(_place(split))


def open_objects(url: str) -> Objects:
    """The objects beside the blobs at a URL; as `open_blob`."""
    split = urlsplit(url)
    if split.scheme == "file":
        return FileObjects(unquote(split.path))
    with _needing_extra(split):
        from .blob.s3_objects import S3Objects
    return S3Objects(_place(split))


@contextmanager
def _needing_extra(url: SplitResult) -> Iterator[None]:
    """What is imported inside not everybody has."""
    try:
        yield
    except ImportError as error:
        raise Unsupported(
            f"{url.scheme}://{url.netloc} needs a package that is not installed: {error}",
            hint="Install it with: pip install 'dbt-ptvc[s3]'",
        ) from error


def _place(url: SplitResult) -> Place:
    from .blob.s3_client import Place  # of the extra, too

    options = dict(parse_qsl(url.query))
    prefix = unquote(url.path).strip("/")
    return Place(url.netloc, prefix, options.get("endpoint", ""), options.get("region", ""))


def _split(what: str, text: str, hint: str) -> SplitResult:
    try:
        url = urlsplit(text)
        url.port  # noqa: B018  # is parsed when it is asked for
    except ValueError as error:
        raise InvalidParameter(f"the URL of the {what} cannot be read: {error}", hint=hint) from None
    if not url.scheme:
        raise InvalidParameter(f'"{text}" is no URL of a place for the {what}', hint=hint)
    return url


def _no_place(what: str, url: SplitResult, hint: str) -> InvalidParameter:
    return InvalidParameter(f'"{url.scheme}:" is no place for the {what}', hint=hint)


def _local(what: str, url: SplitResult, text: str) -> str:
    path = unquote(url.path)
    if url.netloc not in ("", "localhost") or not path.startswith("/") or path == "/":
        raise InvalidParameter(
            f'"{text}" is no place for the {what}: it takes the whole path',
            hint=f"Three slashes begin it: {url.scheme}:///path.",
        )
    if url.query or url.fragment:
        raise InvalidParameter(
            f'"{text}" is no place for the {what}: a path has neither ? nor #',
            hint="Write %3F and %23 for these in a name.",
        )
    return url.scheme + Path(path).resolve().as_uri().removeprefix("file")


def _s3(url: SplitResult, environment: Mapping[str, str]) -> str:
    options = dict(parse_qsl(url.query, keep_blank_values=True))
    if "@" in url.netloc or any(_SECRETS.search(name) for name in options):
        raise InvalidParameter("the URL of the blobs has credentials in it", hint=_SECRET_HINT)
    if unknown := sorted(options.keys() - {"endpoint", "region"}):
        raise InvalidParameter(
            f'"{unknown[0]}" is no option of s3:', hint="There are endpoint=URL and region=NAME."
        )
    if not _BUCKET.fullmatch(url.netloc):
        raise InvalidParameter(f'"{url.netloc}" is no name of a bucket', hint="Name s3://bucket/prefix.")
    if url.fragment:
        raise InvalidParameter("the URL of the blobs has a # in it", hint="Write %23 for it.")
    endpoint = options.get("endpoint") or environment.get("AWS_ENDPOINT_URL_S3")
    endpoint = endpoint or environment.get("AWS_ENDPOINT_URL") or ""
    region = options.get("region") or environment.get("AWS_REGION")
    region = region or environment.get("AWS_DEFAULT_REGION") or ""
    if endpoint:
        _check_endpoint(endpoint)
    named = {"endpoint": endpoint.rstrip("/"), "region": region}
    query = urlencode({name: value for name, value in named.items() if value})
    prefix = "/".join(piece for piece in url.path.split("/") if piece)
    if any(unquote(piece) in (".", "..") for piece in prefix.split("/")):
        raise InvalidParameter(
            f'"{url.path}" is no prefix of names in a bucket', hint="Leave . and .. out of it."
        )
    return f"s3://{url.netloc}{'/' if prefix else ''}{prefix}{'?' if query else ''}{query}"


def _check_endpoint(endpoint: str) -> None:
    url = _split("endpoint of S3", endpoint, "Name it as https://host:port.")
    if url.scheme not in ("http", "https") or not url.hostname:
        raise InvalidParameter(
            f'the endpoint of S3 "{endpoint}" is no address', hint="Name it as https://host:port."
        )
    if "@" in url.netloc:
        raise InvalidParameter("the endpoint of S3 has credentials in it", hint=_SECRET_HINT)
