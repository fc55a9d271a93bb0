"""A class archive: Spark's classes as the JVM has them in memory, in a file that it maps.  Half the CPU time of a start goes into them.

```
python -m ptvc.compute.spark.class_archive ── a session of its own ── the names of what it loads ── java -Xshare:dump ──> <cache>/classes/<key>.jsa
start_gateway ── is there one for this Java and this class path? ── -XX:SharedArchiveFile=
```

It is made once for a Java and an installation of Spark (some 40 s of CPU time, 180 MB), at the lowest priority, by whoever finds that there is none:
`scripts/environment`, or a runtime that has been up for a minute.  The JVM itself sees whether an archive is its own and whether the jars are those that
it was made from, and goes without it otherwise.  With `PTVC_CLASS_ARCHIVE=off` in the environment none is made or mapped.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql.datasource import DataSource, DataSourceReader

from .gateway import MAIN_CLASS
from .java import user_cache

SUFFIX = ".jsa"
MADE_AFTER_S = 60.0
"""A runtime has more important things to do when it starts."""

SWITCH = "PTVC_CLASS_ARCHIVE"
"""In the environment: `off`, or anything else."""

_KEPT = 4
_UNUSED_S = 24 * 3600.0
_TIMEOUT_S = 1800.0
_LOWEST_PRIORITY = 19


def archive_of(command: Sequence[str]) -> Path:
    """Where the archive is for a JVM that is started so: `java -cp PATH ...`."""
    java = Path(command[0]).resolve()
    with java.open("rb") as file:
        start = file.read(1024)
    # A script of `ensure_java` names the program; each environment has its own.
    about = (start if start.startswith(b"#!") else (str(java), java.stat().st_mtime_ns), command[2])
    return _directory() / f"{hashlib.sha256(repr(about).encode()).hexdigest()[:16]}{SUFFIX}"


def options(command: Sequence[str]) -> list[str]:
    """What is to be added to the options of such a JVM: nothing where there is no archive of this user's for it."""
    try:
        archive = archive_of(command)
        if _is_off() or archive.stat().st_uid != os.getuid():
            return []
        os.utime(archive)  # what was used last is kept
    except OSError:
        return []
    return [f"-XX:SharedArchiveFile={archive}", "-Xlog:cds*=off"]


def make_later(command: Sequence[str], log: Path) -> None:
    """Has the archive for such a JVM made in the background, if there is none, by a process of its own."""
    if _is_off() or options(command):
        return
    timer = threading.Timer(MADE_AFTER_S, _make_beside, (archive_of(command), log))
    timer.daemon = True
    timer.start()


def _is_off() -> bool:
    return os.environ.get(SWITCH, "").lower() == "off"


def _make_beside(archive: Path, log: Path) -> None:
    """Waits for the process that makes it: nobody else would take its exit status."""
    with log.open("ab") as output:
        subprocess.run(
            [sys.executable, "-P", "-m", __name__, str(archive)],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
            check=False,
        )


def make(wanted: Path | None = None) -> Path:
    """Makes the archive for the Java that `ensure_java` finds, after those that other processes are making; none if one of these
    is `wanted`.

    Raises OSError and CalledProcessError.
    """
    directory = _directory()
    directory.mkdir(parents=True, exist_ok=True)
    with _alone(directory / ".lock"), tempfile.TemporaryDirectory(dir=directory) as folder:
        if wanted is not None and wanted.exists():
            return wanted
        names = Path(folder) / "names"
        command = _started_with(Path(folder), names, _use_spark)
        archive = archive_of(command)
        if not archive.exists():
            made = Path(folder) / archive.name
            subprocess.run(
                _dump_command(command, names, made),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                timeout=_TIMEOUT_S,
                check=True,
            )
            made.replace(archive)
        _remove_old(directory)
        return archive


def _directory() -> Path:
    return user_cache(os.environ) / "classes"


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """One process at a time: each takes a core, and three quarters of a GB of memory."""
    with path.open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _started_with(directory: Path, names: Path, use: Callable[[SparkSession], None]) -> list[str]:
    """The command of a JVM in which `use` was done; `names` are the classes that it has loaded then."""
    from .session import spark_session, stop_session

    session = spark_session(
        "local[2]", "classes", {}, directory=directory, jvm_options=[f"-XX:DumpLoadedClassList={names}"]
    )
    gateway = session.sparkContext._gateway
    assert gateway is not None
    try:
        use(session)
        return [str(part) for part in gateway.proc.args]
    finally:
        stop_session(session)


def _dump_command(command: Sequence[str], names: Path, archive: Path) -> list[str]:
    """The same Java, class path and modules, which write the archive and do nothing else."""
    given = [
        option
        for option in command[3 : command.index(MAIN_CLASS)]
        if not option.startswith(("-XX:SharedArchiveFile=", "-XX:DumpLoadedClassList=", "-Xlog:", "-Xmx"))
    ]
    dump = ["-Xshare:dump", f"-XX:SharedClassListFile={names}", f"-XX:SharedArchiveFile={archive}"]
    return [command[0], *given, *dump, "-Xlog:disable", *command[1:3]]


class _Numbers(DataSource):
    """A data source in Python, as the package's own is."""

    @classmethod
    def name(cls) -> str:
        return "numbers"

    def schema(self) -> str:
        return "n int"

    def reader(self, schema: object) -> DataSourceReader:
        return _NumbersReader()


class _NumbersReader(DataSourceReader):
    def read(self, partition: object) -> Iterator[tuple[int]]:
        yield from ((1,), (2,))


def _use_spark(session: SparkSession) -> None:
    """What resident tasks, jobs and Python models need: tasks in Python, exchanges, SQL, Arrow, data sources."""
    context = session.sparkContext
    pairs = context.parallelize([(1, b"a"), (2, b"b")], 2)
    assert len(pairs.partitionBy(2).mapPartitions(list).collect()) == 2
    assert context.broadcast(b"x").value == b"x"
    session.dataSource.register(_Numbers)
    numbers = session.read.format("numbers").load()
    numbers.createOrReplaceTempView("numbers")
    grouped = session.sql("SELECT n % 2 AS odd, max(n) AS n FROM numbers GROUP BY 1 ORDER BY 1")
    copied = session.createDataFrame(grouped.toArrow())
    joined = copied.join(numbers, "n").where("odd >= 0").distinct()
    assert joined.mapInArrow(lambda batches: batches, joined.schema).count() == 2


def _remove_old(directory: Path) -> None:
    """Those of versions that are probably gone, not used for a day: they are made again if somebody needs them."""
    used = {path: path.stat().st_mtime for path in directory.glob(f"*{SUFFIX}")}
    last = max(used.values(), default=0.0)
    for path in sorted(used, key=lambda path: used[path])[:-_KEPT]:
        if last - used[path] > _UNUSED_S:
            path.unlink(missing_ok=True)


if __name__ == "__main__":
    if sys.argv[1:]:  # beside a runtime; who sets an environment up waits for it
        os.nice(_LOWEST_PRIORITY)
    print("switched off" if _is_off() else make(*map(Path, sys.argv[1:2])))
