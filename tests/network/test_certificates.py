"""Files of a certificate: what is read of them, and what is refused."""

from __future__ import annotations

import hashlib
import os
import ssl
from dataclasses import replace
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)
from ptvc.network.certificates import BadCertificate, CertificateFiles, Certificates
from ptvc.network.names import BadNames
from servers.certificates import Authority


@pytest.fixture
def files(tmp_path: Path) -> CertificateFiles:
    made = Authority().certify("localhost")
    for name, text in (("cert", made.certificate), ("key", made.key), ("ca", Authority().certificate)):
        (tmp_path / name).touch(0o600)
        (tmp_path / name).write_text(text)
    return CertificateFiles(tmp_path / "cert", tmp_path / "key")


def test_what_is_shown(files: CertificateFiles) -> None:
    certificates = Certificates(files)
    shown = certificates.shown
    certificate = x509.load_pem_x509_certificate(files.certificate.read_bytes())
    assert shown.end_point == hashlib.sha256(certificate.public_bytes(Encoding.DER)).digest()
    assert shown.ends == certificate.not_valid_after_utc
    for context in (shown.postgres, shown.http):
        assert context.minimum_version == ssl.TLSVersion.TLSv1_2
        assert context.verify_mode == ssl.CERT_NONE
    assert not certificates.asks_clients
    asking = Certificates(CertificateFiles(files.certificate, files.key, files.key.with_name("ca")))
    assert asking.asks_clients
    assert asking.shown.postgres.verify_mode == ssl.CERT_OPTIONAL


def test_no_end_point_where_no_hash_is_defined(tmp_path: Path, files: CertificateFiles) -> None:
    made = Authority(eddsa=True).certify("localhost")
    files.certificate.write_text(made.certificate)
    files.key.write_text(made.key)
    assert Certificates(files).shown.end_point is None


@pytest.mark.parametrize("mode", [0o644, 0o620, 0o604, 0o660])
def test_a_key_that_others_may_read_is_refused(files: CertificateFiles, mode: int) -> None:
    files.key.chmod(mode)
    with pytest.raises(BadCertificate, match="others may read the key") as raised:
        Certificates(files)
    assert "chmod 600" in (raised.value.hint or "")


@pytest.mark.skipif(os.getuid() != 0, reason="needs root")
def test_a_key_of_root_s_may_be_read_by_its_group(files: CertificateFiles) -> None:
    files.key.chmod(0o640)
    assert Certificates(files).shown.end_point


def test_a_key_of_another_certificate_is_refused(files: CertificateFiles) -> None:
    files.key.write_text(Authority().certify("localhost").key)
    with pytest.raises(BadCertificate, match="key values mismatch"):
        Certificates(files)


def test_a_key_with_a_passphrase_is_refused(files: CertificateFiles) -> None:
    key = load_pem_private_key(files.key.read_bytes(), None)
    files.key.write_bytes(
        key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"secret"))
    )
    with pytest.raises(BadCertificate, match="passphrase"):
        Certificates(files)


@pytest.mark.parametrize("name", ["cert", "key", "ca"])
def test_files_that_are_not_there_or_say_nothing_are_named(files: CertificateFiles, name: str) -> None:
    given = CertificateFiles(files.certificate, files.key, files.key.with_name("ca"))
    files.key.with_name(name).write_text("")
    with pytest.raises(BadCertificate, match=name):
        Certificates(given)
    files.key.with_name(name).unlink()
    with pytest.raises(BadCertificate, match=f"{name}.*No such file"):
        Certificates(given)


def test_what_is_no_regular_file_is_not_read(files: CertificateFiles, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(BadCertificate, match="is no regular file"):
        Certificates(replace(files, certificate=pipe))


@pytest.mark.parametrize("text", ["ann", "= ann", "a =", "a = b\na = c"])
def test_lines_of_names_that_say_nothing_are_refused(files: CertificateFiles, text: str) -> None:
    names = files.key.with_name("names")
    names.write_text(f"# who is who\n\nx = y # a comment\n{text}\n")
    with pytest.raises(BadNames, match=r"line [45] of"):
        Certificates(CertificateFiles(files.certificate, files.key, None, names))


def test_a_name_is_that_of_a_role_unless_a_line_says_otherwise(files: CertificateFiles) -> None:
    names = files.key.with_name("names")
    names.write_text("CN=odd, O=us = loader\n")
    shown = Certificates(CertificateFiles(files.certificate, files.key, None, names)).shown
    assert shown.role_of("CN=odd, O=us") == "loader"
    assert shown.role_of("ann") == "ann"
