"""`python -m benchmarks.exchange.other_machine ADDRESS PORT HOST`: the machine of worker 1, of two, at HOST; the leader listens at ADDRESS.

What Spark's channel is for real machines is a plain connection here: it carries the secret, and then what each of the two says to both.
"""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable

from ptvc.compute.shared_files import MACHINE
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.replica.workers.layout import Layout
from ptvc.replica.workers.member import Start
from ptvc.replica.workers.spread import Spread, serve_machine

WRITER = "benchmark"


def spread_over(channel: socket.socket, machine: int, host: str, secret: bytes) -> Spread:
    """One of two machines with a worker each, as it sees them."""
    return Spread(Layout(2, 1), machine, host, _gather(channel, machine), "benchmark", 1, secret)


def start(host: str) -> Start:
    """Nothing is stored: inputs are dealt out by the leader, and outputs come to it."""
    return Start(MemoryBlob(), MACHINE, WRITER, {}, host)


def _gather(channel: socket.socket, machine: int) -> Callable[[str], list[str]]:
    def gather(said: str) -> list[str]:
        channel.sendall(said.encode() + b"\n")
        with channel.makefile("r") as lines:
            heard = lines.readline().rstrip("\n")
        return [said, heard] if machine == 0 else [heard, said]

    return gather


def main(address: str, port: str, host: str) -> None:
    with socket.create_connection((address, int(port)), 60) as channel:
        secret = channel.recv(32, socket.MSG_WAITALL)
        serve_machine(spread_over(channel, 1, host, secret), lambda _: start(host))


if __name__ == "__main__":
    main(*sys.argv[1:])
