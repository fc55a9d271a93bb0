"""The handshake: both ends prove that they know the secret, and nothing that was heard once is of use again."""

from __future__ import annotations

import pytest
from ptvc.directory import new_secret
from ptvc.replica.protocol import (
    CHALLENGE_BYTES,
    DRIVER,
    HEAD_BYTES,
    PROOF_BYTES,
    Admission,
    Dialing,
    Hello,
    ProtocolError,
    Refused,
    handshake,
)

SECRET = new_secret()
HELLO = Hello("c1-r1", 2**40, 7, 123)


def admitted(admission: Admission, said: bytes, secret: bytes | None = SECRET) -> tuple[Hello, bytes]:
    assert admission.rest(said[:HEAD_BYTES]) == len(said) - HEAD_BYTES
    return admission.admit(said[HEAD_BYTES:], lambda hello: secret)


def heard(admission: Admission, said: bytes) -> None:
    """As the listener takes it from a stream."""
    rest = admission.rest(said[:HEAD_BYTES])
    admission.admit(said[HEAD_BYTES:][:rest], lambda hello: SECRET)


@pytest.mark.parametrize(
    "hello", [HELLO, Hello(DRIVER, 0, 0, 1), Hello("é" * 127, 2**64 - 1, 2**64 - 1, 2**32 - 1)]
)
@pytest.mark.parametrize("certificate", [b"", b"c" * 32])
def test_both_know_the_secret(hello: Hello, certificate: bytes) -> None:
    admission, dialing = Admission(certificate), Dialing(hello, SECRET, certificate)
    assert len(admission.challenge) == CHALLENGE_BYTES
    found, proof = admitted(admission, dialing.answer(admission.challenge))
    assert found == hello
    assert len(proof) == PROOF_BYTES
    dialing.check(proof)


@pytest.mark.parametrize(
    ("secret", "reason"),
    [(None, "is not awaited: dropped, or another"), (b"another" * 4, "does not know the secret")],
    ids=["unknown", "another"],
)
def test_who_does_not_know_it_is_not_admitted(secret: bytes | None, reason: str) -> None:
    admission = Admission()
    said = Dialing(HELLO, SECRET).answer(admission.challenge)
    with pytest.raises(ProtocolError, match=f'"c1-r1", epoch 1099511627776, {reason}'):
        admitted(admission, said, secret)


def test_a_listener_that_does_not_know_it_is_refused() -> None:
    admission, dialing = Admission(), Dialing(HELLO, SECRET)
    said = dialing.answer(admission.challenge)
    for proof in (b"\0" * PROOF_BYTES, said[-PROOF_BYTES:]):  # its own is none
        with pytest.raises(Refused):
            dialing.check(proof)


def test_what_was_heard_is_of_no_use_again() -> None:
    admission = Admission()
    said = Dialing(HELLO, SECRET).answer(admission.challenge)
    admitted(admission, said)
    with pytest.raises(ProtocolError):
        admitted(Admission(), said)


def test_what_is_said_behind_another_certificate_is_of_no_use() -> None:
    """Who stands between the two shows one of its own."""
    admission = Admission(b"c" * 32)
    with pytest.raises(ProtocolError):
        admitted(admission, Dialing(HELLO, SECRET, b"d" * 32).answer(admission.challenge))


def test_every_bit_counts() -> None:
    admission = Admission()
    said = Dialing(HELLO, SECRET).answer(admission.challenge)
    for bit in range(len(said) * 8):
        turned = bytearray(said)
        turned[bit // 8] ^= 1 << bit % 8
        with pytest.raises(ProtocolError):
            heard(admission, bytes(turned))


def test_other_versions_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    old = Admission()
    monkeypatch.setattr(handshake, "PROTOCOL_VERSION", 2)
    with pytest.raises(ProtocolError, match="another version of dbt-ptvc"):
        Dialing(HELLO, SECRET).answer(old.challenge)
    with pytest.raises(ProtocolError, match="does not speak the control protocol"):
        Dialing(HELLO, SECRET).answer(b"HTTP/1.1 400 Bad".ljust(CHALLENGE_BYTES))
