"""What was answered with 200 is there after a crash, once; of what was not answered nothing is there twice."""

from __future__ import annotations

import random
import threading
from collections import Counter

import pytest
from inprocess import FAST, InProcess, running

from .posting import Load, Poster, bodies

CLIENTS = 6


@pytest.mark.parametrize("keyed", [False, True], ids=["plain", "keyed"])
def test_crashes_under_load(keyed: bool) -> None:
    with running(FAST, http=True) as fresh:
        _crash(fresh, keyed)


def _crash(fresh: InProcess, keyed: bool) -> None:
    options = " WITH (IDEMPOTENCY KEY HEADER 'x-key')" if keyed else ""
    fresh.query(f"CREATE SOURCE s FROM WEBHOOK BODY FORMAT TEXT{options}")
    random_ = random.Random(7)
    load = Load(lambda: fresh.http_port, "s", keyed)
    unanswered: list[list[str]] = [[] for _ in range(CLIENTS)]
    for _ in range(4):
        load.stopped.clear()
        threads = [
            threading.Thread(target=load.client, args=(place, unanswered[place])) for place in range(CLIENTS)
        ]
        for thread in threads:
            thread.start()
        load.stopped.wait(0.1 + random_.random() / 5)
        fresh.abandon()
        load.stopped.set()
        for thread in threads:
            thread.join(30)
            assert not thread.is_alive()
        fresh.start()
        counts = Counter(bodies(fresh, "s"))
        assert set(counts.values()) <= {1}
        assert load.answered <= counts.keys() <= load.sent
    assert len(load.answered) > 4 * CLIENTS
    if keyed:
        load.stopped.clear()
        with Poster(fresh.http_port, "public") as poster:
            for body in (body for open_ in unanswered for body in open_):
                assert poster.post("s", body, X_Key=body).status == 200
        assert Counter(bodies(fresh, "s")) == Counter(load.sent)
