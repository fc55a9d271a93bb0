"""The image's file names what is there, and its entry point does what it says.  No image is built: that needs what is not everywhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from ptvc.compute.spark.java import ensure_java

from .render import ROOT

DOCKERFILE = ROOT / "deploy" / "Dockerfile"
ENTRYPOINT = ROOT / "deploy" / "entrypoint"


def copied() -> list[list[str]]:
    """The sources of each COPY from the checkout."""
    lines = re.findall(r"^COPY (.*)$", DOCKERFILE.read_text(), re.MULTILINE)
    words = [[word for word in line.split() if not word.startswith("--chmod")] for line in lines]
    return [found[:-1] for found in words if not found[0].startswith("--from")]


def test_what_is_copied_is_there_and_not_left_out() -> None:
    let_in = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    assert (ROOT / ".dockerignore").read_text().startswith("*\n")
    for source in (source for sources in copied() for source in sources):
        assert (ROOT / source).exists()
        assert source in let_in


def test_extras_are_those_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = re.search(r"^ARG EXTRAS=(.*)$", DOCKERFILE.read_text(), re.MULTILINE)
    assert extras is not None
    assert set(extras[1].split(",")) <= set(project["optional-dependencies"])
    python = re.search(r"^ARG PYTHON=3\.(\d+)", DOCKERFILE.read_text(), re.MULTILINE)
    least = re.fullmatch(r">=3\.(\d+)", project["requires-python"])
    assert python is not None
    assert least is not None
    assert int(python[1]) >= int(least[1])


@pytest.mark.slow
def test_the_wheel_is_whole(tmp_path: Path) -> None:
    """Of what is copied alone, all of the package comes."""
    for source in (source for sources in copied()[:-1] for source in sources):
        target = tmp_path / "source" / source
        target.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["cp", "-r", str(ROOT / source), str(target)], check=True)
    command = [
        "-m",
        "build",
        "--wheel",
        "--no-isolation",
        "--outdir",
        str(tmp_path),
        str(tmp_path / "source"),
    ]
    subprocess.run([sys.executable, *command], check=True, capture_output=True, timeout=240)
    (wheel,) = tmp_path.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    for path in (ROOT / "runtime").rglob("*.py"):
        assert f"ptvc/{path.relative_to(ROOT / 'runtime')}" in names


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """Programs that write down how they were called, each word in a line of its own."""
    folder = tmp_path / "programs"
    folder.mkdir()
    for name in ("ptvc", "java"):
        program = folder / name
        program.write_text(
            f'#!/bin/sh\n{{ echo "== {name} ${{PGPASSWORD-}}"; for word; do echo "$word"; done;'
            ' [ "${4-}" != "-" ] || { cat; echo; }; } >>"$CALLS"; exit 0\n'
        )
        program.chmod(0o755)
    return folder


def run(programs: Path, *arguments: str, **variables: str) -> tuple[int, list[str]]:
    calls = programs.parent / "calls"
    calls.write_text("")
    path = f"{programs}:{Path(sys.executable).parent}:/usr/bin:/bin"
    environment = {"PATH": path, "CALLS": str(calls), **variables}
    done = subprocess.run(["sh", str(ENTRYPOINT), *arguments], env=environment, timeout=60, check=False)
    return done.returncode, calls.read_text().splitlines()


def test_it_serves(programs: Path) -> None:
    assert os.access(ENTRYPOINT, os.X_OK)
    wanted = ["== ptvc ", "serve", "--path", "/data/e"]
    assert run(programs, PTVC_DIRECTORY="/data/e") == (0, wanted)
    assert run(programs, "serve", "--set", "a=b c", PTVC_DIRECTORY="/data/e") == (
        0,
        [*wanted, "--set", "a=b c"],
    )
    assert run(programs, "ptvc", "doctor", PTVC_DIRECTORY="/data/e") == (0, ["== ptvc ", "doctor"])


def test_it_gives_the_first_password_once(programs: Path, tmp_path: Path) -> None:
    variables = {
        "PTVC_DIRECTORY": str(tmp_path / "environment"),
        "PTVC_PASSWORD": "it's \\ secret",
        "PGPASSWORD": "of consensus",
    }
    path = ["--path", str(tmp_path / "environment")]
    status, calls = run(programs, "password", "--blob", "s3://b/p", **variables)
    assert status == 0
    assert calls == [
        *("== ptvc of consensus", "up", *path, "--blob", "s3://b/p"),
        *("== ptvc it's \\ secret", "sql", *path, "-", "ALTER ROLE ptvc PASSWORD 'it''s \\ secret'"),
        *("== ptvc of consensus", "down", *path),
    ]
    assert run(programs, "password", **variables) == (0, [])


def test_it_does_without_a_password_that_is_empty(programs: Path, tmp_path: Path) -> None:
    variables = {"PTVC_DIRECTORY": str(tmp_path / "environment"), "PTVC_PASSWORD": ""}
    status, calls = run(programs, "password", **variables)
    assert status != 0
    assert calls == []


EXECUTOR = {
    "SPARK_EXECUTOR_MEMORY": "4g",
    "SPARK_DRIVER_URL": "spark://CoarseGrainedScheduler@10.0.0.5:7078",
    "SPARK_EXECUTOR_ID": "1",
    "SPARK_EXECUTOR_CORES": "2",
    "SPARK_APPLICATION_ID": "spark-application-1",
    "SPARK_EXECUTOR_POD_IP": "10.0.0.6",
    "SPARK_RESOURCE_PROFILE_ID": "0",
    "SPARK_EXECUTOR_POD_NAME": "ptvc-exec-1",
    "SPARK_HOME": "/spark",
    "SPARK_JAVA_OPT_0": "-Dspark.driver.port=7078",
    "SPARK_JAVA_OPT_1": "-Dx=a b",
}


def test_it_is_an_executor(programs: Path) -> None:
    status, calls = run(programs, "executor", **EXECUTOR)
    assert status == 0
    assert calls[:7] == [
        "== java ",
        "-Dspark.driver.port=7078",
        "-Dx=a b",
        "-Xms4g",
        "-Xmx4g",
        "-cp",
        "/opt/spark/conf:/spark/jars/*",
    ]
    assert dict(zip(calls[8::2], calls[9::2], strict=True)) == {
        "--driver-url": EXECUTOR["SPARK_DRIVER_URL"],
        "--executor-id": "1",
        "--cores": "2",
        "--app-id": "spark-application-1",
        "--hostname": "10.0.0.6",
        "--resourceProfileId": "0",
        "--podName": "ptvc-exec-1",
    }


@pytest.mark.slow
def test_spark_has_such_an_executor(programs: Path) -> None:
    """Its class is in the package, and takes these options."""
    import pyspark

    _, calls = run(programs, "executor", **EXECUTOR)
    java = f"{ensure_java()['JAVA_HOME']}/bin/java"
    jars = f"{Path(pyspark.__file__).parent}/jars/*"
    done = subprocess.run(
        [java, "-cp", jars, calls[7], "--help"], capture_output=True, text=True, timeout=120, check=False
    )
    usage = done.stdout + done.stderr
    for option in calls[8::2]:
        assert f"{option} <" in usage
