"""A view's changes over time, and what a reader of a sink's topic makes of its messages."""

from __future__ import annotations

import json
from collections import Counter
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
from confluent_kafka import Message
from ptvc.repr.batch import Batch, empty_batch
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT8, TEXT

SCHEMA = Schema((Column("k", INT8), Column("v", TEXT)))
Row = tuple[int, str | None]
Change = tuple[int, str | None, int, int]
"""k, v, time, diff."""


def batch(changes: list[Change]) -> Batch:
    if not changes:
        return empty_batch(SCHEMA)
    k, v, times, diffs = zip(*changes, strict=True)
    return Batch(
        (pa.array(k, pa.int64()), pa.array(v, pa.string())),
        np.array(times, np.uint64),
        np.array(diffs, np.int64),
    )


def between(changes: list[Change], lower: int, upper: int) -> Batch:
    return batch([change for change in changes if lower <= change[2] < upper])


def history(random: Random, first: int, times: int, keys: int, per_time: int, size: int = 8) -> list[Change]:
    """Rows of unique keys: contents at `first`, then changes at later times."""
    rows: dict[int, str | None] = {}
    changes: list[Change] = []
    for time in range(first, first + times):
        count = keys if time == first else random.randrange(per_time + 1)
        chosen = list(range(keys)) if time == first else random.sample(range(keys), min(count, keys))
        for key in chosen:
            if key in rows:
                changes.append((key, rows.pop(key), time, -1))
            if time == first or random.random() < 0.7:
                text = random.choice('äb"\\\n') * random.randrange(size)
                rows[key] = None if random.random() < 0.1 else f"{random.randrange(1000)}{text}"
                changes.append((key, rows[key], time, 1))
    return changes


def contents(changes: list[Change], upper: int) -> Counter[Row]:
    found: Counter[Row] = Counter()
    for k, v, time, diff in changes:
        if time < upper:
            found[k, v] += diff
    return +found


def folded_upserts(messages: list[Message]) -> Counter[Row]:
    """What who keeps the last value of each key holds; a key has one partition."""
    rows: dict[int, Row] = {}
    places: dict[int, int] = {}
    for message in messages:
        key = json.loads(message.key())
        assert list(key) == ["k"]
        assert places.setdefault(key["k"], message.partition()) == message.partition()
        if message.value() is None:
            del rows[key["k"]]  # a row that is not there does not go
        else:
            value: dict[str, Any] = json.loads(message.value())
            assert value["k"] == key["k"]
            assert rows.get(key["k"]) != (value["k"], value["v"]), "nothing twice"
            rows[key["k"]] = (value["k"], value["v"])
    return Counter(rows.values())


def folded_debezium(messages: list[Message]) -> Counter[Row]:
    rows: Counter[Row] = Counter()
    for message in messages:
        value = json.loads(message.value())
        for side, diff in (("before", -1), ("after", 1)):
            if value[side] is not None:
                rows[value[side]["k"], value[side]["v"]] += diff
        assert all(count >= 0 for count in rows.values()), "a row goes after it has come"
    return +rows
