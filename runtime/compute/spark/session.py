"""The environment's one Spark application, with the settings that resident tasks and supersteps rely on.

Everything that Spark writes (logs, shuffle files, warehouse) lies under one directory, and everything that it opens
listens on 127.0.0.1, or where executors on other machines reach it.  What has been set is in a file for this user alone (SETTINGS_NAME): JVMs
and their arguments are seen by others.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from pyspark import SparkConf
from pyspark.core.context import SparkContext
from pyspark.sql import SparkSession

from ...config import DEFAULT_HOST
from ...spark_properties import is_true, read_properties, write_properties
from . import class_archive
from .gateway import spark_home, start_gateway, stop_gateway
from .java import ensure_java

TASK_FAILURES = 4
SPARE_SLOTS = 2
LOG_NAME = "spark.log"
SETTINGS_NAME = "spark.properties"
PRELOAD = "PTVC_PRELOAD"
"""In the environment of Python workers: names of modules, with commas between them."""

# One JVM for a few tasks, most of whose work is done in Python: compiling less is 2 s quicker to the session, 2 s to
# the first job, and half the CPU time of both.
_QUICK_START = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"

_LOG4J = """\
status = error
rootLogger.level = {level}
rootLogger.appenderRef.file.ref = file
appender.file.type = RollingFile
appender.file.name = file
appender.file.fileName = {log}
appender.file.filePattern = {log}.%i
appender.file.layout.type = PatternLayout
appender.file.layout.pattern = %d{{yyyy-MM-dd HH:mm:ss.SSS}} %p %c{{1}}: %m%n%ex
appender.file.policies.type = Policies
appender.file.policies.size.type = SizeBasedTriggeringPolicy
appender.file.policies.size.size = 16MB
appender.file.strategy.type = DefaultRolloverStrategy
appender.file.strategy.max = 3
"""


def local_master(residents: int) -> str:
    """`local[n,4]` for so many resident tasks.

    A resident occupies a slot for good, so jobs need spare ones; `local[n]` alone would never retry a task.
    """
    return f"local[{residents + SPARE_SLOTS},{TASK_FAILURES}]"


def default_conf(directory: Path, host: str = DEFAULT_HOST) -> dict[str, str]:
    """Every setting that differs from Spark's default, for a session that keeps its files in `directory`, and which executors reach at `host`."""
    return {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.speculation": "false",  # a resident task must not have a twin
        "spark.task.maxFailures": str(TASK_FAILURES),
        "spark.scheduler.mode": "FAIR",
        "spark.sql.adaptive.enabled": "false",  # it would merge the partitions that repartitionById asked for
        "spark.sql.catalogImplementation": "in-memory",  # no Hive, no Derby
        "spark.sql.warehouse.dir": str(directory / "warehouse"),
        "spark.local.dir": str(directory / "local"),
        "spark.driver.host": host,
        "spark.driver.bindAddress": host,
        "spark.python.worker.reuse": "true",
        "spark.python.daemon.module": "ptvc.compute.spark.worker_daemon",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        "spark.sql.execution.arrow.pyspark.fallback.enabled": "false",
        "spark.sql.session.timeZone": "UTC",
        "spark.log.level": "WARN",
        "spark.driver.memory": "1g",
        "spark.driver.extraJavaOptions": _java_options(directory),
    }


def _local_conf(directory: Path) -> dict[str, str]:
    """What else differs where executors are on this machine."""
    return {"spark.executor.extraJavaOptions": f"-Djava.io.tmpdir={directory / 'local'} {_QUICK_START}"}


def _cluster_conf(own: Mapping[str, str]) -> dict[str, str]:
    """What else differs where they are on others; `own` is what the user has set."""
    conf = {
        "spark.executorEnv.PYTHONSAFEPATH": "1",  # a types.py where an executor was started is none of its workers'
        # A machine that vanishes has closed no connection; a link that is back within half of that has lost nothing.
        "spark.network.timeout": "60s",
        "spark.executor.heartbeatInterval": "5s",
        # Residents alone prefer a machine, and stay where they are put.
        "spark.locality.wait": "30s",
        # Executors fail now and then in a long life: what counts is how many lately (YARN, Kubernetes).
        "spark.executor.failuresValidityInterval": "1h",
        "spark.executor.maxNumFailures": "1000",
    }
    if is_true(own, "spark.authenticate"):
        conf |= {
            "spark.network.crypto.enabled": "true",
            "spark.network.crypto.cipher": "AES/GCM/NoPadding",  # the default of Spark authenticates nothing
        }
    return conf


def spark_session(
    master: str, app_name: str, conf: Mapping[str, str], *, directory: Path, jvm_options: Sequence[str] = ()
) -> SparkSession:
    """`spark_context` and a SQL session on top, which costs more CPU time than that; ended by `stop_session`."""
    return SparkSession(spark_context(master, app_name, conf, directory=directory, jvm_options=jvm_options))


def application_context(
    master: str,
    memory: str,
    directory: Path,
    preload: Sequence[str] = (),
    host: str = DEFAULT_HOST,
    properties: Path | None = None,
) -> SparkContext:
    """The context of an `Application`.  `directory` receives Spark's logs and scratch files; `memory` is the driver's heap; the modules
    of `preload` are those that its Python workers share (`worker_daemon`); executors reach it at `host`; `properties` is a file of settings
    that go before all others.  Raises InvalidParameter where that cannot be read, and as `spark_context`."""
    own = {} if properties is None else read_properties(properties)
    conf = {"spark.driver.memory": memory, f"spark.executorEnv.{PRELOAD}": ",".join(preload), **own}
    return spark_context(master, "ptvc", conf, directory=directory, host=host)


def spark_context(
    master: str,
    app_name: str,
    conf: Mapping[str, str],
    *,
    directory: Path,
    host: str = DEFAULT_HOST,
    jvm_options: Sequence[str] = (),
) -> SparkContext:
    """Starts the JVM and the application: once per process, and once more after `stop_context`.

    `conf` overrides `default_conf`; `jvm_options` are for the JVM in place of the class archive's.  Python workers run this interpreter, unless
    `spark.pyspark.python` names another.  Raises ReplicaUnavailable when there is no Java or the JVM does not start.
    """
    directory = directory.absolute()
    for folder in (directory, directory / "local", directory / "warehouse"):
        folder.mkdir(parents=True, exist_ok=True)
    # Below the driver, where all files of this session are: nothing shared with other users of the machine.
    java = ensure_java(directory / "java")
    level = conf.get("spark.log.level", "WARN").lower()
    (directory / "log4j2.properties").write_text(_LOG4J.format(level=level, log=directory / LOG_NAME))
    defaults = default_conf(directory, host)
    if is_local(master):
        defaults["spark.driver.extraJavaOptions"] += f" {_QUICK_START}"
        defaults |= _local_conf(directory)
    else:
        defaults |= _cluster_conf(conf)
    settings = {**defaults, **conf, "spark.master": master, "spark.app.name": app_name}
    write_properties(directory / SETTINGS_NAME, settings)
    os.environ["PYSPARK_PYTHON"] = settings.get("spark.pyspark.python", sys.executable)
    os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    environment = {**os.environ, **java}
    environment.setdefault("SPARK_LOCAL_IP", settings["spark.driver.bindAddress"])
    home = _linked_home(directory) if has_linked_home(master) else None
    chosen = (lambda command: jvm_options) if jvm_options else class_archive.options
    log = directory / "jvm.log"
    gateway = start_gateway(directory / SETTINGS_NAME, environment, log, home=home, jvm_options=chosen)
    spark_conf = SparkConf(_jvm=gateway.jvm)
    for key, value in settings.items():  # some of the file's spark-submit has changed
        spark_conf.set(key, value)
    try:
        return SparkContext(conf=spark_conf, gateway=gateway)
    except BaseException:
        _forget_gateway()
        stop_gateway(gateway)
        raise


def is_local(master: str) -> bool:
    """Whether executors are on this machine."""
    return master.startswith("local")


def has_linked_home(master: str) -> bool:
    """Whether Spark's class path is of this application alone: no archive of its classes is of use to another one."""
    return master.startswith("local-cluster[")


def _linked_home(directory: Path) -> Path:
    """Spark's installation as links.  Executors of a local cluster have their folders in it: now below `directory`."""
    home = directory / "home"
    home.mkdir(exist_ok=True)
    for entry in spark_home().iterdir():
        link = home / entry.name
        if entry.name != "work" and not link.is_symlink():
            link.symlink_to(entry)
    return home


def stop_session(session: SparkSession) -> None:
    """Stops the session and its JVM, and waits until both are gone."""
    context = session.sparkContext
    session.stop()
    stop_context(context)


def stop_context(context: SparkContext) -> None:
    """Stops the application and its JVM, and waits until both are gone."""
    gateway = context._gateway
    context.stop()
    _forget_gateway()
    stop_gateway(gateway)


def _forget_gateway() -> None:
    """PySpark keeps the gateway of a process for ever; after this it takes the next one."""
    SparkContext._gateway = None
    SparkContext._jvm = None


def _java_options(directory: Path) -> str:
    return (
        f"-Dlog4j2.configurationFile=file:{directory / 'log4j2.properties'} "
        f"-Djava.io.tmpdir={directory / 'local'} -Djava.net.preferIPv4Stack=true"
    )
