"""A DAG of models whose contents say of which definitions they are made, and readers that see when these are mixed.

Each model is one row with `v`: a constant of its own, and what its parents have.  So the values of all models follow from the
constants, and a reader who finds others has found the old of the one with the new of another.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

import psycopg

KINDS = ("view", "materialized_view")


@dataclass(frozen=True)
class Model:
    """`parents` are those of smaller numbers; with `wide`, it has a column more."""

    number: int
    parents: tuple[int, ...]
    constant: int
    kind: str = "materialized_view"
    wide: bool = False
    indexed: bool = False
    broken: bool = False

    @property
    def name(self) -> str:
        return f"m{self.number}"

    @property
    def text(self) -> str:
        config = f"materialized='{self.kind}'" + (", indexes=[{'columns': ['v']}]" if self.indexed else "")
        read = [f"{{{{ ref('m{parent}') }}}}" for parent in self.parents] or ["{{ source('given', 'base') }}"]
        terms = " + ".join(f"p{place}.v" for place in range(len(read)))
        columns = f"{terms} + {self.constant} as v" + (", 1 as w" if self.wide else "")
        columns += ", nothing_of_that_name" if self.broken else ""
        sources = ", ".join(f"{relation} as p{place}" for place, relation in enumerate(read))
        return f"{{{{ config({config}) }}}} select {columns} from {sources}"


@dataclass(frozen=True)
class Dag:
    models: tuple[Model, ...]

    @classmethod
    def random(cls, random: Random, size: int) -> Dag:
        models = []
        for number in range(size):
            count = min(number, random.choice((0, 1, 1, 2, 2, 3)))
            nearest = range(max(0, number - 8), number)
            parents = tuple(sorted(random.sample(nearest, min(count, len(nearest)))))
            models.append(Model(number, parents, random.randrange(1000), random.choice(KINDS)))
        return cls(tuple(models))

    def values(self) -> tuple[int, ...]:
        found: list[int] = []
        for model in self.models:
            found.append(model.constant + sum(found[parent] for parent in model.parents))
        return tuple(found)

    def edited(self, random: Random) -> Dag:
        """One to three models with another constant, other columns, of another kind, with an index or other parents."""
        models = list(self.models)
        for number in random.sample(range(len(models)), random.randint(1, 3)):
            model = replace(models[number], constant=random.randrange(1000))
            match random.choice(("constant", "constant", "columns", "kind", "index", "parents")):
                case "columns":
                    model = replace(model, wide=not model.wide)
                case "kind":
                    model = replace(model, kind=random.choice(KINDS))
                case "index":
                    model = replace(model, indexed=not model.indexed)
                case "parents" if number:
                    parents = random.sample(range(number), min(number, random.randint(1, 3)))
                    model = replace(model, parents=tuple(sorted(parents)))
            models[number] = model
        return Dag(tuple(models))

    def with_broken(self, number: int) -> Dag:
        models = list(self.models)
        models[number] = replace(models[number], broken=True)
        return Dag(tuple(models))

    def write(self, folder: Path) -> None:
        for model in self.models:
            file = folder / f"{model.name}.sql"
            if not file.exists() or file.read_text() != model.text:
                file.write_text(model.text)


@dataclass
class Readers:
    """`seen` are the values of all models that were found, in one statement; what is none of `allowed` is a mixture."""

    allowed: set[tuple[int, ...]]
    polls: int = 0
    errors: list[str] = field(default_factory=list)

    def poll(self, connection: psycopg.Connection[Any], query: str) -> None:
        try:
            rows = dict(connection.execute(query).fetchall())  # type: ignore[arg-type]
        except psycopg.Error as error:
            self.errors.append(str(error))
            return
        found = tuple(rows[number] for number in sorted(rows))
        self.polls += 1
        if found not in self.allowed:
            self.errors.append(f"{found} is none of {self.allowed}")


@contextmanager
def reading(
    server: Mapping[str, Any], schema: str, size: int, allowed: set[tuple[int, ...]]
) -> Iterator[Readers]:
    """Two sessions read all models over and over meanwhile."""
    readers = Readers(allowed)
    parts = (f'select {number} as m, v from "{schema}".m{number}' for number in range(size))
    query = " union all ".join(parts)
    stop = threading.Event()

    def work() -> None:
        with connected(server) as connection:
            while not stop.is_set():
                readers.poll(connection, query)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        yield readers
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def connected(server: Mapping[str, Any]) -> psycopg.Connection[Any]:
    address = {name: server[name] for name in ("host", "port", "user", "dbname")}
    return psycopg.connect(**address, autocommit=True)


_DBT = """
import runpy, signal

signal.signal(signal.SIGINT, signal.default_int_handler)
runpy.run_module("dbt.cli.main", run_name="__main__", alter_sys=True)
"""
"""dbt, which hears of Ctrl-C also where tests run in the background of a shell, which has its processes ignore it."""


class DbtProcess:
    """A command of dbt in a process of its own, that signals can be sent to; its output goes to a file."""

    def __init__(self, project: Any, folder: Path, *arguments: str) -> None:
        self.log = folder / f"{len(list(folder.iterdir()))}.log"
        command = [sys.executable, "-c", _DBT, *arguments]
        environment = {
            **os.environ,
            "DBT_LOG_PATH": str(folder / self.log.stem),
            "DBT_TARGET_PATH": str(folder / self.log.stem / "target"),
            "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
        }
        with self.log.open("w") as output:
            self._process = subprocess.Popen(
                [*command, "--profiles-dir", str(project.profiles_dir)],
                cwd=project.project_root,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=environment,
            )

    @property
    def output(self) -> str:
        return self.log.read_text()

    def wait(self, timeout: float = 300) -> int:
        try:
            return self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.kill()
            raise

    @property
    def has_ended(self) -> bool:
        return self._process.poll() is not None

    def interrupt(self) -> None:
        self._process.send_signal(signal.SIGINT)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()


_COMMENT = re.compile(r"/\*.*?\*/|--[^\n]*", re.DOTALL)


def left_behind(project: Any) -> list[str]:
    """Staging schemas, objects under names that are those of a run that goes on, and texts of views that name the like."""
    rows = project.run_sql(
        "select nspname from pg_namespace where nspname like '%__dbt_next' union all "
        "select relname from pg_class c join pg_namespace n on n.oid = c.relnamespace "
        f"where n.nspname = '{project.test_schema}' and (relname like '%__dbt_tmp' or relname like '%__dbt_old_%')",
        fetch="all",
    )
    texts = project.run_sql(
        f"select viewname, definition from pg_views where schemaname = '{project.test_schema}' union all "
        f"select matviewname, definition from pg_matviews where schemaname = '{project.test_schema}'",
        fetch="all",
    )
    names = [name for (name,) in rows if project.test_schema in name or not name.endswith("__dbt_next")]
    return sorted([*names, *(name for name, text in texts if "__dbt_next" in _COMMENT.sub("", text))])
