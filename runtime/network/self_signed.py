"""A certificate of this process: made when it is first needed, signed by itself, and known by its hash.

Who is told the hash by a channel that it trusts needs no authority, no name and no date of the certificate.
"""

from __future__ import annotations

import ssl
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

_NAME = "ptvc"
_BEGINS, _ENDS = datetime(2020, 1, 1, tzinfo=UTC), datetime(2120, 1, 1, tzinfo=UTC)
"""Nobody looks at these: the certificate ends with the process."""


@dataclass(frozen=True, slots=True)
class SelfSigned:
    """`context` is that of a server which speaks TLS 1.3 only; `fingerprint` is the SHA-256 of the certificate, in DER."""

    context: ssl.SSLContext
    fingerprint: bytes


def self_signed(directory: Path) -> SelfSigned:
    """The key is in a file of the directory, which is its owner's alone, for the moment in which OpenSSL reads it."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, _NAME)])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(_BEGINS)
        .not_valid_after(_ENDS)
        .sign(key, SHA256())
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    with tempfile.NamedTemporaryFile(dir=directory, prefix="control-", suffix=".pem") as file:
        file.write(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
        file.write(certificate.public_bytes(Encoding.PEM))
        file.flush()
        context.load_cert_chain(file.name)
    return SelfSigned(context, certificate.fingerprint(SHA256()))
