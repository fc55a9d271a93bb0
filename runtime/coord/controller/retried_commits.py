"""Commits of what replicas put out, which outlast a disk that is full and a store that is away.

Nobody waits for them but the replica, which has kept nothing of what it sent: a failure would cost its connection, and with it
every read of its cluster, for something that passes.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from ...errors import DiskFull, StoreAway
from ...retry import Backoff, Pauses

logger = logging.getLogger(__name__)

T = TypeVar("T")

BACKOFF = Backoff(first_s=0.1, longest_s=1.0)


async def committed(commit: Callable[[], Awaitable[T]], what: str, wanted: Callable[[], bool]) -> T:
    """The outcome of `commit`, tried again as long as it is `wanted` while the store takes nothing; any other error is raised."""
    pauses = Pauses(BACKOFF)
    while True:
        try:
            outcome = await commit()
        except (DiskFull, StoreAway) as error:
            if wanted():
                if pauses.failures == 0:
                    logger.warning("%s waits for its commit: %s", what, error)
                await asyncio.sleep(pauses.endless())
            if not wanted():
                raise
            continue
        if pauses.failures:
            logger.info("%s is committed again", what)
        return outcome
