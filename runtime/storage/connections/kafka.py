"""Kafka: the settings of a client of librdkafka, and a cluster asked with them."""

from __future__ import annotations

import logging
from time import monotonic
from typing import TYPE_CHECKING, Any

from ...errors import PtvcError
from ...interrupt import check_interrupt
from .addresses import Addresses
from .failures import ConnectionFailed, Step, scrubbed
from .options import host_and_port, security_protocol
from .values import Values

if TYPE_CHECKING:
    from confluent_kafka import KafkaError

_POLL_S = 0.1
SILENT = logging.getLogger("ptvc.kafka.silent")
SILENT.addHandler(logging.NullHandler())
SILENT.propagate = False
"""librdkafka writes to standard error unless it is given a logger; what matters comes as an error."""


def client() -> Any:
    """The package confluent_kafka, which an extra brings."""
    try:
        import confluent_kafka
        import confluent_kafka.admin
    except ImportError:
        raise PtvcError(
            "connections to Kafka need the package confluent-kafka, which is not installed",
            sqlstate="58000",
            hint="pip install 'dbt-ptvc[kafka]', and start the runtime again.",
        ) from None
    return confluent_kafka


def settings(values: Values) -> dict[str, Any]:
    """Those of librdkafka."""
    found: dict[str, Any] = {
        "bootstrap.servers": ",".join(values.list("BROKERS")),
        "security.protocol": security_protocol(values.options.values),
        "client.id": "ptvc",
        "enable.ssl.certificate.verification": True,
        "ssl.endpoint.identification.algorithm": "https",
        "allow.auto.create.topics": False,
    }
    for option, setting in (
        ("SASL MECHANISMS", "sasl.mechanisms"),
        ("SASL USERNAME", "sasl.username"),
        ("SASL PASSWORD", "sasl.password"),
        ("SSL CERTIFICATE AUTHORITY", "ssl.ca.pem"),
        ("SSL CERTIFICATE", "ssl.certificate.pem"),
        ("SSL KEY", "ssl.key.pem"),
    ):
        if (value := values.text(option)) is not None:
            found[setting] = value
    return found


def validate(values: Values, addresses: Addresses, deadline: float) -> None:
    """Asks for the cluster's brokers; raises ConnectionFailed.  One broker that answers is enough, as for any client."""
    kafka = client()
    _reach_one(values, addresses, deadline)
    errors: list[KafkaError] = []
    silent = {"logger": SILENT, "error_cb": errors.append, "socket.timeout.ms": 10_000}
    try:
        admin = kafka.admin.AdminClient({**settings(values), **silent})
    except kafka.KafkaException as error:
        raise failure(error.args[0], values, kafka) from None
    except (ValueError, TypeError) as error:
        text = scrubbed(str(error), values.secrets.values())
        raise ConnectionFailed(Step.CLIENT, f"the client of Kafka refuses its settings: {text}") from None
    metadata = None
    while metadata is None:
        check_interrupt()
        if (left := deadline - monotonic()) <= 0:
            break
        try:
            metadata = admin.list_topics(timeout=min(left, 0.5))
        except kafka.KafkaException as error:
            admin.poll(_POLL_S)
            if (decisive := _decisive(errors, kafka)) is not None:
                raise failure(decisive, values, kafka) from None
            if not error.args[0].retriable() and error.args[0].code() != kafka.KafkaError._TRANSPORT:
                raise failure(error.args[0], values, kafka) from None
    if metadata is None:
        admin.poll(0)
        last = errors[-1] if errors else kafka.KafkaError(kafka.KafkaError._TIMED_OUT)
        raise failure(last, values, kafka)
    for broker in metadata.brokers.values():
        addresses.resolve(broker.host, broker.port)  # those that the cluster names are where clients go then


def _reach_one(values: Values, addresses: Addresses, deadline: float) -> None:
    failure: ConnectionFailed | None = None
    for broker in values.list("BROKERS"):  # each is one to which the client may go
        try:
            addresses.resolve(*host_and_port(broker))
        except ConnectionFailed as error:
            if error.step is Step.POLICY:
                raise
    for broker in values.list("BROKERS"):
        host, port = host_and_port(broker)
        try:
            addresses.reachable(host, port, deadline)
        except ConnectionFailed as error:
            failure = failure or error
        else:
            return
    assert failure is not None, "there is a broker"
    raise failure


def _decisive(errors: list[KafkaError], kafka: Any) -> KafkaError | None:
    """One that trying again does not change."""
    codes = (
        kafka.KafkaError._AUTHENTICATION,
        kafka.KafkaError._SSL,
        kafka.KafkaError.SASL_AUTHENTICATION_FAILED,
    )
    return next((error for error in errors if error.code() in codes), None)


def failure(error: KafkaError, values: Values, kafka: Any) -> ConnectionFailed:
    code = error.code()
    brokers = ", ".join(values.list("BROKERS"))
    what = f"cannot connect to Kafka at {brokers}"
    text = scrubbed(error.str(), values.secrets.values())
    if code in (kafka.KafkaError._AUTHENTICATION, kafka.KafkaError.SASL_AUTHENTICATION_FAILED):
        return ConnectionFailed(Step.AUTHENTICATION, f"{what}: authentication failed", detail=text)
    if code == kafka.KafkaError._SSL:
        return ConnectionFailed(Step.TLS, f"{what}: TLS does not come about", detail=text)
    if code in (kafka.KafkaError._TIMED_OUT, kafka.KafkaError._TRANSPORT, kafka.KafkaError._ALL_BROKERS_DOWN):
        return ConnectionFailed(
            Step.CONNECTION,
            f"{what}: it does not answer in time",
            detail=text,
            hint="Something listens there; a broker that expects another SECURITY PROTOCOL does not answer.",
        )
    return ConnectionFailed(Step.ANSWER, f"{what}: it refuses", detail=text)
