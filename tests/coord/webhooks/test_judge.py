"""A batch of requests gives what each of them gives by itself, in their order."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from ptvc.coord.webhooks import judge as judge_module
from ptvc.coord.webhooks.delivery import Delivery
from ptvc.coord.webhooks.judge import Judged, judge, judge_each
from ptvc.expr.tree.scalar import Call, ColumnRef, Literal
from ptvc.repr.types import BOOL, BYTEA, INT4, TEXT
from ptvc.storage.source.webhook import (
    BodyFormat,
    Check,
    CheckInput,
    HeaderColumn,
    HeaderFilter,
    InputKind,
    WebhookOptions,
)

NOW = datetime(2026, 1, 1, tzinfo=UTC)
NOT_EMPTY = Check(
    (CheckInput(InputKind.BODY, "body", binary=True),),
    Call("ne", (ColumnRef(0, BYTEA, True), Literal(b"", BYTEA)), BOOL, True),
    "body <> ''",
)
OPTIONS = WebhookOptions(
    BodyFormat.JSON,
    array=True,
    headers=HeaderFilter(but=("y",)),
    columns=(HeaderColumn("x", "x"), HeaderColumn("y", "y", binary=True)),
    check=NOT_EMPTY,
    key_header="key",
)
BODIES = (b"", b"1", b"[1, 2]", b"[]", b"{", b'"\xff"', b'[{"b": 1, "a": 2}]')


def request(random_: random.Random) -> Delivery:
    headers = [
        (name, value)
        for name, value in (
            ("x", b"1"),
            ("x", b"\xff"),
            ("y", b"\xff"),
            ("z", b"2"),
            ("key", b"k"),
            ("key", b"l"),
        )
        if random_.random() < 0.2
    ]
    return Delivery(tuple(headers), random_.choice(BODIES))


def none(key: str) -> bytes | None:
    return None


def shown(judged: Sequence[Judged], counts: Sequence[int]) -> tuple[list[object], list[tuple[object, ...]]]:
    """An outcome for each request, and all rows."""
    outcomes: list[object] = []
    rows: list[tuple[object, ...]] = []
    for one, count in zip(judged, counts, strict=True):
        for place in range(count):
            refused = one.refused.get(place)
            outcomes.append((refused.status, refused.message) if refused else place in one.repeats)
        if one.rows is not None:
            rows += zip(*(column.to_pylist() for column in one.rows.columns), strict=True)
    return outcomes, rows


@pytest.mark.parametrize("seed", range(100))
def test_together_or_one_by_one(seed: int) -> None:
    random_ = random.Random(seed)
    deliveries = [request(random_) for _ in range(random_.randint(1, 12))]
    together = judge(OPTIONS, deliveries, {}, none, NOW)
    apart = judge_each(OPTIONS, deliveries, {}, none, NOW)
    assert shown([together], [len(deliveries)]) == shown(apart, [1] * len(deliveries))
    known = {key: found for one in apart for key, found in one.keys.items()}
    assert together.keys == known
    # Those that were taken are known from now on, and give nothing any more.
    again = judge(OPTIONS, deliveries, {}, known.get, NOW)
    taken = [place for place, delivery in enumerate(deliveries) if delivery.values("key")]
    assert again.keys == {}
    assert all(place in again.repeats or place in again.refused for place in taken)


def test_a_request_that_makes_all_fail_is_refused_alone() -> None:
    check = Check(
        (CheckInput(InputKind.BODY, "body"),),
        Call(
            "gt",
            (
                Call(
                    "length",
                    (Call("repeat", (ColumnRef(0, TEXT, True), Literal(2**30, INT4)), TEXT, True),),
                    INT4,
                    True,
                ),
                Literal(0, INT4),
            ),
            BOOL,
            True,
        ),
        "length(repeat(body, 1073741824)) > 0",
    )
    options = WebhookOptions(BodyFormat.TEXT, check=check)
    deliveries = [Delivery((), body) for body in (b"", b"x", b"")]
    statuses = [
        {place: refused.status for place, refused in one.refused.items()}
        for one in judge_each(options, deliveries, {}, none, NOW)
    ]
    assert statuses[0] == statuses[2] == {0: 401}
    assert statuses[1][0] in (400, 401)


def test_a_defect_that_one_request_finds_is_that_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    read = judge_module._bodies

    def broken(options: WebhookOptions, body: bytes) -> Any:
        return 1 / 0 if b"bad" in body else read(options, body)

    monkeypatch.setattr(judge_module, "_bodies", broken)
    options = WebhookOptions(BodyFormat.TEXT)
    deliveries = [Delivery((), body) for body in (b"good", b"bad", b"good")]
    found = judge_each(options, deliveries, {}, none, NOW)
    assert [{place: refused.status for place, refused in one.refused.items()} for one in found] == [
        {},
        {0: 500},
        {},
    ]
    assert [one.rows is not None for one in found] == [True, False, True]


def test_documents_of_lines_end_in_lf_alone() -> None:
    options = WebhookOptions(BodyFormat.JSON)
    bodies = ['"a\u2028b\x85"\r\n\n"\u2029"\n', "1\n\x0b2", "1\n\u2028\n2"]
    (judged,) = [judge(options, [Delivery((), body.encode()) for body in bodies], {}, none, NOW)]
    assert judged.rows is not None
    assert judged.rows.columns[0].to_pylist() == ['"a\u2028b\x85"', '"\u2029"']
    assert {place: refused.status for place, refused in judged.refused.items()} == {1: 400, 2: 400}
