"""What is kept of a role's password: the salted keys of SCRAM-SHA-256 (RFC 5802), from which it cannot be read.

`str` of a secret is PostgreSQL's stored form; a role may be made with that instead of a password.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
import stringprep
import unicodedata
from dataclasses import dataclass

MECHANISM = "SCRAM-SHA-256"
ITERATIONS = 4096


@dataclass(frozen=True, slots=True)
class ScramSecret:
    """The salted keys of a password, in PostgreSQL's stored form by `str`."""

    salt: bytes
    iterations: int
    stored_key: bytes
    server_key: bytes

    def __str__(self) -> str:
        salt, stored, server = map(_b64, (self.salt, self.stored_key, self.server_key))
        return f"{MECHANISM}${self.iterations}:{salt}${stored}:{server}"

    @classmethod
    def parse(cls, text: str) -> ScramSecret:
        """The inverse of `str`."""
        mechanism, first, keys = text.split("$")
        iterations, salt = first.split(":")
        stored, server = keys.split(":")
        if mechanism != MECHANISM:
            raise ValueError(f'unknown password mechanism "{mechanism}"')
        return cls(
            base64.b64decode(salt), int(iterations), base64.b64decode(stored), base64.b64decode(server)
        )


def new_secret(password: str, *, salt: bytes | None = None, iterations: int = ITERATIONS) -> ScramSecret:
    """Keys for a password; takes a few milliseconds, by design."""
    salt = secrets.token_bytes(16) if salt is None else salt
    salted = hashlib.pbkdf2_hmac("sha256", saslprep(password).encode(), salt, iterations)
    client_key = _hmac(salted, b"Client Key")
    return ScramSecret(salt, iterations, hashlib.sha256(client_key).digest(), _hmac(salted, b"Server Key"))


def saslprep(password: str) -> str:
    """RFC 4013; a password that it prohibits is used as it is, as PostgreSQL does."""
    mapped = "".join(
        " " if stringprep.in_table_c12(c) else c for c in password if not stringprep.in_table_b1(c)
    )
    text = unicodedata.normalize("NFKC", mapped)
    prohibited = (
        stringprep.in_table_c12,
        stringprep.in_table_c21_c22,
        stringprep.in_table_c3,
        stringprep.in_table_c4,
        stringprep.in_table_c5,
        stringprep.in_table_c6,
        stringprep.in_table_c7,
        stringprep.in_table_c8,
        stringprep.in_table_c9,
        stringprep.in_table_a1,
    )
    if not text or any(check(c) for c in text for check in prohibited):
        return password
    if any(stringprep.in_table_d1(c) for c in text):
        mixed = any(stringprep.in_table_d2(c) for c in text)
        if mixed or not (stringprep.in_table_d1(text[0]) and stringprep.in_table_d1(text[-1])):
            return password
    return text


def _hmac(key: bytes, data: bytes) -> bytes:
    return hmac.digest(key, data, "sha256")


def _b64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")
