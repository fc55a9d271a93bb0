"""Writing parts on a disk that may be full: a replica waits for room, as what it writes was accepted already.

Neither a dataflow nor a source fails for it.  Whoever waits holds up what runs on the same thread: for dataflows that is
all of the replica's, none of whose large outputs could be written either.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from time import sleep

from ..errors import DiskFull
from ..persist.blob.base import Blob
from ..persist.write import PartRef, write_parts
from ..repr.batch import Delta
from ..repr.schema import Schema

logger = logging.getLogger(__name__)

INTERVAL_S = 0.2


def write_when_there_is_room(
    blob: Blob, shard: str, schema: Schema, delta: Delta, *, writer: str, wanted: Callable[[], bool]
) -> tuple[PartRef, ...]:
    """`write_parts`, again and again while the disk is full.  Raises DiskFull once it is not `wanted` any more."""
    said = False
    while True:
        try:
            return write_parts(blob, shard, schema, delta, writer=writer)
        except DiskFull as error:
            if not wanted():
                raise
            if not said:
                logger.warning("%s; waiting for room", error.message)
                said = True
            sleep(INTERVAL_S)
