"""The handshake that begins a connection, before which nothing is decoded: who dials, and that both ends know a secret.

```
listener                                        dialer
   ├── magic, version, edition, nonce ──────────> │
   │ <── the same, epoch, attempt, pid, name, HMAC ┤
   ├── HMAC ────────────────────────────────────> │   then messages, both ways
```

Both codes are HMAC-SHA-256 over all that was said before and, over TLS, the hash of the listener's certificate; they differ in
their first word.  The nonces are new each time, so nothing that was heard once is of use again.  A secret is made for each start of
a replica, and for each driver, and is carried to it by a channel of its own: the driver's standard input, the closure of a Spark task.
"""

from __future__ import annotations

import hmac
import secrets
import struct
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from hashlib import sha256

from ...directory import installed_version, new_secret
from .values import ProtocolError
from .vocabulary import VOCABULARY

PROTOCOL_VERSION = 1
DRIVER = ""
"""The name of the driver, which no replica has."""
HANDSHAKE_S = 10.0
"""So long a handshake may take."""

_MAGIC = b"ptvc/ctl"
_NONCE_BYTES = 32
_PROOF_BYTES = 32
_MOST_NAME = 255
_OPENING = struct.Struct(f">8sH8s{_NONCE_BYTES}s")
_IDENTITY = struct.Struct(">QQIB")

CHALLENGE_BYTES = _OPENING.size
HEAD_BYTES = _OPENING.size + _IDENTITY.size
"""Of a hello, before the name."""
PROOF_BYTES = _PROOF_BYTES


@dataclass(frozen=True, slots=True)
class Hello:
    """Who dials: the attempt of a replica, or the driver (DRIVER), and its process."""

    name: str
    epoch: int
    attempt: int
    pid: int


class Refused(ConnectionError):
    """The other end is not who it should be, or takes this end for somebody else."""


@cache
def _edition() -> bytes:
    """What both ends have to have in common apart from the version of the handshake."""
    return sha256(repr((installed_version(), VOCABULARY)).encode()).digest()[:8]


def _opening() -> bytes:
    return _OPENING.pack(_MAGIC, PROTOCOL_VERSION, _edition(), secrets.token_bytes(_NONCE_BYTES))


def _check_opening(data: bytes) -> None:
    magic, version, edition, _ = _OPENING.unpack(data)
    if magic != _MAGIC:
        raise ProtocolError("who is there does not speak the control protocol")
    if version != PROTOCOL_VERSION or edition != _edition():
        raise ProtocolError(
            "who is there is of another version of dbt-ptvc",
            hint="Install the same version wherever a part of the runtime runs.",
        )


def _proof(secret: bytes, who: bytes, said: bytes) -> bytes:
    return hmac.digest(secret, who + said, sha256)


class Dialing:
    """The dialer's part.  `certificate` is the hash of that which the listener has shown, b"" without TLS."""

    def __init__(self, hello: Hello, secret: bytes, certificate: bytes = b"") -> None:
        self._hello = hello
        self._secret = secret
        self._certificate = certificate
        self._said = b""

    def answer(self, challenge: bytes) -> bytes:
        """What to say to the listener's CHALLENGE_BYTES.  Raises ProtocolError."""
        _check_opening(challenge)
        hello = self._hello
        name = hello.name.encode()
        identity = _IDENTITY.pack(hello.epoch, hello.attempt, hello.pid, len(name))
        said = _opening() + identity + name
        self._said = self._certificate + challenge + said
        return said + _proof(self._secret, b"dialer", self._said)

    def check(self, proof: bytes) -> None:
        """Raises Refused where the PROOF_BYTES that the listener says are not those of one that knows the secret."""
        if not hmac.compare_digest(proof, _proof(self._secret, b"listener", self._said)):
            raise Refused("the listener does not know this replica's secret")


class Admission:
    """The listener's part."""

    def __init__(self, certificate: bytes = b"") -> None:
        self.challenge = _opening()
        self._certificate = certificate
        self._head = b""

    def rest(self, head: bytes) -> int:
        """How many bytes follow on HEAD_BYTES of a hello.  Raises ProtocolError."""
        _check_opening(head[: _OPENING.size])
        self._head = head
        return head[-1] + _PROOF_BYTES

    def admit(self, rest: bytes, secret_of: Callable[[Hello], bytes | None]) -> tuple[Hello, bytes]:
        """Who it is, and what proves to it that this end knows the secret, too.  Raises ProtocolError."""
        epoch, attempt, pid, _ = _IDENTITY.unpack_from(self._head, _OPENING.size)
        name, proof = rest[:-_PROOF_BYTES], rest[-_PROOF_BYTES:]
        try:
            hello = Hello(name.decode(), epoch, attempt, pid)
        except UnicodeDecodeError:
            raise ProtocolError("a name is no text") from None
        said = self._certificate + self.challenge + self._head + name
        secret = secret_of(hello)
        # Of somebody unknown a code is made as well: how long that takes is to say nothing.
        expected = _proof(secret or new_secret(), b"dialer", said)
        if secret is None:
            raise ProtocolError(
                f'who calls itself "{hello.name}", epoch {epoch}, is not awaited: dropped, or another is in its place'
            )
        if not hmac.compare_digest(proof, expected):
            raise ProtocolError(f'who calls itself "{hello.name}", epoch {epoch}, does not know the secret')
        return hello, _proof(secret, b"listener", said)
