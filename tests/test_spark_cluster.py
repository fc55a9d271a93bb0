"""What has to be there before replicas and jobs run on other machines."""

from __future__ import annotations

from pathlib import Path

import pytest
from ptvc.config import Settings
from ptvc.driver_start import DriverCommand
from ptvc.errors import InvalidParameter
from ptvc.persist.location import Location
from ptvc.spark_cluster import check_spark

ELSEWHERE = Location("postgresql://me@db/x", "s3://bucket/prefix")
SECURE = "spark.authenticate true\nspark.authenticate.secret s\n"


def settings(tmp_path: Path, properties: str | None = None, *assignments: str) -> Settings:
    given = ["spark_master=spark://host:7077", "control_listen=10.0.0.5:6890", *assignments]
    if properties is not None:
        path = tmp_path / "spark.properties"
        path.write_text(properties)
        path.chmod(0o600)
        given.append(f"spark_properties_file={path}")
    return Settings().with_assignments(given)


def test_everything_is_there(tmp_path: Path) -> None:
    check_spark(settings(tmp_path, SECURE), ELSEWHERE, insecure=False)
    check_spark(settings(tmp_path), ELSEWHERE, insecure=True)
    check_spark(settings(tmp_path, "spark.authenticate=TRUE", "spark_master=yarn"), ELSEWHERE, insecure=False)
    tls = f"{SECURE}spark.network.crypto.enabled false\nspark.ssl.rpc.enabled true"
    check_spark(settings(tmp_path, tls), ELSEWHERE, insecure=False)


def test_on_this_machine_there_are_settings_of_spark_too(tmp_path: Path) -> None:
    check_spark(Settings(), Location(), insecure=False)
    path = tmp_path / "spark.properties"
    path.write_text("spark.eventLog.enabled true\n")
    check_spark(Settings(spark_properties_file=str(path)), Location(), insecure=False)
    path.write_text("spark.speculation true\n")
    with pytest.raises(InvalidParameter, match="cannot be set"):
        check_spark(Settings(spark_properties_file=str(path)), Location(), insecure=False)


@pytest.mark.parametrize(
    ("properties", "message"),
    [
        (None, "without spark.authenticate"),
        ("spark.authenticate false", "without spark.authenticate"),
        ("spark.authenticate true", "needs spark.authenticate.secret"),
        (f"{SECURE}spark.network.crypto.enabled false", "without encryption"),
        (f"{SECURE}spark.master local[4]", "setting spark_master"),
        (f"{SECURE}spark.dynamicAllocation.enabled true", "a replica is never idle"),
        (f"{SECURE}spark.executor.cores 1", "spark.executor.cores is 1, and 2 are the least"),
        (f"{SECURE}spark.cores.max 2", "spark.cores.max is 2, and 3 are the least"),
    ],
)
def test_refused(tmp_path: Path, properties: str | None, message: str) -> None:
    with pytest.raises(InvalidParameter, match=message):
        check_spark(settings(tmp_path, properties, "replica_cores=2"), ELSEWHERE, insecure=False)


@pytest.mark.parametrize(
    ("location", "message"),
    [
        (Location(), "do not reach the blobs"),
        (Location("postgresql://me@db/x", "file:///blobs"), "do not reach the blobs"),
        (Location("sqlite:", "s3://bucket/prefix"), "keeps its consensus in PostgreSQL"),
    ],
)
def test_stores_of_one_machine_are_refused(tmp_path: Path, location: Location, message: str) -> None:
    with pytest.raises(InvalidParameter, match=message):
        check_spark(settings(tmp_path, SECURE), location, insecure=True)


def test_ipv6_is_refused(tmp_path: Path) -> None:
    given = settings(tmp_path, SECURE, "control_listen=[fd00::5]:6890")
    with pytest.raises(InvalidParameter, match="takes IPv4 only"):
        check_spark(given, ELSEWHERE, insecure=True)


def test_what_the_driver_is_told(tmp_path: Path) -> None:
    """Where executors reach it, and the name of the file: what is in that is nobody else's to see."""
    given = settings(tmp_path, SECURE)
    words = DriverCommand.of(given, "/control.sock", tmp_path, ELSEWHERE.blob).words
    assert words[-2:] == ["10.0.0.5", str(tmp_path / "spark.properties")]
    assert DriverCommand.of(Settings(), "/control.sock", tmp_path, "file:/b").words[-2:] == ["127.0.0.1", ""]
