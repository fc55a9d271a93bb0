"""What can be set about a runtime, and its defaults.

`Settings` are the environment's: given by `ptvc serve --set name=value`, or left alone.  Per cluster, CREATE CLUSTER and
ALTER CLUSTER override what `ClusterOptions` names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any
from urllib.parse import urlsplit

from .errors import InvalidParameter

DATABASE = "ptvc"
DEFAULT_SCHEMA = "public"
DEFAULT_CLUSTER = "quickstart"
DEFAULT_USER = "ptvc"
DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 6875

_LOCAL = re.compile(r"local\[\s*(\d+)\s*,\s*(\d+)\s*\]")
"""So many tasks at once, each tried so often."""

_LOCAL_CLUSTER = re.compile(r"local-cluster\[\s*(\d+)\s*,\s*(\d+)\s*,\s*\d+\s*\]")
"""So many executors, of so many cores, and of so many MiB."""

_CLUSTER = re.compile(r"(spark|k8s)://\S+|yarn")
"""A cluster's manager: executors are on other machines."""

_MEMORY = re.compile(r"(\d+)([mg])", re.IGNORECASE)
_LEAST_DRIVER_MB = 512

_ANY_ADDRESS = ("0.0.0.0", "::")
"""What can be listened on, but not be dialed."""

POSTGRES_VERSION = "16.4"
"""The server version that clients are sent: psql and drivers shape their SQL by it."""

SWITCH_INTERVAL_S = 0.0005
"""How long a thread of the coordinator or of a replica may keep another one from the interpreter.  A message is in
several threads' hands in turn, and each may find another one computing (a commit, a merge, a query): Python's own 5 ms
are as much as all the rest of a small transaction."""


@dataclass(frozen=True, slots=True)
class Settings:
    """One field per setting; units are in the name."""

    spark_master: str = field(default="", metadata={"help": "Spark master; empty chooses local[n,4]"})
    spark_driver_memory: str = field(default="2g", metadata={"help": "heap of the driver's JVM"})
    spark_properties_file: str = field(
        default="",
        metadata={
            "help": "file of Spark's own settings, for this user alone to read; they go before the runtime's"
        },
    )
    control_listen: str = field(
        default="",
        metadata={
            "help": "host:port at which replicas come in over TLS; empty: they are on this machine, and come in by a Unix socket"
        },
    )
    state_files: str = field(
        default="",
        metadata={
            "help": "where processes leave files for each other: directory, if all see the environment's, or blobs; empty: blobs if "
            "spark_master is not on this machine"
        },
    )
    replica_slots: int = field(
        default=32, metadata={"help": "replicas that can exist at once, of all clusters together"}
    )
    replica_cores: int = field(
        default=1,
        metadata={
            "help": "cores of an executor that a replica takes for itself, where executors are on other machines"
        },
    )
    job_min_rows: int = field(
        default=100_000,
        metadata={"help": "a view or index over at least so many rows is hydrated by a Spark job"},
    )
    duckdb_min_rows: int = field(
        default=4_096,
        metadata={
            "help": "a query over so many rows is computed by DuckDB, where its answer is PostgreSQL's"
        },
    )
    query_job_min_rows: int = field(
        default=5_000_000,
        metadata={
            "help": "a query over so many rows, and no index, runs as a Spark job; one that DuckDB computes, "
            "from 20 times as many on"
        },
    )
    step_job_min_rows: int = field(
        default=1_000_000,
        metadata={"help": "so many changes that a view or index takes in at once are a Spark job"},
    )
    max_statement_bytes: int = field(
        default=64 << 20, metadata={"help": "the longest text of a statement, or of several in one message"}
    )
    max_result_bytes: int = field(
        default=1 << 30,
        metadata={
            "help": "what a query that runs as a Spark job may answer at most, but for what COPY writes to files"
        },
    )
    job_partitions: int = field(default=0, metadata={"help": "tasks of a level of a job; 0 is one per core"})
    spill_rows: int = field(
        default=65_536, metadata={"help": "state is kept in mapped files from so many rows in a run on"}
    )
    checkpoint_rows: int = field(
        default=50_000, metadata={"help": "rows that a dataflow takes in before it makes a checkpoint"}
    )
    checkpoint_interval_ms: int = field(
        default=30_000, metadata={"help": "how long fewer rows than that wait for the next checkpoint"}
    )
    memory_limit_mb: int = field(
        default=0,
        metadata={"help": "memory that the dataflows of one replica may hold; 0 is half of its machine's"},
    )
    query_memory_limit_mb: int = field(
        default=0,
        metadata={
            "help": "memory that a query may take; 0 is a quarter of the machine's, or the limit of its cluster if that is less"
        },
    )
    compaction_job_min_bytes: int = field(
        default=128 * 1024 * 1024,
        metadata={
            "help": "batches of a collection that take more bytes together, in memory, are merged by a Spark job"
        },
    )
    source_job_min_bytes: int = field(
        default=256 * 1024 * 1024,
        metadata={
            "help": "so many bytes of files that a FILE or S3 source is to read at once are read by a Spark job"
        },
    )
    tick_ms: int = field(default=1_000, metadata={"help": "how often time advances when nothing is written"})
    compaction_interval_ms: int = field(default=5_000, metadata={"help": "how often old times are merged"})
    retain_history_ms: int = field(default=1_000, metadata={"help": "history that every collection keeps"})
    statement_timeout_ms: int = field(default=0, metadata={"help": "default of statement_timeout; 0 is none"})
    connection_timeout_ms: int = field(
        default=10_000, metadata={"help": "how long a connection to the outside may take when it is tried"}
    )
    allow_link_local_connections: int = field(
        default=0,
        metadata={
            "help": "1: connections may lead to link-local addresses, where clouds hand out credentials"
        },
    )
    max_connections: int = field(default=500, metadata={"help": "client connections at once"})
    superuser_reserved_connections: int = field(
        default=3, metadata={"help": "of these, the last so many are for superusers"}
    )
    max_connections_per_address: int = field(
        default=0,
        metadata={
            "help": "client connections at once from one address, or one /64 of IPv6, but those of superusers; 0 is any number"
        },
    )
    max_opening_connections: int = field(
        default=256,
        metadata={"help": "connections at once that have no session yet; one more ends the oldest"},
    )
    max_opening_connections_per_address: int = field(
        default=128, metadata={"help": "of these, so many from one address; 0 is any number"}
    )
    failed_login_delay_ms: int = field(
        default=500,
        metadata={
            "help": "what the fourth wrong password of a client for a role costs; each further one costs twice as much, "
            "10 s at most; 0 is nothing"
        },
    )
    authentication_timeout_ms: int = field(
        default=60_000, metadata={"help": "how long a client may take to begin a session; 0 is any time"}
    )
    audit_log_events: int = field(
        default=20_000,
        metadata={
            "help": "events that the audit log keeps: the last so many of definitions, and of logins; 0 keeps no log"
        },
    )
    oidc_issuer: str = field(
        default="", metadata={"help": "URL of the issuer of tokens that stand for passwords; empty is none"}
    )
    oidc_audience: str = field(
        default="", metadata={"help": "for whom the tokens are to be; several with commas between"}
    )
    oidc_authentication_claim: str = field(default="sub", metadata={"help": "what of a token names the role"})
    oidc_names_file: str = field(
        default="", metadata={"help": "file of lines `name = role`, for names in tokens that are no roles"}
    )
    oidc_ca_file: str = field(
        default="", metadata={"help": "authorities that certify the issuer; empty is the system's"}
    )
    http_max_connections: int = field(default=500, metadata={"help": "connections to the HTTP port at once"})
    http_max_connections_per_address: int = field(
        default=250,
        metadata={"help": "of these, so many from one address, or one /64 of IPv6; 0 is any number"},
    )
    http_timeout_ms: int = field(
        default=30_000,
        metadata={"help": "how long the head of an HTTP request may take to arrive, and then its body"},
    )
    webhook_max_body_bytes: int = field(
        default=2 << 20, metadata={"help": "the longest body of a webhook request"}
    )
    webhook_max_requests: int = field(
        default=1_000, metadata={"help": "webhook requests under way at once; one more is answered with 429"}
    )
    webhook_max_held_bytes: int = field(
        default=64 << 20, metadata={"help": "bytes of bodies that these requests hold together at most"}
    )
    webhook_idempotency_keys: int = field(
        default=100_000,
        metadata={
            "help": "keys that a webhook source with an IDEMPOTENCY KEY HEADER remembers: the last ones"
        },
    )

    def __post_init__(self) -> None:
        if self.spark_master and not self.on_cluster and self._spark_slots() < 2:
            raise InvalidParameter(
                f'setting "spark_master" cannot be "{self.spark_master}"',
                hint="Give local[n,m], n tasks at once, 2 at least, each tried m times, more than once; "
                "local-cluster[executors,cores,MiB] with 2 cores at least; or spark://host:port, k8s://URL or yarn.",
            )
        found = _MEMORY.fullmatch(self.spark_driver_memory)
        if not found or int(found[1]) * (1024 if found[2] in "gG" else 1) < _LEAST_DRIVER_MB:
            raise InvalidParameter(
                f'setting "spark_driver_memory" cannot be "{self.spark_driver_memory}"',
                hint=f"Give {_LEAST_DRIVER_MB}m or more, as 1500m or 2g.",
            )
        if self.state_files not in ("", "directory", "blobs"):
            raise InvalidParameter(
                f'setting "state_files" cannot be "{self.state_files}"',
                hint="Give directory or blobs, or leave it empty.",
            )
        self.control_address  # noqa: B018  # is read, so that a bad one is refused
        if self.on_cluster and not self.control_listen:
            raise InvalidParameter(
                f'setting "spark_master" cannot be "{self.spark_master}" without "control_listen"',
                hint="Replicas run on other machines then: give the address at which they reach this one, as 10.0.0.5:6890.",
            )
        if self.replica_cores < 1 or (self.replica_cores > 1 and not self.on_cluster):
            raise InvalidParameter(
                f'setting "replica_cores" cannot be {self.replica_cores} here',
                hint="It is 1 or more where executors are on other machines, and 1 on this one.",
            )

    @property
    def control_address(self) -> tuple[str, int] | None:
        """Host and port of `control_listen`.  Raises InvalidParameter."""
        if not self.control_listen:
            return None
        try:
            found = urlsplit(f"//{self.control_listen}")
            host, port = found.hostname, found.port
        except ValueError:
            host, port = None, None
        if not host or port is None or found.netloc != self.control_listen or host in _ANY_ADDRESS:
            raise InvalidParameter(
                f'setting "control_listen" cannot be "{self.control_listen}"',
                hint="Give the address of this machine that others reach, and a port, as 10.0.0.5:6890; port 0 picks a free one.",
            )
        return host, port

    @property
    def on_cluster(self) -> bool:
        """Executors are on other machines, which share nothing with this one but the network."""
        return _CLUSTER.fullmatch(self.spark_master) is not None

    @property
    def shares_by_blobs(self) -> bool:
        """Whether what processes leave for each other goes through the store of blobs, and not a directory that all of them see."""
        return self.state_files == "blobs" or (not self.state_files and self.on_cluster)

    @property
    def master(self) -> str:
        """Where Spark runs.  A replica occupies a slot for good, so jobs need spare ones; `local[n]` alone would never retry a task."""
        return self.spark_master or f"local[{self.replica_slots + 2},4]"

    @property
    def replica_room(self) -> int:
        """Replicas that can exist at once: jobs need one slot.  How many cores a cluster has is not known here, and changes."""
        if not self.spark_master or self.on_cluster:
            return self.replica_slots
        return min(self.replica_slots, self._spark_slots() - 1)

    def _spark_slots(self) -> int:
        """Tasks that the master of the settings runs at once; 0 of one that is of no use."""
        if found := _LOCAL.fullmatch(self.spark_master):
            return int(found[1]) if int(found[2]) > 1 else 0
        if found := _LOCAL_CLUSTER.fullmatch(self.spark_master):
            return int(found[1]) * int(found[2])
        return 0

    def with_assignments(self, assignments: Iterable[str]) -> Settings:
        """These settings after `name=value` strings; an unknown name or a bad value is an error."""
        values: dict[str, Any] = {}
        known = {f.name: f for f in fields(Settings)}
        for assignment in assignments:
            name, separator, value = assignment.partition("=")
            name = name.strip().replace("-", "_")
            if not separator or name not in known:
                raise InvalidParameter(
                    f'unrecognized setting "{assignment}"',
                    hint=f"Give name=value with one of: {', '.join(sorted(known))}.",
                )
            values[name] = _parse(name, value, getattr(self, name))
        return replace(self, **values)  # at once, as some go together


def _parse(name: str, value: str, old: object) -> Any:
    if not isinstance(old, int):
        return value
    try:
        number = int(value)
    except ValueError:
        raise InvalidParameter(f'setting "{name}" takes a whole number, not "{value}"') from None
    if number < 0:
        raise InvalidParameter(f'setting "{name}" cannot be negative: {number}')
    return number


BYTES_PER_CORE = 4 << 30
"""What the dataflows of a replica of a SIZE may hold for each of its cores; a query may take a quarter of their limit."""

MOST_WORKERS = 64
"""Of a replica: each is connected with every other."""


@dataclass(frozen=True, slots=True)
class ClusterOptions:
    """Options of one cluster; None follows the environment's setting.  `memory_limit` is in bytes; 0 is none.  Each replica is
    `workers` processes.  Where executors are on other machines, `size` is how many cores of one it takes, and at most
    `workers_per_machine` of these processes are on one (None: all of them are): with more it takes as many cores on each machine."""

    job_min_rows: int | None = None
    replication_factor: int = 1
    memory_limit: int | None = None
    size: int | None = None
    workers: int = 1
    workers_per_machine: int | None = None

    @classmethod
    def from_mapping(cls, options: Mapping[str, int]) -> ClusterOptions:
        return cls(
            job_min_rows=options.get("job_min_rows"),
            replication_factor=options.get("replication_factor", 1),
            memory_limit=options.get("memory_limit"),
            size=options.get("size"),
            workers=options.get("workers", 1),
            workers_per_machine=options.get("workers_per_machine"),
        )
