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

_FIRST_S, _MOST_S = 0.5, 4.0
"""How long a question waits for its answer before it is asked again, and whether it was cancelled is looked at."""
_POLL_S = 0.1
_FRESH_S = 30.0
"""A reason that a client gave longer ago may hold no more: it tries again every few seconds."""
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
    noted = Noted()
    silent = {"logger": SILENT, "error_cb": noted, "socket.timeout.ms": 10_000}
    try:
        admin = kafka.admin.AdminClient({**settings(values), **silent})
    except kafka.KafkaException as error:
        raise failure(error.args[0], values, kafka) from None
    except (ValueError, TypeError) as error:
        text = scrubbed(str(error), values.secrets.values())
        raise ConnectionFailed(Step.CLIENT, f"the client of Kafka refuses its settings: {text}") from None
    metadata = None
    patience = _FIRST_S
    while metadata is None:
        check_interrupt()
        if (left := deadline - monotonic()) <= 0:
            break
        try:
            metadata = admin.list_topics(timeout=min(left, patience))
        except kafka.KafkaException as error:
            admin.poll(_POLL_S)
            patience = min(2 * patience, _MOST_S)  # each question is a new one: the answer may take longer
            if noted.decisive is not None:
                raise failure(noted.decisive, values, kafka) from None
            if not error.args[0].retriable() and error.args[0].code() not in _unanswered(kafka):
                raise failure(error.args[0], values, kafka) from None
    if metadata is None:
        admin.poll(0)
        raise failure(noted.instead_of(kafka.KafkaError(kafka.KafkaError._TIMED_OUT)), values, kafka)
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


class Noted:
    """Why a client does not come to a broker: it says so when it is polled, and a request only that nobody has answered.  Of its
    reasons that is kept which says most, and of these the last one."""

    def __init__(self) -> None:
        self._kafka = client()
        self._kept: tuple[KafkaError, float] | None = None

    def __call__(self, error: KafkaError) -> None:
        kept = self._fresh()
        if kept is None or self._rank(error) >= self._rank(kept):
            self._kept = error, monotonic()

    def __bool__(self) -> bool:
        return self._fresh() is not None

    def forget(self) -> None:
        self._kept = None

    @property
    def decisive(self) -> KafkaError | None:
        """One that trying again does not change."""
        kept = self._fresh()
        return kept if kept is not None and self._rank(kept) == 2 else None

    def instead_of(self, error: KafkaError) -> KafkaError:
        """What has been noted, where the error says no more than that nobody has answered."""
        return self._fresh() or error if error.code() in _unanswered(self._kafka) else error

    def _fresh(self) -> KafkaError | None:
        if self._kept is None or monotonic() - self._kept[1] > _FRESH_S:
            return None
        return self._kept[0]

    def _rank(self, error: KafkaError) -> int:
        if _is_refusal(error, self._kafka) or _is_of_tls(error, self._kafka):
            return 2
        return int(error.code() != self._kafka.KafkaError._ALL_BROKERS_DOWN)


def _unanswered(kafka: Any) -> tuple[int, ...]:
    of = kafka.KafkaError
    return of._TIMED_OUT, of._TRANSPORT, of._ALL_BROKERS_DOWN


def _is_refusal(error: KafkaError, kafka: Any) -> bool:
    of = kafka.KafkaError
    return error.code() in (of._AUTHENTICATION, of.SASL_AUTHENTICATION_FAILED)


def _is_of_tls(error: KafkaError, kafka: Any) -> bool:
    """A broker that does not accept the client's certificate says so behind the handshake (TLS 1.3): the client takes that for a
    connection that broke, and tells what OpenSSL made of it."""
    of = kafka.KafkaError
    return error.code() == of._SSL or (error.code() == of._TRANSPORT and "SSL routines" in error.str())


def failure(error: KafkaError, values: Values, kafka: Any) -> ConnectionFailed:
    brokers = ", ".join(values.list("BROKERS"))
    what = f"cannot connect to Kafka at {brokers}"
    text = scrubbed(error.str(), values.secrets.values())
    if _is_refusal(error, kafka):
        return ConnectionFailed(Step.AUTHENTICATION, f"{what}: authentication failed", detail=text)
    if _is_of_tls(error, kafka):
        return ConnectionFailed(Step.TLS, f"{what}: TLS does not come about", detail=text)
    if error.code() in _unanswered(kafka):
        return ConnectionFailed(
            Step.CONNECTION,
            f"{what}: it does not answer in time",
            detail=text,
            hint="Something listens there; a broker that expects another SECURITY PROTOCOL does not answer.",
        )
    return ConnectionFailed(Step.ANSWER, f"{what}: it refuses", detail=text)
