"""A client that posts at a fixed rate over kept connections: `python -m benchmarks.webhooks.client`, a process of its own.

It is an open loop: a request is due at its time whether or not those before it are answered, and its latency counts from
then, so that a server which falls behind shows it.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import sys
import time
from dataclasses import asdict, dataclass

SECRET = "a secret that both know"
PATH = "/api/webhook/ptvc/public/posted"


@dataclass(frozen=True, slots=True)
class Load:
    """`rate` requests a second for so many `seconds`, of `body_bytes`, over so many `connections`."""

    port: int
    rate: int
    seconds: float
    connections: int
    body_bytes: int


def request(number: int, body_bytes: int) -> bytes:
    """A signed one, as GitHub sends them."""
    body = json.dumps({"number": number, "filler": "x" * max(body_bytes - 40, 0)}).encode()
    signature = hmac.digest(SECRET.encode(), body, "sha256").hex()
    head = (
        f"POST {PATH} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
        f"x-hub-signature-256: sha256={signature}\r\ncontent-length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


async def post(load: Load) -> dict[str, object]:
    """Latencies in seconds, and how many requests had which status."""
    requests = [request(number, load.body_bytes) for number in range(int(load.rate * load.seconds))]
    opened = [await asyncio.open_connection("127.0.0.1", load.port) for _ in range(load.connections)]
    free: asyncio.LifoQueue[int] = asyncio.LifoQueue()
    for place in range(load.connections):
        free.put_nowait(place)
    latencies: list[float] = []
    statuses: dict[str, int] = {}
    start = time.perf_counter() + 0.1

    async def one(number: int, place: int) -> None:
        reader, writer = opened[place]
        writer.write(requests[number])
        head = await reader.readuntil(b"\r\n\r\n")
        status = head[9:12].decode()
        length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
        if length:
            await reader.readexactly(length)
        latencies.append(time.perf_counter() - start - number / load.rate)
        statuses[status] = statuses.get(status, 0) + 1
        free.put_nowait(place)

    async with asyncio.TaskGroup() as group:
        for number in range(len(requests)):
            if (wait := start + number / load.rate - time.perf_counter()) > 0:
                await asyncio.sleep(wait)
            group.create_task(one(number, await free.get()))
    elapsed = time.perf_counter() - start
    for _, writer in opened:
        writer.close()
    return {"latencies": latencies, "statuses": statuses, "seconds": elapsed}


def main() -> None:
    load = Load(**json.loads(sys.argv[1]))
    json.dump(asyncio.run(post(load)), sys.stdout)


def arguments(load: Load) -> list[str]:
    return ["-m", "benchmarks.webhooks.client", json.dumps(asdict(load))]


if __name__ == "__main__":
    main()
