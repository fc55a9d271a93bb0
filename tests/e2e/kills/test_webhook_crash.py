"""Kill -9 of a runtime that requests are posted to: all that it answered with 200 is there, nothing twice."""

from __future__ import annotations

import random
import threading
from collections import Counter
from functools import partial

import pytest
from ptvc.directory import RuntimeInfo

from ..conftest import running
from ..inprocess.webhooks.posting import Load, Poster
from ..runtime_process import Runtime

pytestmark = pytest.mark.slow

CLIENTS = 4
KILLS = 6


def http_port(runtime: Runtime) -> int:
    info = RuntimeInfo.read(runtime.directory)
    assert info is not None
    assert info.http_port is not None
    return info.http_port


def bodies(runtime: Runtime, source: str) -> list[str]:
    return [body for (body,) in runtime.run(f"SELECT body FROM {source}")]


def test_kills_under_load() -> None:
    with running(options=("--http-port", "0")) as runtime:
        runtime.run(
            "CREATE SOURCE plain FROM WEBHOOK BODY FORMAT TEXT",
            "CREATE SOURCE keyed FROM WEBHOOK BODY FORMAT TEXT WITH (IDEMPOTENCY KEY HEADER 'x-key')",
            "CREATE MATERIALIZED VIEW counted AS SELECT count(*) AS n, count(DISTINCT body) AS d FROM keyed",
        )
        random_ = random.Random(3)
        loads = [Load(lambda: http_port(runtime), name, name == "keyed") for name in ("plain", "keyed")]
        unanswered: list[list[str]] = [[] for _ in range(CLIENTS)]
        for _ in range(KILLS):
            threads = [
                threading.Thread(target=load.client, args=(place, unanswered[place] if load.keyed else []))
                for load in loads
                for place in range(CLIENTS)
            ]
            for load in loads:
                load.stopped.clear()
            for thread in threads:
                thread.start()
            threading.Event().wait(0.2 + random_.random())
            runtime.kill()
            for load in loads:
                load.stopped.set()
            for thread in threads:
                thread.join(60)
                assert not thread.is_alive()
            runtime.start()
        with Poster(http_port(runtime), "public") as poster:
            for body in (body for open_ in unanswered for body in open_):
                assert poster.post("keyed", body, X_Key=body).status == 200
        for load in loads:
            counts = Counter(runtime.eventually(partial(bodies, runtime, load.name)))
            assert set(counts.values()) == {1}
            assert load.answered <= counts.keys() <= load.sent
            assert len(load.answered) > KILLS
        count = len(loads[1].sent)
        assert runtime.eventually(lambda: runtime.run("SELECT n, d FROM counted") == [(count, count)])
