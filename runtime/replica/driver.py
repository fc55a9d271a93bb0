"""The driver: a small process that owns the environment's Spark application and does what the coordinator says (`driving`).

It exits when the coordinator goes, and when its JVM dies: the coordinator then starts a new one.
`python -m ptvc.replica.driver COORDINATOR ADDRESS DIRECTORY BLOBS MASTER MEMORY HOST PROPERTIES`, where COORDINATOR is its process id, BLOBS their
URL, and the last two are as in `DriverCommand`; the standard input is the secret that it shares with the coordinator.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ..compute.spark.session import application_context
from ..no_pandas import without_pandas
from ..plan_depth import allow_deep_plans

PRELOADED = "ptvc.replica.main"
"""What replicas are made of."""
ORPHANED_S = 0.5
"""How often it is looked whether the coordinator is there, which nothing else tells before there is a connection."""


def main(
    secret: bytes,
    coordinator: str,
    address: str,
    directory: str,
    blobs: str,
    master: str,
    memory: str,
    host: str,
    properties: str,
) -> None:
    """Starts Spark, then serves the coordinator, to which it proves that it knows the secret; returns when it is gone."""
    allow_deep_plans()
    dialled = threading.Event()
    watched = (int(coordinator), dialled)
    threading.Thread(target=end_with, args=watched, name="coordinator watch", daemon=True).start()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    logging.getLogger("py4j").setLevel(logging.WARNING)  # it announces every connection that it closes
    path = Path(directory)
    without_pandas(at_all=True)  # before the import below, as some modules make arrays
    with ThreadPoolExecutor(1, "spark") as starting:
        own = Path(properties) if properties else None
        spark = starting.submit(application_context, master, memory, path / "spark", (PRELOADED,), host, own)
        # Takes as long as the JVM.
        from ..compute.spark.application import Application
        from .driving import serve

    serve(Application(spark.result(), path / "spark"), address, secret, path, blobs, dialled.set)


def end_with(coordinator: int, dialled: threading.Event) -> None:
    """Ends this process, and with it the JVM, when its parent has ended before it was dialled."""
    while not dialled.wait(ORPHANED_S):
        if os.getppid() != coordinator:
            os._exit(0)


if __name__ == "__main__":
    main(sys.stdin.buffer.read(), *sys.argv[1:])
    # Daemon threads may be inside a call to the JVM: nothing is left to wait for.
    os._exit(0)
