"""`ptvc pack`: the archive from which executors on other machines take this package and what it stands on.

```
bin/python    runs the machine's own interpreter, of the same minor version, with lib/ before its packages
lib/          ptvc, and the files of the distributions that replicas and jobs need, as they are installed here
```

Spark unpacks it beside each executor (`spark.archives`).  It is made of files alone, so it works wherever it lies, from an editable install as
well; it holds no interpreter, and its compiled modules are of this platform.
"""

from __future__ import annotations

import gzip
import io
import sys
import tarfile
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution, distributions
from pathlib import Path
from typing import Annotated

import typer
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from ..errors import PtvcError
from .output import console

NAME = "dbt-ptvc"
EXTRAS = ("s3", "iceberg", "delta", "avro", "kafka", "mysql", "javascript")
"""What sources, sinks and functions use, which run on executors: those of them whose packages are installed."""
LEFT_OUT = frozenset({"dbt-core", "dbt-adapters", "dbt-common", "agate"})
"""Executors run no dbt."""
_SKIPPED = {
    "pyspark": ("jars", "bin", "sbin", "examples", "data", "licenses", "python"),  # executors have Spark
    "pyarrow": ("include", "src", "tests"),
    "pandas": ("tests",),
}
"""Folders of packages that nothing imports."""
PYTHON = f"python{sys.version_info.major}.{sys.version_info.minor}"
_SCRIPT = """\
#!/bin/sh
# Runs {python} with the packages beside this script.
root=$(cd "$(dirname "$0")/.." && pwd) || exit 1
PYTHONPATH="$root/lib${{PYTHONPATH:+:$PYTHONPATH}}"
PYTHONNOUSERSITE=1
export PYTHONPATH PYTHONNOUSERSITE
exec {python} "$@"
"""


def pack(
    file: Annotated[Path, typer.Argument(help="The archive to make.")] = Path("ptvc-env.tar.gz"),
    more: Annotated[
        list[str] | None,
        typer.Option(
            "--with", help="Another installed package, as functions in Python import; repeat for more."
        ),
    ] = None,
    python: Annotated[
        str,
        typer.Option(
            "--python", help="The interpreter on the executors' machines; a path, or found on PATH."
        ),
    ] = PYTHON,
) -> None:
    """Make the archive that executors on other machines need, of what is installed here."""
    if not all(character.isalnum() or character in "/._+-" for character in python):
        raise PtvcError(f'"{python}" is no name of an interpreter', sqlstate="22023")
    found = packed(more or ())
    _write(file, python, found)
    console.print(
        f"{file}: {len(found)} packages, {file.stat().st_size >> 20} MiB", markup=False, highlight=False
    )
    console.print("Spark's settings for it (spark_properties_file):", markup=False, highlight=False)
    console.print(f"  spark.archives {file.resolve()}#env", markup=False, highlight=False)
    console.print("  spark.pyspark.python ./env/bin/python", markup=False, highlight=False)


def packed(more: Iterable[str]) -> list[Distribution]:
    """The distributions that go into an archive, this one first, with `more` and all that these require.  Raises PtvcError for one that is
    not installed."""
    found: dict[str, Distribution] = {}
    done: set[tuple[str, frozenset[str]]] = set()
    _collect(Requirement(NAME), found, done)
    for extra in EXTRAS:
        tried, tried_done = dict(found), set(done)
        try:
            _collect(Requirement(f"{NAME}[{extra}]"), tried, tried_done)
        except PtvcError:
            continue  # not installed, so nothing here uses it
        found, done = tried, tried_done
    for name in more:
        _collect(Requirement(name), found, done)
    return list(found.values())


def _installed(name: str) -> Distribution:
    """Not what the source in the current folder says of itself, if that is the package's (`.egg-info`).  Raises PackageNotFoundError."""
    return next((there for there in distributions(name=name) if there.read_text("WHEEL")), distribution(name))


def _collect(
    wanted: Requirement, found: dict[str, Distribution], done: set[tuple[str, frozenset[str]]]
) -> None:
    name = canonicalize_name(wanted.name)
    if (key := (name, frozenset(wanted.extras))) in done:
        return
    done.add(key)
    try:
        found[name] = there = _installed(name)
    except PackageNotFoundError:
        raise PtvcError(
            f"{wanted.name} is not installed", hint=f"Install it: pip install {wanted.name}"
        ) from None
    for text in there.requires or ():
        required = Requirement(text)
        left_out = name == NAME and canonicalize_name(required.name) in LEFT_OUT
        extras = wanted.extras or {""}
        applies = required.marker is None or any(required.marker.evaluate({"extra": e}) for e in extras)
        if applies and not left_out:
            _collect(required, found, done)


def _write(file: Path, python: str, distributions: Iterable[Distribution]) -> None:
    """Whole or not at all."""
    temporary = file.with_name(f".{file.name}.tmp")
    try:
        with (
            temporary.open("wb") as raw,
            gzip.GzipFile("", "wb", 6, raw, mtime=0) as compressed,
            tarfile.open(fileobj=compressed, mode="w", format=tarfile.PAX_FORMAT) as archive,
        ):
            _add(archive, "bin/python", io.BytesIO(_SCRIPT.format(python=python).encode()), 0o755)
            for name, path in sorted(_all_files(distributions).items()):
                with path.open("rb") as content:
                    _add(archive, f"lib/{name}", content, 0o644)
        temporary.replace(file)
    except OSError as error:
        raise PtvcError(f'cannot write "{file}": {error.strerror or error}', sqlstate="58030") from error
    finally:
        temporary.unlink(missing_ok=True)


def _add(archive: tarfile.TarFile, name: str, content: io.BufferedIOBase, mode: int) -> None:
    """Without who owns it, and when it was made: the same files are the same archive."""
    info = tarfile.TarInfo(name)
    info.size = content.seek(0, io.SEEK_END)
    content.seek(0)
    info.mode = mode
    archive.addfile(info, content)


def _all_files(distributions: Iterable[Distribution]) -> dict[str, Path]:
    files: dict[str, Path] = {}
    for there in distributions:
        name = canonicalize_name(there.metadata["Name"])
        files.update(_own_files(there) if name == NAME else _files(there, name))
    return files


def _own_files(there: Distribution) -> Iterator[tuple[str, Path]]:
    """Of this package: an editable install lists none of its modules."""
    root = Path(__file__).resolve().parent.parent
    for path in root.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            yield f"ptvc/{path.relative_to(root)}", path
    for record in there.files or ():
        if record.parent.suffix == ".dist-info" and record.name in ("METADATA", "entry_points.txt"):
            yield str(record), Path(str(there.locate_file(record)))


def _files(there: Distribution, name: str) -> Iterator[tuple[str, Path]]:
    records = there.files
    if records is None or any(record.name.startswith("__editable__") for record in records):
        raise PtvcError(
            f"{name} is installed without its files",
            hint=f"An editable package cannot be packed: pip install {name}, or a wheel of it.",
        )
    for record in records:
        outside = record.parts[0] == ".." or record.is_absolute()
        if outside or "__pycache__" in record.parts or record.suffix == ".pth":
            continue
        if len(record.parts) > 2 and record.parts[0] == name and record.parts[1] in _SKIPPED.get(name, ()):
            continue
        yield str(record), Path(str(there.locate_file(record)))
