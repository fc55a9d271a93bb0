"""What a runtime must be given before its replicas and jobs run on other machines (`Settings.on_cluster`).

They share nothing with it but the network: parts are where they reach them, and what Spark carries to them, the secrets of replicas
among it, is for nobody else to read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from .config import Settings
from .errors import InvalidParameter
from .persist.location import Location
from .spark_properties import is_true, read_properties

FIXED = {
    "spark.master": "is the setting spark_master",
    "spark.driver.memory": "is the setting spark_driver_memory",
    "spark.remote": "is of Spark Connect, which has no tasks that stay",
    "spark.submit.deployMode": "is client: the coordinator starts the driver",
    "spark.speculation": "is false: a replica must not have a twin",
    "spark.python.daemon.module": "is the runtime's own",
    "spark.dynamicAllocation.enabled": "is false: a replica is never idle, and jobs must not wait for executors",
}
"""Settings of Spark that nobody else sets, and why."""


def check_spark(settings: Settings, location: Location, *, insecure: bool) -> None:
    """Raises InvalidParameter where Spark's settings cannot be, or where executors would miss something or be heard by others."""
    path = Path(settings.spark_properties_file) if settings.spark_properties_file else None
    properties = {} if path is None else read_properties(path)
    for name in sorted(properties.keys() & FIXED.keys()):
        raise InvalidParameter(f'"{name}" in "{path}" cannot be set: it {FIXED[name]}')
    if settings.on_cluster:
        _check_reached(settings, location)
        _check_cores(settings, properties)
        if not insecure:
            _check_protected(settings, properties)


def _check_reached(settings: Settings, location: Location) -> None:
    master = settings.spark_master
    if urlsplit(location.blob).scheme != "s3":
        raise InvalidParameter(
            f"the executors of {master} do not reach the blobs in {location.blob}",
            hint="Name a place that all machines reach, with --blob s3://bucket/prefix.",
        )
    if urlsplit(location.consensus).scheme not in ("postgresql", "postgres"):
        raise InvalidParameter(
            f"a runtime on {master} keeps its consensus in PostgreSQL, where another machine can take over",
            hint="Name it with --consensus postgresql://user@host/database.",
        )
    assert settings.control_address is not None
    if ":" in settings.control_address[0]:
        raise InvalidParameter(
            f"the driver of {master} takes IPv4 only, and control_listen is {settings.control_listen}",
            hint="Name an address of IPv4 in control_listen, or a name that has one.",
        )


def _check_cores(settings: Settings, properties: Mapping[str, str]) -> None:
    """Where the executors' cores are said: a replica that none of them has room for would wait for ever."""
    for name, least in (
        ("spark.executor.cores", settings.replica_cores),
        ("spark.cores.max", settings.replica_cores + 1),
    ):
        value = properties.get(name)
        if value is not None and re.fullmatch(r"\d+", value) and int(value) < least:
            raise InvalidParameter(
                f"{name} is {value}, and {least} are the least with replica_cores={settings.replica_cores}",
                hint="A replica takes its cores of one executor, for good; jobs need one core more.",
            )


def _check_protected(settings: Settings, properties: Mapping[str, str]) -> None:
    master = settings.spark_master
    hint = (
        "Name a file with spark.authenticate true (and, for spark://, spark.authenticate.secret, which the master and the workers "
        "have, too) by --set spark_properties_file=FILE; --insecure if all who reach the network may read, and run, anything."
    )
    if not is_true(properties, "spark.authenticate"):
        raise InvalidParameter(f"refusing to run on {master} without spark.authenticate", hint=hint)
    if master.startswith("spark:") and not properties.get("spark.authenticate.secret"):
        raise InvalidParameter(f"spark.authenticate on {master} needs spark.authenticate.secret", hint=hint)
    plain = properties.get("spark.network.crypto.enabled", "true").lower() != "true"
    if plain and not is_true(properties, "spark.ssl.rpc.enabled"):
        raise InvalidParameter(
            f"refusing to run on {master} without encryption",
            hint="Leave spark.network.crypto.enabled out, or set it, or spark.ssl.rpc.enabled, to true; --insecure if all who reach the "
            "network may read along.",
        )
