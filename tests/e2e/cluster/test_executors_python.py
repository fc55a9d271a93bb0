"""What executors run: this package from an archive, another version of it, or nothing that could."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import psycopg
import pytest
from ptvc.cli import pack
from servers.namespaces import ROOT, Node
from servers.standalone_spark import has_replica

from ..runtime_process import Runtime
from .conftest import Cluster

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

WITHIN_S = 300.0
STATUSES = "SELECT status, reason FROM mz_internal.mz_cluster_replica_statuses"


def reason(runtime: Runtime) -> str:
    """Why the replica does not run, once that is known."""

    def known() -> str:
        ((status, reason),) = runtime.run(STATUSES)
        return reason or "" if status == "offline" else ""

    return runtime.eventually(known, WITHIN_S)


def test_they_run_what_was_packed(cluster: Cluster, tmp_path: Path) -> None:
    archive = tmp_path / "ptvc-env.tar.gz"
    pack.pack(archive, None, str(Path(sys.base_prefix) / "bin" / pack.PYTHON))
    properties = {"spark.archives": f"{archive}#env", "spark.pyspark.python": "./env/bin/python"}
    with cluster.runtime(properties=properties) as runtime:
        runtime.run("CREATE TABLE t (a int)", "INSERT INTO t SELECT * FROM generate_series(1, 100)")
        runtime.eventually(lambda: runtime.run(STATUSES) == [("online", None)], WITHIN_S)
        runtime.run("CREATE MATERIALIZED VIEW v AS SELECT a % 7 AS k, sum(a) AS s FROM t GROUP BY a % 7")
        query = "SELECT a % 7, sum(a) FROM t GROUP BY a % 7"
        assert runtime.eventually(lambda: runtime.rows("SELECT * FROM v") == runtime.rows(query), WITHIN_S)
        mapped = modules_of_replica(cluster.node_of_replica())
    assert any("/env/lib/pyarrow/" in path for path in mapped)
    assert not any("site-packages" in path for path in mapped), "nothing of this machine's packages"


def modules_of_replica(node: Node) -> set[str]:
    """The files that the processes of a replica have mapped."""
    found = set()
    for pid, command in node.processes().items():
        if "ptvc.replica.queries.fork_server" in command or "worker_daemon" in command:
            lines = Path(f"/proc/{pid}/maps").read_text().splitlines()
            found |= {
                line.split(maxsplit=5)[5] for line in lines if line.count(" ") > 4 and line.endswith(".so")
            }
    return found


def test_there_is_no_python(cluster: Cluster) -> None:
    with cluster.runtime(properties={"spark.pyspark.python": "/no/such/python"}) as runtime:
        assert "/no/such/python" in reason(runtime)
        with pytest.raises(psycopg.OperationalError, match="cannot be started"):
            runtime.run("CREATE TABLE t (a int)", "SELECT count(*) FROM t AS a, t AS b")


def test_there_is_another_version(cluster: Cluster) -> None:
    """Of the package, with another vocabulary of messages."""
    for node in cluster.nodes:
        other = node.path("/tmp/other/ptvc")
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / "runtime", other, ignore=ignored)
        with (other / "replica" / "protocol" / "vocabulary.py").open("a") as file:
            file.write("\nVOCABULARY['repr.batch'] = 'Batch'\n")
    properties = {"spark.executorEnv.PYTHONPATH": "/tmp/other"}
    with cluster.runtime(properties=properties) as runtime:
        assert "of another version of dbt-ptvc" in reason(runtime)
        assert not any(has_replica(node) for node in cluster.nodes)
