"""Debezium's connector for PostgreSQL, in a Kafka Connect of the test run's own."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from .java_process import RUN_OPTIONS, JavaProcess
from .kafka.broker import KafkaBroker
from .maven_jars import DEBEZIUM, java
from .postgres_listening import Listening

_MAIN = "org.apache.kafka.connect.cli.ConnectStandalone"
OFFSETS = "offsets"
_OFFSETS_EACH_MS = 300


class Debezium(JavaProcess):
    def __init__(self, command: Sequence[str], folder: Path) -> None:
        super().__init__(command, folder / "log")
        self._offsets = folder / OFFSETS

    @property
    def is_behind_snapshot(self) -> bool:
        """Whether it has noted that.  One that is killed before takes another snapshot, and says nothing of the rows that are gone by then."""
        return self._offsets.exists() and b"lsn_proc" in self._offsets.read_bytes()


@contextmanager
def debezium(
    server: Listening,
    user: str,
    password: str,
    kafka: KafkaBroker,
    prefix: str,
    tables: Sequence[str],
    **settings: str,
) -> Iterator[Debezium]:
    """Writes the events of the tables (`schema.name`) to topics `prefix.schema.name`, which it makes; `settings` have underscores for
    dots.  The user owns the tables, and may make a publication.  Raises Missing."""
    jars = DEBEZIUM.folder()
    folder = Path(tempfile.mkdtemp(prefix="ptvc-debezium-"))
    worker = {
        "bootstrap.servers": kafka.bootstrap,
        "key.converter": "org.apache.kafka.connect.json.JsonConverter",
        "value.converter": "org.apache.kafka.connect.json.JsonConverter",
        "offset.storage.file.filename": str(folder / OFFSETS),
        "offset.flush.interval.ms": str(_OFFSETS_EACH_MS),
        "listeners": "http://127.0.0.1:0",
        "plugin.discovery": "only_scan",
    }
    connector = {
        "name": prefix,
        "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
        "plugin.name": "pgoutput",
        "database.hostname": "127.0.0.1",
        "database.port": str(server.port),
        "database.user": user,
        "database.password": password,
        "database.dbname": "postgres",
        "topic.prefix": prefix,
        "slot.name": f"{prefix}_slot",
        "publication.name": f"{prefix}_publication",
        "publication.autocreate.mode": "filtered",
        "table.include.list": ",".join(tables),
        **{name.replace("_", "."): value for name, value in settings.items()},
    }
    files = [
        _written(folder / "worker.properties", worker),
        _written(folder / "connector.properties", connector),
    ]
    command = [java(), "-Xmx256m", *RUN_OPTIONS, "-cp", f"{jars}/*", _MAIN, *map(str, files)]
    process = Debezium(command, folder)
    for table in tables:
        kafka.create_topic(f"{prefix}.{table}")
    try:
        process.start()
        yield process
    finally:
        process.kill()
        shutil.rmtree(folder, ignore_errors=True)


def _written(path: Path, settings: dict[str, str]) -> Path:
    path.write_text("".join(f"{name}={value}\n" for name, value in settings.items()))
    return path
