"""Listeners of the tests' broker that ask who comes: SASL, TLS, and certificates of clients.

Certificates are for one name, `localhost`, so that the same broker by its address is one of the wrong name.  All authorities,
keys and passwords are made anew for each broker.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from ..certificates import Authority

SECURED = ("SASL_PLAINTEXT", "SASL_SSL", "SSL")
"""The last one wants a certificate of the client."""
MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")
NAME = "localhost"
USER = "ann"
_MODULES = "org.apache.kafka.common.security"


class SecuredListeners:
    """`authority` has signed what the broker shows, and signs what clients are to show."""

    def __init__(self, ports: Sequence[int]) -> None:
        self._ports = dict(zip(SECURED, ports, strict=True))
        self.password = uuid.uuid4().hex
        self.authority = Authority("the broker's authority")
        self._certified = self.authority.certify(NAME)

    def bootstrap(self, protocol: str, host: str = NAME) -> str:
        return f"{host}:{self._ports[protocol]}"

    def addresses(self, host: str) -> str:
        return ",".join(f"{protocol}://{host}:{port}" for protocol, port in self._ports.items())

    def users(self) -> list[str]:
        """Arguments of the tool that formats the broker's folder."""
        return [
            argument
            for mechanism in MECHANISMS[1:]
            for argument in ("--add-scram", f"{mechanism}=[name={USER},password={self.password}]")
        ]

    def properties(self) -> dict[str, str]:
        found = {
            "ssl.keystore.type": "PEM",
            "ssl.keystore.certificate.chain": _one_line(self._certified.certificate),
            "ssl.keystore.key": _one_line(self._certified.key),
            "ssl.truststore.type": "PEM",
            "ssl.truststore.certificates": _one_line(self.authority.certificate),
            "listener.name.ssl.ssl.client.auth": "required",
        }
        for protocol in ("sasl_plaintext", "sasl_ssl"):
            listener = f"listener.name.{protocol}"
            found[f"{listener}.sasl.enabled.mechanisms"] = ",".join(MECHANISMS)
            for mechanism in MECHANISMS:
                module = f"{_MODULES}.scram.ScramLoginModule required;"
                if mechanism == "PLAIN":
                    module = f'{_MODULES}.plain.PlainLoginModule required user_{USER}="{self.password}";'
                found[f"{listener}.{mechanism.lower()}.sasl.jaas.config"] = module
        return found


def _one_line(pem: str) -> str:
    """As a file of properties has it."""
    return pem.replace("\n", "\\n")
