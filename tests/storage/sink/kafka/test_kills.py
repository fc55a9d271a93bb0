"""Sinks whose process is killed or stopped at every step of a transaction, and whose broker is killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import uuid
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from random import Random
from time import sleep
from typing import Any

import pytest
from ptvc.storage.sink.kafka.options import KafkaSinkOptions
from servers.kafka.broker import KafkaBroker

from .sink_process import FENCED, FIRST, STEPS, TIMES, TRANSACTION_TIMEOUT_MS, written_history
from .support import contents, folded_debezium, folded_upserts

TESTS = Path(__file__).parents[3]
WITHIN_S = 120


ABORTED_AFTER_S = TRANSACTION_TIMEOUT_MS / 1000 + 3
"""The tests' broker looks for transactions that are too old each second."""


class Scene:
    """One sink of one topic, and processes that write to it one after the other."""

    def __init__(self, kafka: KafkaBroker, seed: int) -> None:
        name = uuid.uuid4().hex[:12]
        self.kafka, self.seed, self.random = kafka, seed, Random(seed)
        self.envelope = self.random.choice(("upsert", "debezium"))
        self.options = KafkaSinkOptions(
            "c1",
            f"out-{name}",
            partition_count=self.random.randrange(1, 4),
            progress_topic=f"progress-{name}",
            identity=f"s1-{name}",
            transaction_timeout_ms=TRANSACTION_TIMEOUT_MS,
        )

    def process(self, step: str, nth: int, act: str) -> subprocess.Popen[str]:
        asked = {
            "bootstrap": self.kafka.bootstrap,
            "options": asdict(self.options),
            "envelope": self.envelope,
            "seed": self.seed,
            "step": step,
            "nth": nth,
            "act": act,
        }
        return subprocess.Popen(
            [sys.executable, "-m", "storage.sink.kafka.sink_process", json.dumps(asked)],
            cwd=TESTS,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def check(self) -> None:
        """A reader holds the view; each message was written once."""
        messages = self.kafka.messages(self.options.topic)
        fold: Any = folded_upserts if self.envelope == "upsert" else folded_debezium
        wanted = contents(written_history(self.seed), FIRST + TIMES)
        assert fold(messages) == wanted, f"seed {self.seed}"
        net: Counter[tuple[int, int, str | None]] = Counter()
        for k, v, time, diff in written_history(self.seed):
            net[time, k, v] += diff
        changed = {(time, k) for (time, k, _), count in net.items() if count}  # each is a message
        assert len(messages) == len(changed), f"seed {self.seed}: none left out, none twice"


def finished(process: subprocess.Popen[str], code: int = 0) -> None:
    try:
        assert process.wait(WITHIN_S) == code
    finally:
        close(process)


def close(process: subprocess.Popen[str]) -> None:
    if process.poll() is None:
        process.kill()
        process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            stream.close()


def reached(process: subprocess.Popen[str], step: str) -> bool:
    """Whether it comes there before it ends."""
    assert process.stdout is not None
    return process.stdout.readline().strip() == step


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_killed_at_every_step(kafka: KafkaBroker, seed: int) -> None:
    scene = Scene(kafka, seed)
    steps = list(STEPS) * 2
    scene.random.shuffle(steps)
    for step in steps:
        process = scene.process(step, scene.random.randrange(1, 5), "kill")
        try:
            assert process.wait(WITHIN_S) in (-signal.SIGKILL, 0)
        finally:
            close(process)
    finished(scene.process("none", 0, "kill"))
    scene.check()


@pytest.mark.slow
@pytest.mark.parametrize("step", STEPS)
def test_stopped_beyond_the_timeout_of_its_transaction(kafka: KafkaBroker, step: str) -> None:
    scene = Scene(kafka, STEPS.index(step))
    process = scene.process(step, 4, "stop")
    try:
        assert reached(process, step)
        sleep(ABORTED_AFTER_S)
        os.kill(process.pid, signal.SIGCONT)
        assert process.wait(WITHIN_S) == 0
    finally:
        close(process)
    scene.check()


@pytest.mark.slow
@pytest.mark.parametrize("step", STEPS)
def test_who_was_stopped_while_another_wrote_writes_nothing_any_more(kafka: KafkaBroker, step: str) -> None:
    scene = Scene(kafka, 10 + STEPS.index(step))
    zombie = scene.process(step, 4, "stop")
    try:
        assert reached(zombie, step)
        finished(scene.process("none", 0, "kill"))
        scene.check()
        os.kill(zombie.pid, signal.SIGCONT)
        assert zombie.wait(WITHIN_S) == FENCED
    finally:
        close(zombie)
    scene.check()


@pytest.mark.slow
@pytest.mark.parametrize("step", STEPS)
def test_the_broker_is_killed(kafka: KafkaBroker, step: str) -> None:
    scene = Scene(kafka, 20 + STEPS.index(step))
    process = scene.process(step, 3, "wait")
    try:
        assert reached(process, step)
        kafka.kill()
        try:
            assert process.stdin is not None
            process.stdin.write("go on\n")
            process.stdin.flush()
            sleep(0.3)
        finally:
            kafka.start()
        assert process.wait(WITHIN_S) == 0
    finally:
        close(process)
    scene.check()
