"""A process that writes a history to a sink, and at one step of one transaction is killed, stopped, or waits to be told to go on.

    python -m storage.sink.kafka.sink_process '{"bootstrap": ..., "options": ..., "seed": 1, "step": "flush", "nth": 3, "act": "kill"}'

Exit codes: 0 when all is written, 3 when it was fenced.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections import Counter
from random import Random
from time import sleep
from typing import Any

from ptvc.errors import PtvcError
from ptvc.storage.sink.change_records import SinkEnvelope
from ptvc.storage.sink.contract import SinkFenced
from ptvc.storage.sink.kafka.clients import KafkaClients
from ptvc.storage.sink.kafka.options import KafkaSinkOptions
from ptvc.storage.sink.kafka.pieces import PieceSize
from ptvc.storage.sink.kafka.producing import Transactions
from ptvc.storage.sink.kafka.sink import KafkaSink

from .support import SCHEMA, Change, between, history

FIRST = 1_000_000
TIMES = 40
STEPS = ("begin", "produce", "flush", "progress", "committed")
FENCED = 3
TRANSACTION_TIMEOUT_MS = 2_000


def written_history(seed: int) -> list[Change]:
    return history(Random(seed), FIRST, TIMES, 150, 25)


class Steps:
    """Of all transactions; the nth time that `step` is reached something happens."""

    def __init__(self, step: str, nth: int, act: str) -> None:
        self._wanted, self._act = (step, nth), act
        self._reached: Counter[str] = Counter()
        begin, produce, commit = Transactions.begin, Transactions.produce, Transactions.commit

        def begun(transactions: Transactions) -> None:
            begin(transactions)
            self.reach("begin")

        def produced(transactions: Transactions, *arguments: Any) -> None:
            produce(transactions, *arguments)
            self.reach("produce")
            if self._wanted[0] == "flush":
                transactions._producer.flush(5)
                self.reach("flush")

        def committed(transactions: Transactions, topic: str, identity: str, progress: Any) -> None:
            if self._wanted[0] == "progress":  # it is there, and not committed
                transactions._producer.produce(topic, progress.to_bytes(), identity.encode(), 0)
                transactions._producer.flush(5)
                self.reach("progress")
            commit(transactions, topic, identity, progress)
            self.reach("committed")

        Transactions.begin = begun  # type: ignore[method-assign]
        Transactions.produce = produced  # type: ignore[method-assign]
        Transactions.commit = committed  # type: ignore[method-assign]

    def reach(self, step: str) -> None:
        self._reached[step] += 1
        if (step, self._reached[step]) != self._wanted:
            return
        print(step, flush=True)
        match self._act:
            case "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            case "stop":
                os.kill(os.getpid(), signal.SIGSTOP)
            case _:
                sys.stdin.readline()


def main() -> int:
    asked = json.loads(sys.argv[1])
    Steps(asked["step"], asked["nth"], asked["act"])
    sink = KafkaSink(
        "s1",
        KafkaSinkOptions(**asked["options"]),
        SCHEMA,
        SinkEnvelope(asked["envelope"]),
        (0,),
        0,
        FIRST,
        KafkaClients({"bootstrap.servers": asked["bootstrap"], "reconnect.backoff.max.ms": 200}),
        beginning=PieceSize(40, 1 << 20),
        following=PieceSize(20, 1 << 20),
    )
    changes = written_history(asked["seed"])
    random = Random(os.getpid())
    opened = False
    while sink.upper < FIRST + TIMES:
        try:
            if not opened:
                sink.open()
                opened = True
                continue
            # Chunks end at other times in each process; those of the contents begin with them.
            upper = min(max(sink.upper, FIRST) + 1 + random.randrange(4), FIRST + TIMES)
            sink.write(between(changes, sink.upper, upper), sink.upper, upper)
        except SinkFenced:
            return FENCED
        except PtvcError as error:
            print(f"stalled: {error.message}", file=sys.stderr, flush=True)
            sleep(0.2)
    return 0


if __name__ == "__main__":
    sys.exit(main())
