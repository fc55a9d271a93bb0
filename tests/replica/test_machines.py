"""What the task on another machine of a replica does: it has members there, and leaves nothing."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from secrets import token_bytes

import pytest
from ptvc.compute.shared_files import MACHINE, SharedRoot
from ptvc.compute.spark.resident import Peers
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.persist.column_cache import ColumnCache
from ptvc.replica.machines import run_on_machine
from ptvc.replica.protocol import StartReplica, TcpAddress
from ptvc.replica.workers.layout import Layout
from ptvc.replica.workers.member import Start
from ptvc.replica.workers.spread import Spread, members_of
from ptvc.replica.workers.team import DividedDataflow, Team

from .workers.machines import ENDS_WITHIN_S, Meeting
from .workers.test_team import given, self_join


def test_files_of_a_machine_go_with_its_task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARK_LOCAL_DIRS", str(tmp_path / "node"))
    place = tmp_path / "node" / "ptvc" / "replicas" / "c1-r1.1"
    (place / "3" / "v").mkdir(parents=True)
    (place / "3" / "v" / "killed.run").write_bytes(b"x")
    meeting, secret = Meeting(2), token_bytes(32)
    start = StartReplica("c1-r1", 4, 1, TcpAddress("127.0.0.1", 1, b""), secret, 2, 1)
    url = f"file:{tmp_path}/store"
    given_to = start, url, SharedRoot(blobs=url), ColumnCache(tmp_path / "columns"), 5
    task = threading.Thread(target=run_on_machine, args=(*given_to, Peers(1, meeting.gather(1))))
    task.start()
    spread = Spread(Layout(2, 1), 0, "127.0.0.1", meeting.gather(0), "c1-r1", 4, secret)
    own = Start(MemoryBlob(), MACHINE, "test", dict(os.environ))
    team = Team(2, own, members=members_of(spread, own, 9))
    assert not (place / "3").exists(), "what one that was killed has left"
    dataflow = DividedDataflow(team, self_join(), 0)
    dataflow.keep_others("v/1", 100, None)()
    dataflow.step({"u1": given([(i, i) for i in range(20_000)], 0)}, 0, 1)
    (saved,) = dataflow.save_others(pack=False)()
    assert any(run.name.startswith("v/1/replica-c1-r1-4-9-1-") for runs in saved.values() for run in runs)
    assert list((place / "5" / "v" / "1").iterdir())
    team.close()
    task.join(ENDS_WITHIN_S)
    assert not task.is_alive()
    assert not (place / "5").exists()
