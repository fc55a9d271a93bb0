"""DuckDB with its extensions for lakes and for PostgreSQL, in a process of its own: they are packages of one version of DuckDB, which is not that
of the project.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .python_packages import python_packages

_DUCKDB, _EXTENSIONS = "1.4.4", "1.4.4.20260205"
LAKES = ("avro", "delta", "httpfs", "iceberg")
POSTGRES = ("postgres_scanner",)
_PACKAGES = (*LAKES, "postgres")
_WANTED = (f"duckdb=={_DUCKDB}", *(f"duckdb-ext-{name}=={_EXTENSIONS}" for name in _PACKAGES))
_PROGRAM = """
import pickle, sys
import duckdb
folder, names, *statements = sys.argv[1:]
db = duckdb.connect(config={"extension_directory": folder, "autoinstall_known_extensions": False})
db.execute("SET enable_progress_bar = false")
for name in names.split(","):
    db.execute(f"LOAD {name}")
for statement in statements:
    found = db.execute(statement)
sys.stdout.buffer.write(pickle.dumps(found.fetchall()))
"""


def packages() -> Path:
    """The folder that is to be in the path of modules.  Raises Missing."""
    return python_packages(f"duckdb-{_EXTENSIONS}-{'-'.join(_PACKAGES)}", *_WANTED)


class Refused(Exception):
    """What DuckDB has said to a statement."""


def duckdb_rows(*statements: str, extensions: Sequence[str] = LAKES) -> list[tuple[Any, ...]]:
    """Of the last of them, such as a query over `delta_scan` or `iceberg_scan`; the extensions are loaded before.  Raises Missing, Refused."""
    folder = packages()
    program = [sys.executable, "-c", _PROGRAM, str(folder / "duckdb_ext" / "extensions")]
    done = subprocess.run(
        [*program, ",".join(extensions), *statements],
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(folder)},
    )
    if done.returncode:
        raise Refused(done.stderr.decode(errors="replace"))
    rows: list[tuple[Any, ...]] = pickle.loads(done.stdout)
    return rows
