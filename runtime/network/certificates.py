"""The certificate that listeners show to clients, and the authorities whose certificates they take from them.

```
files ── read, and checked ──> Shown ── what connects now is shown it
  └── changed, or SIGHUP ──> read again; where that fails the one before it stays
```
"""

from __future__ import annotations

import hashlib
import logging
import os
import ssl
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import PtvcError
from ..given_files import check_regular
from .names import BadNames, read_names

if TYPE_CHECKING:
    from cryptography.x509 import Certificate

log = logging.getLogger(__name__)

POSTGRES_PROTOCOL = "postgresql"
HTTP_PROTOCOL = "http/1.1"
"""Names of ALPN."""


CIPHERS = "@SECLEVEL=2:ECDHE+AESGCM:ECDHE+CHACHA20"
"""With keys that are thrown away, and no bytes that are not authenticated."""


class BadCertificate(PtvcError):
    sqlstate = "F0000"


@dataclass(frozen=True, slots=True)
class CertificateFiles:
    """In PEM: the certificate with those between it and its authority, its key, which has no passphrase, and the authorities
    of clients.  `names` has lines of a name that a client's certificate has and of the role that this is."""

    certificate: Path
    key: Path
    client_authorities: Path | None = None
    names: Path | None = None


@dataclass(frozen=True, slots=True)
class Shown:
    """`end_point` is what a client proves that it has seen this certificate with (RFC 5929, tls-server-end-point); None: no hash is
    defined for such a one.  `roles` is by name in a certificate."""

    postgres: ssl.SSLContext
    http: ssl.SSLContext
    end_point: bytes | None
    ends: datetime
    roles: Mapping[str, str]

    def role_of(self, common_name: str) -> str:
        return self.roles.get(common_name, common_name)


class Certificates:
    """`shown` is what connects now is shown."""

    def __init__(self, files: CertificateFiles) -> None:
        """Raises BadCertificate, or BadNames, where they cannot be used."""
        self._files = files
        self._changed = self._stamps()
        self.shown = _read(files)

    @property
    def asks_clients(self) -> bool:
        """Whether clients may prove by a certificate who they are."""
        return self._files.client_authorities is not None

    def look(self) -> None:
        """Reads the files again if they have changed."""
        if self._stamps() != self._changed:
            self.reload()

    def reload(self) -> None:
        """Reads the files again; if they cannot be used, what was shown is shown on, and the log says why."""
        self._changed = self._stamps()
        try:
            self.shown = _read(self._files)
        except (BadCertificate, BadNames) as error:
            log.error("%s; the certificate before it is shown on", error)
        else:
            log.info("the certificate was read again; it ends at %s", self.shown.ends.isoformat())

    def http_context(self) -> ssl.SSLContext:
        """What who connects by HTTPS now is shown."""
        return self.shown.http

    def _stamps(self) -> list[tuple[int, int, int] | None]:
        files = self._files
        return [
            _stamp(path)
            for path in (files.certificate, files.key, files.client_authorities, files.names)
            if path is not None
        ]


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ino, found.st_size


def _read(files: CertificateFiles) -> Shown:
    for file in (files.certificate, files.key, files.client_authorities, files.names):
        try:
            if file is not None:
                check_regular(file)
        except OSError as error:
            raise BadCertificate(f'cannot read "{file}": {error.strerror}') from error
    _check_private(files.key)
    postgres, http = (_context(files, protocol) for protocol in (POSTGRES_PROTOCOL, HTTP_PROTOCOL))
    certificate = _first(files.certificate)
    roles = {} if files.names is None else read_names(files.names)
    return Shown(postgres, http, _end_point(certificate), certificate.not_valid_after_utc, roles)


def _first(file: Path) -> Certificate:
    from cryptography import x509  # takes a while, and few runtimes have a certificate

    try:
        return x509.load_pem_x509_certificates(file.read_bytes())[0]
    except (OSError, ValueError) as error:
        raise BadCertificate(f'cannot read the certificate "{file}": {error}') from error


def _check_private(key: Path) -> None:
    """As PostgreSQL does: nobody else may read it; a key of root's may be read by its group."""
    try:
        found = key.stat()
    except OSError as error:
        raise BadCertificate(f'cannot read the key "{key}": {error.strerror}') from error
    if stat.S_IMODE(found.st_mode) & (0o027 if found.st_uid == 0 else 0o077):
        raise BadCertificate(
            f'others may read the key "{key}"',
            hint=f"Take that from them: chmod 600 {key}; it is to be yours, or root's with mode 640.",
        )


def _context(files: CertificateFiles, protocol: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.options |= ssl.OP_NO_RENEGOTIATION | ssl.OP_NO_COMPRESSION
    context.set_ciphers(CIPHERS)  # of 1.2; those of 1.3 are all good
    context.set_alpn_protocols([protocol])
    try:
        context.load_cert_chain(files.certificate, files.key, _no_passphrase)
    except (OSError, ValueError) as error:  # SSLError is an OSError
        raise BadCertificate(
            f'cannot use the certificate "{files.certificate}" with the key "{files.key}": {_reason(error)}',
            hint="Give a certificate, with those between it and its authority, and its key, both in PEM, the key without a passphrase.",
        ) from error
    if files.client_authorities is not None:
        try:
            context.load_verify_locations(files.client_authorities)
        except (OSError, ValueError) as error:
            raise BadCertificate(
                f'cannot use the authorities of clients in "{files.client_authorities}": {_reason(error)}'
            ) from error
        context.verify_mode = ssl.CERT_OPTIONAL
    return context


def _no_passphrase() -> str:
    raise ValueError("the key has a passphrase")


def _reason(error: OSError | ValueError) -> str:
    if isinstance(error, ssl.SSLError):
        return (error.reason or str(error)).lower().replace("_", " ")
    return (os.strerror(error.errno) if isinstance(error, OSError) and error.errno else None) or str(error)


def _end_point(certificate: Certificate) -> bytes | None:
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.serialization import Encoding

    try:
        algorithm = certificate.signature_hash_algorithm
    except UnsupportedAlgorithm:
        return None
    if algorithm is None:
        return None
    name = "sha256" if algorithm.name in ("md5", "sha1") else algorithm.name
    return hashlib.new(name, certificate.public_bytes(Encoding.DER)).digest()
