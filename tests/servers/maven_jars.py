"""Jars of Maven Central: of a Kafka broker, of Debezium in Kafka Connect, of Spark with lakes, and of a client by JDBC, in a cache that all
runs of this machine share.

They are fetched once: into a folder beside the final one, which is renamed when it is complete, under a lock, as several
processes of tests may come at the same time.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

LEAST_JAVA = 17
FETCHED_WITHIN_S = 600


@dataclass(frozen=True, slots=True)
class Jars:
    """`of` what, in which `version`, and the artifacts that bring all others with them."""

    of: str
    version: str
    artifacts: tuple[str, ...]

    def folder(self) -> Path:
        """Where they are; fetched if they are not there.  Raises Missing."""
        cache = shared_cache()
        folder = cache / f"{self.of}-{self.version}"
        if folder.is_dir():
            return folder
        maven = shutil.which("mvn")
        if maven is None:
            raise Missing(f"the jars of {self.of} come from Maven Central: there is no program mvn")
        cache.mkdir(parents=True, exist_ok=True)
        with (cache / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not folder.is_dir():  # another process may have been first
                with tempfile.TemporaryDirectory(dir=cache) as made:
                    self._fetch(maven, Path(made))
                    (Path(made) / "lib").rename(folder)
        return folder

    def _fetch(self, maven: str, folder: Path) -> None:
        dependencies = ""
        for artifact in self.artifacts:
            group, name, version = artifact.split(":")
            dependencies += (
                f"<dependency><groupId>{group}</groupId><artifactId>{name}</artifactId>"
                f"<version>{version}</version></dependency>\n"
            )
        (folder / "pom.xml").write_text(_POM.format(name=self.of, dependencies=dependencies))
        command = [maven, "-q", "-B", "dependency:copy-dependencies", "-DincludeScope=runtime"]
        done = subprocess.run(
            [*command, "-DoutputDirectory=lib"],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=FETCHED_WITHIN_S,
            check=False,
        )
        if done.returncode or not any((folder / "lib").glob("*.jar")):
            raise Missing(
                f"the jars of {self.of} cannot be fetched: {(done.stdout + done.stderr).strip()[-400:]}"
            )


_KAFKA = "4.3.1"
_LOGGING = "org.slf4j:slf4j-simple:1.7.36"
"""Of the version of the slf4j-api that comes with the others."""
KAFKA = Jars("kafka", _KAFKA, (f"org.apache.kafka:kafka_2.13:{_KAFKA}", _LOGGING))
_DEBEZIUM = "3.3.1.Final"
DEBEZIUM = Jars(
    "debezium",
    f"{_DEBEZIUM}-on-{_KAFKA}",
    (
        f"io.debezium:debezium-connector-postgres:{_DEBEZIUM}",
        f"org.apache.kafka:connect-runtime:{_KAFKA}",
        f"org.apache.kafka:connect-json:{_KAFKA}",
        _LOGGING,
    ),
)
JDBC = Jars("jdbc", "42.7.12", ("org.postgresql:postgresql:42.7.12", "sqlline:sqlline:1.12.0"))
"""PostgreSQL's driver, and a program that runs SQL through it, as a machine may have no compiler of Java."""
_SPARK, _DELTA, _ICEBERG = "4.1.0", "4.4.0", "1.12.0"
SPARK_LAKES = Jars(
    "spark",
    f"{_SPARK}-delta-{_DELTA}-iceberg-{_ICEBERG}",
    (
        f"org.apache.spark:spark-sql_2.13:{_SPARK}",
        f"io.delta:delta-spark_4.1_2.13:{_DELTA}",
        f"org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:{_ICEBERG}",
        "org.xerial:sqlite-jdbc:3.54.1.0",
    ),
)
"""The newest Spark that both lakes are built for."""
_POM = """<project>
<modelVersion>4.0.0</modelVersion>
<groupId>ptvc.tests</groupId><artifactId>{name}</artifactId><version>1</version><packaging>pom</packaging>
<dependencies>
{dependencies}</dependencies>
</project>
"""


class Missing(Exception):
    """What a server needs is not on this machine; the text says what."""


def java() -> str:
    """The program, of a version that all of them run on."""
    home = os.environ.get("JAVA_HOME")
    program = shutil.which("java", path=f"{home}/bin") if home else shutil.which("java")
    if program is None:
        raise Missing(f"Java {LEAST_JAVA} or newer is needed: there is no program java")
    said = subprocess.run([program, "-version"], capture_output=True, text=True, check=False).stderr
    version = re.search(r'version "(\d+)', said)
    if version is None or int(version[1]) < LEAST_JAVA:
        raise Missing(f"Java {LEAST_JAVA} or newer is needed: {said.splitlines()[:1]}")
    return program


def shared_cache() -> Path:
    """A folder for what is fetched once; all runs of this machine share it."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ptvc-tests"
