"""Copies of the sample project, over the runtime of the tests."""

from __future__ import annotations

import os
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Any

import psycopg


class Project:
    """A copy of the project, in a schema of its own."""

    def __init__(self, folder: Path, server: dict[str, Any]) -> None:
        self.folder = folder
        self.schema = f"sample_{uuid.uuid4().hex[:8]}"
        self._environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("PTVC_SAMPLE")},
            "PTVC_TARGET": "server",
            "PTVC_HOST": server["host"],
            "PTVC_PORT": str(server["port"]),
            "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
        }
        profiles = folder / "profiles.yml"
        profiles.write_text(profiles.read_text().replace("schema: public", f"schema: {self.schema}"))

    def run(self, *command: str, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd=self.folder,
            env={**self._environment, **more},
            capture_output=True,
            text=True,
            check=False,
        )

    def dbt(self, *arguments: str, **more: str) -> str:
        done = self.run(
            str(Path(sys.executable).parent / "dbt"),
            "--no-use-colors",
            *arguments,
            "--profiles-dir",
            ".",
            **more,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


def connected(server: dict[str, Any]) -> psycopg.Connection[tuple[Any, ...]]:
    return psycopg.connect(
        host=server["host"], port=server["port"], user="ptvc", dbname="ptvc", autocommit=True
    )


def listed(said: str) -> set[str]:
    return {line.rpartition(".")[2] for line in said.splitlines()}
