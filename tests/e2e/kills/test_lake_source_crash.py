"""Kill -9 of a runtime, and of its replica, while a source reads a table of Delta Lake to which somebody writes.

Money moves between accounts, by files that are written anew: at every time the balances have the sum that they always have.
"""

from __future__ import annotations

import threading
from pathlib import Path
from random import Random

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from ..conftest import running
from ..test_restart_cost import kill_coordinator, kill_worker, worker

pytestmark = pytest.mark.slow

_PAUSE = threading.Event()
ACCOUNTS = 2000
TOTALS = "SELECT count(*), sum(balance)::bigint, count(DISTINCT account) FROM s"


@pytest.mark.parametrize("seed", [31, 32])
def test_each_version_is_there_whole_after_kills(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    uri = str(tmp_path / "lake" / "accounts")
    balances = dict.fromkeys(range(ACCOUNTS), 100)

    def move() -> None:
        a, b = random.sample(range(ACCOUNTS), 2)
        balances[a], balances[b] = balances[a] - 7, balances[b] + 7
        values = pa.table({"account": [a, b], "balance": [balances[a], balances[b]]})
        merge = DeltaTable(uri).merge(values, "t.account = s.account", source_alias="s", target_alias="t")
        merge.when_matched_update({"balance": "s.balance"}).execute()
        if random.random() < 0.2:
            DeltaTable(uri).optimize.compact()

    for part in range(4):
        accounts = [account for account in balances if account % 4 == part]
        values = pa.table({"account": accounts, "balance": [100] * len(accounts)})
        write_deltalake(uri, values, mode="append")
    with running() as runtime:
        runtime.run(
            f"CREATE SOURCE s (account bigint, balance bigint) FROM DELTA (URI '{uri}', SCAN INTERVAL '100ms')",
            "CREATE MATERIALIZED VIEW counted AS SELECT count(*) AS n, sum(balance) AS total FROM s",
        )
        whole = (ACCOUNTS, 100 * ACCOUNTS, ACCOUNTS)
        for kill in (kill_worker, kill_coordinator, kill_worker, kill_coordinator):
            runtime.eventually(lambda: worker(runtime))
            for _ in range(5):
                move()
            _PAUSE.wait(random.choice([0.0, 0.1, 0.3, 1.0]))
            move()
            kill(runtime)
            runtime.eventually(lambda: runtime.run(TOTALS) == [whole])
        wanted = sorted(balances.items())
        runtime.eventually(lambda: runtime.run("SELECT account, balance FROM s ORDER BY 1") == wanted)
        assert runtime.run("SELECT n, total FROM counted") == [whole[:2]]
