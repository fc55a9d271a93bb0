"""Machines, a cluster of Spark on them, and runtimes on that cluster."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep

import pytest
from ptvc.spark_properties import write_properties
from servers.namespaces import REASON, Network, Node, NotPermitted, network
from servers.postgres_stores import fresh_schema
from servers.s3_server import S3Server, running_s3
from servers.standalone_spark import StandaloneSpark, executors, has_replica, java_of, standalone_spark

from ..runtime_process import Runtime
from .spread import Spread, running

FOUND_WITHIN_S = 120.0
CORES = 5
"""Of each machine: for a replica of all, for one that comes up beside another, and for jobs."""


@dataclass(frozen=True)
class Cluster:
    """Two machines, at first, with a worker of Spark each."""

    network: Network
    spark: StandaloneSpark
    s3: S3Server
    consensus: str
    """URL of a server, in which each runtime has a schema of its own."""

    @property
    def nodes(self) -> list[Node]:
        return self.network.nodes

    def new_node(self) -> Node:
        node = self.network.node()
        self.spark.worker(node, CORES)
        return node

    def complete(self) -> None:
        """There are two machines again."""
        while len(self.nodes) < 2:
            self.new_node()

    def node_of_replica(self) -> Node:
        """That on which the only replica runs, once that is so."""
        deadline = monotonic() + FOUND_WITHIN_S
        while len(found := [node for node in self.nodes if has_replica(node)]) != 1:
            assert monotonic() < deadline, f"{len(found)} machines have a replica"
            sleep(0.05)
        return found[0]

    def executors(self) -> dict[int, Node]:
        return {pid: node for node in self.nodes for pid in executors(node)}

    @contextmanager
    def runtime(
        self,
        *settings: str,
        properties: dict[str, str] | None = None,
        prepare: Callable[[Path], None] = lambda directory: None,
    ) -> Iterator[Runtime]:
        """A runtime whose replicas and jobs are on these machines; `properties` are Spark's, beside those of the cluster."""
        directory = Path(tempfile.mkdtemp(prefix="ptvc-cluster-"))
        file = directory / "spark.properties"
        write_properties(file, {**self.spark.application(), **(properties or {})})
        with fresh_schema(self.consensus) as consensus:
            bucket = self.s3.bucket()
            runtime = Runtime(
                directory / "environment",
                (
                    f"spark_master={self.spark.url}",
                    f"control_listen={self.network.address}:0",
                    f"spark_properties_file={file}",
                    *settings,
                ),
                ("--consensus", consensus, "--blob", self.s3.url(bucket, "environment")),
            )
            try:
                runtime.start()
                yield runtime
            finally:
                if runtime.process.poll() is None:
                    runtime.stop()
                shutil.rmtree(directory, ignore_errors=True)


@pytest.fixture(scope="package")
def cluster(oracle_uri: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    logs = tmp_path_factory.mktemp("spark")
    java = java_of(logs)
    try:
        with (
            network(Path(java["JAVA_HOME"])) as machines,
            running_s3(machines.address) as s3,
            standalone_spark(machines, logs, java) as spark,
        ):
            cluster = Cluster(machines, spark, s3, oracle_uri)
            cluster.complete()
            yield cluster
    except NotPermitted as reason:
        pytest.skip(f"{REASON}: {reason}")


@pytest.fixture(scope="module")
def spread(cluster: Cluster) -> Iterator[Spread]:
    with running(cluster) as spread:
        yield spread
