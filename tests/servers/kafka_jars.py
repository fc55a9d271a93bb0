"""The jars of a Kafka broker, from Maven Central, in a cache that all runs of this machine share.

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
from pathlib import Path

VERSION = "4.3.1"
LEAST_JAVA = 17
FETCHED_WITHIN_S = 600
_POM = f"""<project>
<modelVersion>4.0.0</modelVersion>
<groupId>ptvc.tests</groupId><artifactId>broker</artifactId><version>1</version><packaging>pom</packaging>
<dependencies>
<dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>{VERSION}</version></dependency>
<dependency><groupId>org.slf4j</groupId><artifactId>slf4j-simple</artifactId><version>1.7.36</version></dependency>
</dependencies>
</project>
"""


class Missing(Exception):
    """What a broker needs is not on this machine; the text says what."""


def java() -> str:
    """The program, of a version that a broker runs on."""
    home = os.environ.get("JAVA_HOME")
    program = shutil.which("java", path=f"{home}/bin") if home else shutil.which("java")
    if program is None:
        raise Missing(f"a Kafka broker needs Java {LEAST_JAVA} or newer: there is no program java")
    said = subprocess.run([program, "-version"], capture_output=True, text=True, check=False).stderr
    version = re.search(r'version "(\d+)', said)
    if version is None or int(version[1]) < LEAST_JAVA:
        raise Missing(f"a Kafka broker needs Java {LEAST_JAVA} or newer: {said.splitlines()[:1]}")
    return program


def shared_cache() -> Path:
    """A folder for what is fetched once; all runs of this machine share it."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ptvc-tests"


def jars() -> Path:
    """The folder of the jars, fetched if they are not there."""
    cache = shared_cache()
    folder = cache / f"kafka-{VERSION}"
    if folder.is_dir():
        return folder
    maven = shutil.which("mvn")
    if maven is None:
        raise Missing("the jars of a Kafka broker come from Maven Central: there is no program mvn")
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.is_dir():  # another process may have been first
            with tempfile.TemporaryDirectory(dir=cache) as made:
                _fetch(maven, Path(made))
                (Path(made) / "lib").rename(folder)
    return folder


def _fetch(maven: str, folder: Path) -> None:
    (folder / "pom.xml").write_text(_POM)
    command = [maven, "-q", "-B", "dependency:copy-dependencies", "-DincludeScope=runtime"]
    done = subprocess.run(
        [*command, "-DoutputDirectory=lib"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=FETCHED_WITHIN_S,
        check=False,
    )
    if done.returncode or not any((folder / "lib").glob("kafka_*.jar")):
        raise Missing(
            f"the jars of a Kafka broker cannot be fetched: {(done.stdout + done.stderr).strip()[-400:]}"
        )
