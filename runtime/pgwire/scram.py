"""SCRAM-SHA-256 (RFC 5802, RFC 7677), the server's side: a password is proved without being sent or stored.

With TLS the client may prove as well that nobody is between it and the server (SCRAM-SHA-256-PLUS): it signs what it was shown.

A `ScramSecret` is what the catalog keeps.  A user that does not exist gets a secret made from a key of the server
and the name: the salt is stable, so attempts do not tell who exists, and no proof ever matches.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets

from ..coord.catalog.scram_secret import ITERATIONS, MECHANISM, ScramSecret, new_secret, saslprep
from ..errors import PtvcError

MECHANISM_PLUS = f"{MECHANISM}-PLUS"
_BINDING = "tls-server-end-point"

__all__ = [
    "ITERATIONS",
    "MECHANISM",
    "MECHANISM_PLUS",
    "ScramSecret",
    "ScramServer",
    "fake_secret",
    "new_secret",
    "saslprep",
]


class AuthenticationFailed(PtvcError):
    sqlstate = "28P01"


class MalformedScram(PtvcError):
    sqlstate = "08P01"


class BindingFailed(PtvcError):
    """Somebody may be between the client and the server."""

    sqlstate = "28000"


def fake_secret(user: str, key: bytes) -> ScramSecret:
    """What an unknown user is measured against: a stable salt, keys that nothing matches."""
    salt = _hmac(key, b"salt:" + user.encode())[:16]
    return ScramSecret(salt, ITERATIONS, secrets.token_bytes(32), secrets.token_bytes(32))


class ScramServer:
    """One exchange: `first` answers the client's first message, `final` its last.  Both raise on failure."""

    def __init__(
        self, user: str, secret: ScramSecret, end_point: bytes | None = None, *, nonce: str | None = None
    ) -> None:
        """`end_point` is what a client signs that binds itself to the connection; None: this was not offered."""
        self._user = user
        self._secret = secret
        self._end_point = end_point
        self._binding = b""
        self._server_nonce = nonce or _b64(secrets.token_bytes(18))
        self._header = ""
        self._nonce = ""
        self._signed = ""

    def first(self, data: bytes, *, binds: bool = False) -> bytes:
        """`binds`: the client has chosen the mechanism that does."""
        text = _ascii(data)
        parts = text.split(",", 2)
        if len(parts) != 3:
            raise MalformedScram("malformed SCRAM message")
        flag, identity, bare = parts
        self._check_flag(flag, binds)
        if identity:
            raise MalformedScram("malformed SCRAM message")
        attributes = bare.split(",")
        if len(attributes) < 2 or not attributes[0].startswith("n=") or not attributes[1].startswith("r="):
            raise MalformedScram("malformed SCRAM message")
        self._header = f"{flag},{identity},"
        self._binding = self._end_point or b"" if binds else b""
        self._nonce = attributes[1][2:] + self._server_nonce
        if len(attributes[1]) < 3:
            raise MalformedScram("malformed SCRAM message")
        reply = f"r={self._nonce},s={_b64(self._secret.salt)},i={self._secret.iterations}"
        self._signed = f"{bare},{reply}"
        return reply.encode("ascii")

    def _check_flag(self, flag: str, binds: bool) -> None:
        if binds:
            if flag != f"p={_BINDING}":
                raise MalformedScram(f"the only channel binding is {_BINDING}")
        elif flag.startswith("p="):
            raise MalformedScram("channel binding was not offered")
        elif flag == "y" and self._end_point is not None:
            # It would bind itself, and has not seen that this was offered: somebody has taken the offer away.
            raise BindingFailed("SCRAM channel binding negotiation error")
        elif flag not in ("n", "y"):
            raise MalformedScram("malformed SCRAM message")

    def final(self, data: bytes) -> bytes:
        text = _ascii(data)
        without_proof, separator, proof_text = text.rpartition(",p=")
        attributes = without_proof.split(",")
        if not separator or len(attributes) < 2:
            raise MalformedScram("malformed SCRAM message")
        if attributes[0] != "c=" + _b64(self._header.encode("ascii") + self._binding):
            if self._binding:
                raise BindingFailed("SCRAM channel binding check failed")
            raise MalformedScram("unexpected SCRAM channel-binding attribute in client-final-message")
        if attributes[1] != f"r={self._nonce}":
            raise MalformedScram("invalid SCRAM response: the nonce does not match")
        try:
            proof = base64.b64decode(proof_text, validate=True)
        except binascii.Error:
            raise MalformedScram("malformed SCRAM message") from None
        if len(proof) != 32:
            raise MalformedScram("malformed SCRAM message")
        signed = f"{self._signed},{without_proof}".encode("ascii")
        signature = _hmac(self._secret.stored_key, signed)
        client_key = bytes(a ^ b for a, b in zip(proof, signature, strict=True))
        if not hmac.compare_digest(hashlib.sha256(client_key).digest(), self._secret.stored_key):
            raise AuthenticationFailed(f'password authentication failed for user "{self._user}"')
        return b"v=" + base64.b64encode(_hmac(self._secret.server_key, signed))


def _hmac(key: bytes, data: bytes) -> bytes:
    return hmac.digest(key, data, "sha256")


def _b64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _ascii(data: bytes) -> str:
    try:
        return data.decode("ascii")
    except UnicodeDecodeError:
        raise MalformedScram("malformed SCRAM message") from None
