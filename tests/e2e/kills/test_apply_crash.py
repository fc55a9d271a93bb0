"""Kill -9 of a runtime during ALTER SOURCE ... APPLY: what it would leave out is left out, all of it, or nothing is; and no view differs."""

from __future__ import annotations

import os
import signal
import threading
from contextlib import suppress
from pathlib import Path
from random import Random

import psycopg
import pytest

from ..conftest import running
from ..runtime_process import Runtime

pytestmark = pytest.mark.slow

ROWS = 40_000


def write(path: Path, first: int, count: int) -> None:
    lines = (f"{n},{'abcd'[n % 4]},trace {n}\n" for n in range(first, first + count))
    (path / f"{first}.csv").write_text("".join(lines))


def altered(runtime: Runtime) -> bool:
    """Whether the source is another by now; raises unless that is so of all of it."""
    ((_, sql),) = runtime.run("SHOW CREATE SOURCE s")
    kinds = runtime.run("SELECT kind, count(*) FROM s GROUP BY kind")
    columns = [name for (name, *_) in runtime.run("SHOW COLUMNS FROM s")]
    found = " WHERE " in sql
    assert ("EXCLUDE COLUMNS (trace)" in sql) == found
    assert columns == (["id", "kind"] if found else ["id", "kind", "trace"])
    assert [kind for kind, _ in sorted(kinds)] == (["a"] if found else list("abcd"))
    return found


@pytest.mark.parametrize("seed", range(3))
def test_all_or_nothing_is_left_out(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    write(tmp_path, 0, ROWS)
    with running() as runtime:
        runtime.run(
            f"CREATE SOURCE s (id int, kind text, trace text) FROM FILE '{tmp_path}' FORMAT CSV WITHOUT HEADER",
            "CREATE MATERIALIZED VIEW v AS SELECT id % 7 AS part, count(*) AS n FROM s WHERE kind = 'a' GROUP BY 1",
        )
        runtime.eventually(lambda: runtime.run("SELECT sum(n) FROM v") == [(ROWS // 4,)])
        before = runtime.rows("SELECT * FROM v")
        for _ in range(4):
            pid = runtime.process.pid
            killing = threading.Timer(0.02 + random.random() * 0.3, os.kill, (pid, signal.SIGKILL))
            killing.start()
            with suppress(psycopg.OperationalError):  # it may be killed before it answers
                runtime.run("ALTER SOURCE s APPLY")
            killing.join()
            runtime.kill()
            runtime.start()
            if altered(runtime):
                break
        else:
            runtime.run("ALTER SOURCE s APPLY")
            assert altered(runtime)
        assert runtime.rows("SELECT * FROM v") == before
        write(tmp_path, ROWS, 1000)
        runtime.eventually(lambda: runtime.run("SELECT sum(n) FROM v") == [((ROWS + 1000) // 4,)])
        assert altered(runtime)
