"""A standalone cluster of Spark: a master on this machine, workers on machines of their own (`namespaces`).

Master and workers are those of the installed PySpark, started by its `spark-class`; they ask each other, and applications, for a secret, and encrypt
what they say.  Executors have this machine's interpreter and this checkout, which are on each machine.
"""

from __future__ import annotations

import os
import re
import socket
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from time import monotonic, sleep
from urllib.parse import urlencode
from urllib.request import ProxyHandler, build_opener

from ptvc.compute.spark.gateway import spark_home
from ptvc.compute.spark.java import ensure_java
from ptvc.spark_properties import write_properties

from .namespaces import Network, Node
from .s3_server import CREDENTIALS

MASTER = "org.apache.spark.deploy.master.Master"
WORKER = "org.apache.spark.deploy.worker.Worker"
_WITHIN_S = 120.0


class StandaloneSpark:
    """`secret` is what master, workers and applications know; `logs` is a folder of this machine."""

    def __init__(self, network: Network, logs: Path, java: Mapping[str, str]) -> None:
        self._network = network
        self._logs = logs
        self._java = java
        self.secret = token_hex(16)
        with socket.socket() as free:
            free.bind((network.address, 0))
            port = free.getsockname()[1]
        self.url = f"spark://{network.address}:{port}"
        self._properties = logs / "master.properties"
        write_properties(self._properties, self._settings())
        command = [*_spark_class(MASTER), "--host", network.address, "--port", str(port), "--webui-port", "0"]
        with (logs / "master.log").open("ab") as log:
            self._master = subprocess.Popen(
                [*command, "--properties-file", str(self._properties)],
                env=self._environment(network.address),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        self._workers: list[subprocess.Popen[bytes]] = []
        self._await("master.log", "I have been elected leader")

    def worker(self, node: Node, cores: int, memory: str = "4g") -> None:
        """Returns when the master knows it."""
        properties = "/tmp/worker.properties"
        write_properties(node.path(properties), self._settings())
        command = [*_spark_class(WORKER), "--host", node.address, "--cores", str(cores), "--memory", memory]
        command += ["--webui-port", "0", "--work-dir", "/tmp/work", "--properties-file", properties, self.url]
        log = self._logs / f"worker-{node.address}.log"
        self._workers.append(node.start(command, self._environment(node.address), log))
        self._await(log.name, "Successfully registered with master")

    def application(self, **settings: str) -> dict[str, str]:
        """The settings of Spark for an application, with others added (`_` stands for a dot)."""
        own = {name.replace("_", "."): value for name, value in settings.items()}
        return {
            "spark.authenticate": "true",
            "spark.authenticate.secret": self.secret,
            "spark.executor.memory": "1g",
            **own,
        }

    def end_applications(self) -> None:
        """As whoever looks after the cluster does, on the master's page."""
        found = re.search(r"MasterUI' on port (\d+)", (self._logs / "master.log").read_text())
        assert found is not None
        page = f"http://{self._network.address}:{found[1]}"
        opener = build_opener(ProxyHandler({}))
        with opener.open(f"{page}/", timeout=30) as answer:
            forms = answer.read().decode().split('<form action="app/kill/"')[1:]
        assert forms, "no application runs"
        for form in forms:
            fields = re.findall(r'name="(\w+)" value="([^"]*)"', form.partition("</form>")[0])
            opener.open(f"{page}/app/kill/", urlencode(fields).encode(), timeout=30).close()

    def stop(self) -> None:
        self._master.kill()
        self._master.wait()
        for worker in self._workers:
            with suppress(ProcessLookupError):
                worker.kill()
            worker.wait()

    def _settings(self) -> dict[str, str]:
        return {
            "spark.authenticate": "true",
            "spark.authenticate.secret": self.secret,
            "spark.network.crypto.enabled": "true",
            "spark.network.crypto.cipher": "AES/GCM/NoPadding",
            "spark.master.rest.enabled": "false",
            "spark.deploy.maxExecutorRetries": "-1",
            "spark.worker.timeout": "30",
        }

    def _environment(self, address: str) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "SPARK_HOME": str(spark_home()),
            "SPARK_LOCAL_IP": address,
            "SPARK_DAEMON_MEMORY": "256m",
            # What executors inherit: this checkout, and the credentials of the blobs.
            "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
            **CREDENTIALS,
            **self._java,
        }

    def _await(self, log: str, text: str) -> None:
        deadline = monotonic() + _WITHIN_S
        while text not in (said := (self._logs / log).read_text(errors="replace")):
            assert monotonic() < deadline, f"{log} has no {text!r}:\n{said[-4000:]}"
            sleep(0.05)


@contextmanager
def standalone_spark(network: Network, logs: Path, java: Mapping[str, str]) -> Iterator[StandaloneSpark]:
    spark = StandaloneSpark(network, logs, java)
    try:
        yield spark
    finally:
        spark.stop()


def java_of(folder: Path) -> dict[str, str]:
    """The Java of master, workers and executors; one that is built for Spark is in `folder`."""
    return ensure_java(folder)


def executors(node: Node) -> set[int]:
    """Process ids of the executors' JVMs on the machine."""
    return {pid for pid, command in node.processes().items() if "CoarseGrainedExecutorBackend" in command}


def has_replica(node: Node) -> bool:
    """Whether a replica runs on the machine: each has a process from which those of its queries are forked."""
    return any("ptvc.replica.queries.fork_server" in command for command in node.processes().values())


def python_workers(node: Node) -> set[int]:
    """Process ids of what executors have started in Python on the machine: daemons, workers, query processes."""
    return {
        pid
        for pid, command in node.processes().items()
        if re.match(r"\S*python\S* ", command) and "CoarseGrainedExecutorBackend" not in command
    }


def _spark_class(name: str) -> list[str]:
    return ["bash", str(spark_home() / "bin" / "spark-class"), name]
