"""Certificates of an authority of the tests' own, which nobody else trusts."""

from __future__ import annotations

import datetime
import ipaddress
from dataclasses import dataclass

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.x509.oid import NameOID


@dataclass(frozen=True, slots=True)
class Certified:
    """A certificate and its key, in PEM."""

    certificate: str
    key: str


class Authority:
    """Signs for hosts and for clients."""

    def __init__(self, name: str = "a test's authority", *, eddsa: bool = False) -> None:
        """With `eddsa` it signs by Ed25519, which has no hash apart from it."""
        self._key = ed25519.Ed25519PrivateKey.generate() if eddsa else ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        self.certificate = _pem(self._signed(self._name, self._key, ()))

    def certify(self, *names: str) -> Certified:
        """For hosts by name or address; the first is the subject's common name as well."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, names[0])])
        text = key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        return Certified(_pem(self._signed(subject, key, names)), text.decode())

    def _signed(
        self,
        subject: x509.Name,
        key: ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey,
        names: tuple[str, ...],
    ) -> x509.Certificate:
        day = datetime.timedelta(days=1)
        now = datetime.datetime.now(datetime.UTC)
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - day)
            .not_valid_after(now + day)
            .add_extension(x509.BasicConstraints(ca=not names, path_length=None), critical=True)
        )
        if names:
            builder = builder.add_extension(x509.SubjectAlternativeName(list(map(_general, names))), False)
        eddsa = isinstance(self._key, ed25519.Ed25519PrivateKey)
        return builder.sign(self._key, None if eddsa else hashes.SHA256())


def _general(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _pem(certificate: x509.Certificate) -> str:
    return certificate.public_bytes(serialization.Encoding.PEM).decode()
