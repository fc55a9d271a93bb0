"""A profile: where the runtime is (`host`, or `path` for an embedded one), and as whom to speak to it.

Exactly one of `host` and `path` is given.  A relative `path` is anchored at the project's directory, as dbt does
with every other path, before the first connection is opened.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from dbt.adapters.contracts.connection import Credentials
from dbt_common.exceptions import DbtRuntimeError

DEFAULT_PORT = 6875


@dataclass
class PtvcCredentials(Credentials):
    """Times are seconds.  `start_timeout` bounds the start of an embedded runtime, `connect_timeout` one attempt
    to connect, `retries` the attempts after the first.  `consensus` and `blob` are the stores of the runtime at `host`, for Python
    models, as `spark_master` and `spark_config` are."""

    database: str = "ptvc"
    schema: str = "public"
    host: str | None = None
    port: int | None = None
    path: str | None = None
    user: str = "ptvc"
    password: str | None = None
    cluster: str | None = None
    search_path: str | None = None
    connect_timeout: int = 10
    start_timeout: int = 180
    retries: int = 1
    sslmode: str | None = None
    sslrootcert: str | None = None
    sslcert: str | None = None
    sslkey: str | None = None
    application_name: str = "dbt"
    options: str | None = None
    consensus: str | None = None
    blob: str | None = None
    spark_master: str | None = None
    spark_config: dict[str, Any] | None = None

    _ALIASES = {"dbname": "database", "pass": "password", "username": "user"}

    @classmethod
    def validate(cls, data: Any) -> None:
        """Refuses keys that mean nothing: dbt itself would pass over a misspelt one."""
        known = {field.name for field in fields(cls)} | set(cls._ALIASES) | {"type", "threads"}
        for name in sorted(set(data) - known):
            close = get_close_matches(name, known, 1)
            raise DbtRuntimeError(
                f"the profile has an unknown key `{name}`"
                + (f"; did you mean `{close[0]}`?" if close else f". Known are: {', '.join(sorted(known))}.")
            )
        super().validate(data)

    def __post_init__(self) -> None:
        if self.host is None and self.path is None:
            raise DbtRuntimeError(
                "a ptvc profile names either `host` (and `port`) of a running runtime, or `path`, the directory of "
                "an embedded one; this one names neither. Add `path: ./.ptvc` for a runtime that dbt starts itself."
            )
        if self.host is not None and self.path is not None:
            raise DbtRuntimeError(
                f"a ptvc profile names either `host` or `path`, not both (host: {self.host}, path: {self.path}). "
                "Remove `path` to use the running runtime, or `host` and `port` to use an embedded one."
            )
        if self.path is not None and self.port is not None:
            raise DbtRuntimeError(
                f"`port: {self.port}` has no meaning beside `path: {self.path}`: an embedded runtime picks its own "
                "port. Remove `port`."
            )
        if (self.consensus is None) != (self.blob is None):
            raise DbtRuntimeError(
                "a ptvc profile names both stores of the runtime, `consensus` and `blob`, or neither. They are those that "
                "`ptvc serve` was given."
            )
        if self.path is not None and self.consensus is not None:
            raise DbtRuntimeError(
                f"`consensus` and `blob` have no meaning beside `path: {self.path}`: the directory knows its stores. Remove them."
            )

    @property
    def type(self) -> str:
        return "ptvc"

    @property
    def unique_field(self) -> str:
        return self.address

    @property
    def address(self) -> str:
        """Where the runtime is, for messages."""
        if self.path is not None:
            return self.path
        return f"{self.host}:{self.port or DEFAULT_PORT}"

    def anchor(self, project_root: Path) -> None:
        """Make a relative `path` absolute."""
        if self.path is not None:
            self.path = str((project_root / Path(self.path).expanduser()).resolve())

    def _connection_keys(self) -> tuple[str, ...]:
        where = ("path",) if self.path is not None else ("host", "port", "sslmode")
        return (
            *where,
            "user",
            "database",
            "schema",
            "cluster",
            "search_path",
            "connect_timeout",
            "application_name",
            "options",
        )

    def store_options(self) -> dict[str, str] | None:
        """Where Spark finds the runtime's stores, as options of its data source; None if that is not said."""
        if self.path is not None:
            return {"path": self.path}
        if self.consensus is not None and self.blob is not None:
            return {"consensus": self.consensus, "blob": self.blob}
        return None

    def connect_arguments(self, host: str, port: int) -> dict[str, Any]:
        """Keyword arguments of `psycopg.connect`; what is not given is left to libpq's defaults."""
        arguments = {
            "host": host,
            "port": port,
            "user": self.user,
            "password": self.password,
            "dbname": self.database,
            "connect_timeout": self.connect_timeout,
            "application_name": self.application_name,
            "sslmode": self.sslmode,
            "sslrootcert": self.sslrootcert,
            "sslcert": self.sslcert,
            "sslkey": self.sslkey,
            "options": self.options,
        }
        return {name: value for name, value in arguments.items() if value is not None}

    def session_settings(self) -> dict[str, str]:
        """What is set once per connection."""
        settings = {"cluster": self.cluster, "search_path": self.search_path}
        return {name: value for name, value in settings.items() if value is not None}
