"""How this process reaches S3: one client per place, and operations that are tried again.

A client is made once per process and place, keeps its connections, and may be used by all threads.  Its threads do not
survive a fork, so that a process from which workers are forked must not have used one: a fork of one that did is
refused.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, TypeVar

from obstore import exceptions
from obstore.store import S3Store

from ...errors import StorageError
from ...retry import Backoff, retry
from . import s3_errors

if TYPE_CHECKING:
    from obstore.store import S3Config

T = TypeVar("T")

BACKOFF = Backoff(first_s=0.1, longest_s=5.0, attempts=8, deadline_s=60.0)

CONNECT_TIMEOUT = timedelta(seconds=5)
TIMEOUT = timedelta(seconds=60)
"""Of one attempt, its answer included."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where objects are; an empty `endpoint` is S3 itself, an empty `region` what the client takes for one."""

    bucket: str
    prefix: str = ""
    endpoint: str = ""
    region: str = ""

    def __str__(self) -> str:
        at = f" at {self.endpoint}" if self.endpoint else ""
        return f"s3://{self.bucket}{'/' if self.prefix else ''}{self.prefix}{at}"


_lock = threading.Lock()
_clients: dict[Place, S3Store] = {}
_process = 0


def client(place: Place) -> S3Store:
    """This process's client of the place."""
    global _process
    with _lock:
        if _clients and _process != os.getpid():
            raise StorageError(
                f"{place} was used before this process was forked",
                hint="Start the process anew (spawn) instead.",
            )
        _process = os.getpid()
        if (found := _clients.get(place)) is None:
            found = _clients[place] = _made(place)
        return found


def _made(place: Place) -> S3Store:
    """Credentials come from the environment, as AWS's own tools have them there, or from the machine's role."""
    config: S3Config = {}
    if place.endpoint:
        config["endpoint"] = place.endpoint
    if place.region:
        config["region"] = place.region
    return S3Store(
        place.bucket,
        prefix=place.prefix or None,
        config=config,
        client_options={
            "allow_http": place.endpoint.startswith("http:"),
            "connect_timeout": CONNECT_TIMEOUT,
            "timeout": TIMEOUT,
        },
        # One who tries again is enough: `attempt`, which knows what may be repeated.
        retry_config={"max_retries": 0},
    )


def attempt(what: str, name: str, place: Place, operation: Callable[[], T]) -> T:
    """What `operation` returns.  While its failure may pass, it is tried again; it must be one that may be repeated,
    whether or not it was done.

    An object that is not there (`s3_errors.ABSENT`) and AlreadyExistsError are the caller's; other failures are raised
    by name.
    """
    try:
        return retry(operation, _may_pass, BACKOFF)
    except exceptions.AlreadyExistsError:
        raise
    except s3_errors.FAILURES as error:
        if s3_errors.is_missing(error):
            raise
        # Without its cause: that has the whole address of a request for credentials, which may hold a token.
        raise s3_errors.failure(what, name, str(place), error) from None


def _may_pass(error: Exception) -> bool:
    if isinstance(error, exceptions.AlreadyExistsError) or not isinstance(error, s3_errors.FAILURES):
        return False
    return not s3_errors.is_missing(error) and s3_errors.may_pass(error)
