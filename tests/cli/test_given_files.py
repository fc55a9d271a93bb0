"""Files that are named on the command line or in a setting: what is none is refused at once, whoever reads it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from ptvc import given_files
from ptvc.coord.secrets.key_ring import KeyRing
from ptvc.errors import PtvcError
from ptvc.given_files import check_regular, read_given
from ptvc.network.certificates import CertificateFiles, Certificates
from ptvc.network.issuer import Issuer
from ptvc.network.names import read_names
from ptvc.spark_properties import read_properties
from ptvc.storage.source.directory import FileSet

READERS: dict[str, Callable[[Path], object]] = {
    "spark_properties_file": read_properties,
    "secrets-key-file": KeyRing.open,
    "oidc_names_file": read_names,
    "oidc_ca_file": lambda path: Issuer("https://issuer.example.com", path),
    "tls-cert": lambda path: Certificates(CertificateFiles(path, path)),
    "FROM FILE": lambda path: FileSet(path).list(),
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("kind", ["device", "pipe"])
def test_what_has_no_end_is_not_read(reader: str, kind: str, tmp_path: Path) -> None:
    path = Path("/dev/zero")
    if kind == "pipe":
        os.mkfifo(path := tmp_path / "pipe", 0o600)
    with pytest.raises(PtvcError, match="it is no regular file"):
        READERS[reader](path)


def test_what_is_too_long_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(given_files, "MOST_BYTES", 10)
    path = tmp_path / "file"
    path.write_bytes(b"0123456789")
    data, about = read_given(path)
    assert (data, about.st_size) == (b"0123456789", 10)
    check_regular(path)
    path.write_bytes(b"0123456789a")
    for read in (read_given, check_regular):
        with pytest.raises(OSError, match="it has more than 10 bytes"):
            read(path)
    with pytest.raises(PtvcError, match="it has more than 10 bytes"):
        read_properties(path)
