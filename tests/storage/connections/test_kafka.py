"""Kafka: settings of the client, and brokers that are there (librdkafka's own imitation), silent, or not what they should be."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from time import monotonic

import pytest
from confluent_kafka.admin import AdminClient
from ptvc.errors import DataError, PtvcError
from ptvc.storage.connections.addresses import Addresses
from ptvc.storage.connections.failures import ConnectionFailed, Step
from ptvc.storage.connections.kafka import settings
from ptvc.storage.connections.options import ConnectionKind, ConnectionOptions, SecretRef, Value
from ptvc.storage.connections.validation import validate
from ptvc.storage.connections.values import Values
from servers.certificates import Authority
from servers.ports import free_port

from .outside import registry, silence

PASSWORD = "hunter2-of-kafka"
SASL: dict[str, Value] = {
    "SASL MECHANISMS": "SCRAM-SHA-512",
    "SASL USERNAME": "ann",
    "SASL PASSWORD": SecretRef("u1"),
}


@pytest.fixture(scope="module")
def broker() -> Iterator[str]:
    """The address of a broker that speaks Kafka, in this process."""
    admin = AdminClient({"test.mock.num.brokers": 1, "bootstrap.servers": "x"})
    (found,) = admin.list_topics(timeout=10).brokers.values()
    yield f"{found.host}:{found.port}"
    del admin


def attempt(values: dict[str, Value], seconds: float = 15, addresses: Addresses = Addresses()) -> None:  # noqa: B008
    options = ConnectionOptions(ConnectionKind.KAFKA, values)
    options.check()
    validate(options, {"u1": PASSWORD.encode()}, addresses, monotonic() + seconds)


def failure(values: dict[str, Value], seconds: float = 15) -> ConnectionFailed:
    with pytest.raises(ConnectionFailed) as failed:
        attempt(values, seconds)
    error = failed.value
    assert PASSWORD not in f"{error.message} {error.detail} {error.hint}"
    return error


def test_a_broker_that_answers(broker: str) -> None:
    attempt({"BROKERS": (broker,), "SECURITY PROTOCOL": "PLAINTEXT"})


def test_a_broker_that_takes_its_time() -> None:
    """It is connected, and answers later than a question waits at first: on a busy machine that was "does not answer in time"."""
    admin = AdminClient({"test.mock.num.brokers": 1, "test.mock.broker.rtt": 900, "bootstrap.servers": "x"})
    (found,) = admin.list_topics(timeout=10).brokers.values()
    attempt({"BROKERS": (f"{found.host}:{found.port}",), "SECURITY PROTOCOL": "PLAINTEXT"})


def test_one_broker_that_answers_is_enough(broker: str) -> None:
    attempt({"BROKERS": (f"127.0.0.1:{free_port()}", broker), "SECURITY PROTOCOL": "PLAINTEXT"})


def test_brokers_that_refuse() -> None:
    port = free_port()
    error = failure({"BROKERS": (f"127.0.0.1:{port}",)})
    assert (error.step, error.message) == (
        Step.CONNECTION,
        f"cannot connect to 127.0.0.1:{port}: connection refused",
    )


def test_a_broker_that_does_not_answer() -> None:
    with silence() as port:
        begun = monotonic()
        error = failure({"BROKERS": (f"127.0.0.1:{port}",), "SECURITY PROTOCOL": "PLAINTEXT"}, seconds=2)
        assert (error.step, error.sqlstate) == (Step.CONNECTION, "08006")
        assert monotonic() - begun < 8


def test_a_certificate_that_is_not_accepted() -> None:
    authority = Authority()
    with registry(authority.certify("localhost", "127.0.0.1")) as found:
        for given in ({}, {"SSL CERTIFICATE AUTHORITY": Authority().certificate}, SASL):
            error = failure({"BROKERS": (f"127.0.0.1:{found.port}",), **given})
            assert (error.step, error.sqlstate) == (Step.TLS, "08P01"), error.detail
        assert found.requests == []


def test_a_key_that_is_none() -> None:
    """The client refuses it, and does not say what it was."""
    authority = Authority()
    error = failure(
        {
            "BROKERS": ("127.0.0.1:1",),
            "SSL CERTIFICATE": authority.certificate,
            "SSL KEY": SecretRef("u1"),
        }
    )
    assert error.step in (Step.CONNECTION, Step.ANSWER, Step.CLIENT, Step.TLS)


def test_brokers_of_the_machine_are_refused(broker: str) -> None:
    error = failure({"BROKERS": (broker, "169.254.169.254:80")} | {"SECURITY PROTOCOL": "PLAINTEXT"})
    assert error.step is Step.POLICY


def test_settings() -> None:
    values: dict[str, Value] = {"BROKERS": ("a:1", "[::1]:2"), **SASL}
    found = settings(Values(ConnectionOptions(ConnectionKind.KAFKA, values), {"u1": PASSWORD.encode()}))
    assert found["bootstrap.servers"] == "a:1,[::1]:2"
    assert (found["security.protocol"], found["sasl.mechanisms"]) == ("SASL_SSL", "SCRAM-SHA-512")
    assert (found["sasl.username"], found["sasl.password"]) == ("ann", PASSWORD)
    assert found["enable.ssl.certificate.verification"] is True


def test_a_password_that_is_no_text() -> None:
    options = ConnectionOptions(ConnectionKind.KAFKA, {"BROKERS": ("a:1",), **SASL})
    with pytest.raises(DataError, match="the secret of option SASL PASSWORD is no text") as refused:
        settings(Values(options, {"u1": b"\xffhunter2"}))
    assert refused.value.__cause__ is None


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "confluent_kafka", None)
    with pytest.raises(PtvcError, match="need the package confluent-kafka") as refused:
        attempt({"BROKERS": ("a:1",)})
    assert refused.value.hint == "pip install 'dbt-ptvc[kafka]', and start the runtime again."
