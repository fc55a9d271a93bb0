"""The JVM behind a SparkSession, started without a shell.

PySpark starts its JVM through bash scripts, which want `bash` and `ps` on PATH and run one more JVM on the way.  Here
the same two steps are taken directly: Spark's launcher class prints the command, which is then executed.  The JVM
lives as long as the pipe to its standard input is open, that is: never longer than this process, however it ends.
What it prints goes to a log file.
"""

from __future__ import annotations

import os
import re
import struct
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyspark
from pyspark.java_gateway import launch_gateway

from ...errors import ReplicaUnavailable

MAIN_CLASS = "org.apache.spark.deploy.SparkSubmit"

START_SECONDS = 300.0  # a machine may be busy; a JVM that fails exits at once
_POLL_SECONDS = 0.02
_LOG_TAIL_BYTES = 2000


def start_gateway(
    properties: Path,
    environment: Mapping[str, str],
    log: Path,
    *,
    home: Path | None = None,
    jvm_options: Callable[[Sequence[str]], Sequence[str]] = lambda command: (),
) -> Any:
    """A py4j gateway to a new JVM; `gateway.proc` is its process.

    `properties` is a file of Spark's settings; `environment` is the JVM's whole environment (JAVA_HOME included), which its Python workers inherit; `log`
    receives what it prints; `home` is what it takes for Spark's installation; `jvm_options` are added to those that Spark has
    chosen, the command so far (`java -cp PATH ...`) given.  Raises ReplicaUnavailable with the end of the log when the JVM does not come up.
    """
    environment = {
        **environment,
        "SPARK_HOME": str(home or spark_home()),
        "SPARK_SCALA_VERSION": _scala_version(),
    }
    environment["PYTHONHASHSEED"] = "0"  # all workers must hash alike
    environment["PYTHONSAFEPATH"] = "1"  # a types.py where the runtime was started is none of theirs
    environment["SPARK_CONNECT_MODE"] = "0"
    with tempfile.TemporaryDirectory(prefix="gateway-", dir=log.parent) as folder:
        info = Path(folder) / "connection"
        environment["_PYSPARK_DRIVER_CONN_INFO_PATH"] = str(info)
        with log.open("ab") as output:
            command = _command(properties, environment, output)
            command[3:3] = jvm_options(command)
            process = subprocess.Popen(
                command,
                env=environment,
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=output,
                start_new_session=True,  # a Ctrl-C in the terminal is this process's to handle
            )
        port, secret = _await_connection(process, info, log)
    gateway = _connect(port, secret)
    gateway.proc = process
    return gateway


def stop_gateway(gateway: Any, seconds: float = 20.0) -> None:
    """Ends the JVM of `start_gateway` and waits until it is gone."""
    gateway.shutdown()
    process = gateway.proc
    process.stdin.close()
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def spark_home() -> Path:
    """Where PySpark's package has Spark's jars."""
    return Path(pyspark.__file__).parent


def _scala_version() -> str:
    """From the name of the launcher's jar; the launcher requires it as an argument."""
    for jar in (spark_home() / "jars").glob("spark-launcher_*.jar"):
        if match := re.match(r"spark-launcher_(\d+\.\d+)-", jar.name):
            return match[1]
    raise ReplicaUnavailable(
        f'no Spark jars in "{spark_home()}"', hint="Reinstall it: pip install --force-reinstall pyspark"
    )


def _command(properties: Path, environment: Mapping[str, str], log: Any) -> list[str]:
    """The command that spark-submit would execute, asked of the same class as it asks."""
    java = str(Path(environment["JAVA_HOME"]) / "bin" / "java")
    launcher = [java, "-Xmx128m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]
    launcher += ["-cp", str(spark_home() / "jars" / "*"), "org.apache.spark.launcher.Main"]
    launcher += [MAIN_CLASS, "--properties-file", str(properties), "pyspark-shell"]
    done = subprocess.run(
        launcher, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, check=False
    )
    # A line of environment comes first and is empty here; then the command, each part ended by NUL.
    parts = done.stdout.lstrip(b"\0\r\n").split(b"\0")[:-1]
    if done.returncode != 0 or not parts:
        raise ReplicaUnavailable(
            f"Spark's launcher failed (exit code {done.returncode}) under {java}",
            hint=f'The reason is in "{log.name}".',
        )
    return [os.fsdecode(part) for part in parts]


def _await_connection(process: subprocess.Popen[bytes], info: Path, log: Path) -> tuple[int, str]:
    """The port and the secret that the JVM publishes in `info` (by rename, so never half) once it listens."""
    deadline = time.monotonic() + START_SECONDS
    while not info.exists():
        if process.poll() is not None or time.monotonic() > deadline:
            process.kill()
            code = process.wait()
            with log.open("rb") as output:
                output.seek(max(0, output.seek(0, os.SEEK_END) - _LOG_TAIL_BYTES))
                tail = output.read().decode(errors="replace").strip()
            raise ReplicaUnavailable(
                f"Spark's JVM did not start (exit code {code})",
                detail=tail,
                hint=f'The whole log is in "{log}".',
            )
        time.sleep(_POLL_SECONDS)
    payload = info.read_bytes()
    port, length = struct.unpack_from(">ii", payload)
    return port, payload[8 : 8 + length].decode()


def _connect(port: int, secret: str) -> Any:
    """PySpark reads a running gateway's address from the environment, and only from there."""
    os.environ["PYSPARK_GATEWAY_PORT"] = str(port)
    os.environ["PYSPARK_GATEWAY_SECRET"] = secret
    try:
        return launch_gateway()  # type: ignore[no-untyped-call]
    finally:
        del os.environ["PYSPARK_GATEWAY_PORT"], os.environ["PYSPARK_GATEWAY_SECRET"]
