"""Where a runtime listens, and what it demands of those that reach it there."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import PtvcError
from .addresses import is_loopback
from .certificates import CertificateFiles

TLS_MODES = ("allow", "require")


@dataclass(frozen=True, slots=True)
class Exposure:
    """`http_port` None: there is no HTTP.  `tls_only`: what is not TLS is refused.  `insecure`: whoever gives them asked for a network
    in which others may read along and be anybody."""

    host: str
    port: int
    http_port: int | None = None
    certificate: CertificateFiles | None = None
    tls_only: bool = False
    insecure: bool = False

    @classmethod
    def of(
        cls,
        host: str,
        port: int,
        http_port: int | None,
        certificate: CertificateFiles | None,
        tls_mode: str | None,
        *,
        insecure: bool,
    ) -> Exposure:
        """TLS is required beyond the loopback, unless `tls_mode` says otherwise.  Raises PtvcError where anybody could come in."""
        beyond = not is_loopback(host)
        if tls_mode is not None and certificate is None:
            raise PtvcError(
                "--tls-mode means nothing without a certificate",
                sqlstate="22023",
                hint="Give one with --tls-cert and --tls-key.",
            )
        if beyond and not insecure and (certificate is None or tls_mode == "allow"):
            raise PtvcError(
                f"refusing to listen on {host} without TLS",
                hint="Give a certificate with --tls-cert and --tls-key (and not --tls-mode allow), or listen on 127.0.0.1 and forward "
                "the port over SSH; --insecure if all who reach the address may read, and be, anybody.",
            )
        tls_only = tls_mode == "require" or (tls_mode is None and beyond and certificate is not None)
        return cls(host, port, http_port, certificate, tls_only, insecure)

    @property
    def is_local(self) -> bool:
        return is_loopback(self.host)
