"""Jars of what is measured beside the runtime, from Maven Central, in a cache of this machine's (`~/.cache/ptvc-benchmarks`)."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

_FETCHED_WITHIN_S = 600


class NoJars(Exception):
    """They are not on this machine, and cannot be fetched; the text says why."""


def jars_of(name: str, artifacts: Mapping[str, str], *, without: tuple[str, ...] = ()) -> Path:
    """The folder of the artifacts (`group:artifact` to version) with all that they need at run time, but for those `without`.

    `name` names the folder, and has to change with the artifacts.  Raises NoJars.
    """
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ptvc-benchmarks"
    folder = cache / name
    if folder.is_dir():
        return folder
    maven = shutil.which("mvn")
    if maven is None:
        raise NoJars(f"the jars of {name} come from Maven Central: there is no program mvn")
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as made:
        Path(made, "pom.xml").write_text(_pom(artifacts, without))
        command = [maven, "-q", "-B", "dependency:copy-dependencies", "-DincludeScope=runtime"]
        try:
            done = subprocess.run(
                [*command, "-DoutputDirectory=lib"],
                cwd=made,
                capture_output=True,
                text=True,
                timeout=_FETCHED_WITHIN_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise NoJars(f"Maven has not fetched the jars of {name} within {_FETCHED_WITHIN_S} s") from None
        if done.returncode:
            raise NoJars(
                f"the jars of {name} cannot be fetched: {(done.stdout + done.stderr).strip()[-400:]}"
            )
        try:
            Path(made, "lib").rename(folder)
        except OSError:  # another process has been first
            if not folder.is_dir():
                raise
    return folder


def _pom(artifacts: Mapping[str, str], without: tuple[str, ...]) -> str:
    left_out = "".join(f"<exclusion>{_named(artifact)}</exclusion>" for artifact in without)
    wanted = "".join(
        f"<dependency>{_named(artifact)}<version>{version}</version><exclusions>{left_out}</exclusions></dependency>"
        for artifact, version in artifacts.items()
    )
    return (
        "<project><modelVersion>4.0.0</modelVersion><groupId>ptvc.benchmarks</groupId><artifactId>jars</artifactId>"
        f"<version>1</version><packaging>pom</packaging><dependencies>{wanted}</dependencies></project>"
    )


def _named(artifact: str) -> str:
    group, _, name = artifact.partition(":")
    return f"<groupId>{group}</groupId><artifactId>{name}</artifactId>"
