"""A replica on several machines: what the task on each of them runs."""

from __future__ import annotations

import os
import shutil

from ..compute.shared_files import SharedFiles, SharedRoot
from ..compute.spark.resident import Peers
from ..persist.column_cache import ColumnCache
from ..persist.location import open_blob
from .main import own_directory, run_replica
from .protocol import StartReplica, replica_writer
from .workers.layout import Layout
from .workers.member import Start
from .workers.spread import Spread, machine_address, serve_machine


def run_on_machine(
    start: StartReplica, blobs: str, root: SharedRoot, cache: ColumnCache, attempt: int, peers: Peers
) -> None:
    """Until the replica ends: of its leader as `run_replica`, elsewhere the processes of its members."""
    address = machine_address(start.address)
    assert address is not None, "replicas on several machines come in by the network"
    spread = Spread(
        Layout(start.workers, start.per_machine),
        peers.number,
        address,
        peers.gather,
        start.replica,
        start.epoch,
        start.secret,
    )
    if peers.number == 0:
        run_replica(start, blobs, root, cache, attempt, spread)
        return
    files = _files(f"{start.replica}.{peers.number}", attempt, root)

    def of_attempt(leaders: int) -> Start:
        writer = replica_writer(start.replica, start.epoch, leaders)
        return Start(open_blob(blobs), files, writer, dict(os.environ), address)

    try:
        serve_machine(spread, of_attempt)
    finally:
        if files.copied:
            files.leave("")


def _files(place: str, attempt: int, root: SharedRoot) -> SharedFiles:
    """Below a folder of this attempt's own, where machines have roots of their own; what earlier ones have left in its place goes."""
    if root.blobs is None:
        return root.here()
    folder = own_directory("replicas", place)
    for left in folder.iterdir():
        shutil.rmtree(left, ignore_errors=True)  # of one that is about to end, or was killed
    return root.on_machine(own_directory("replicas", place, str(attempt)))
