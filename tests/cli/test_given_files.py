"""Files that are named on the command line or in a setting: what is none is refused at once, whoever reads it."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from ptvc import given_files
from ptvc.cli import client
from ptvc.coord.secrets.key_ring import KeyRing
from ptvc.errors import PtvcError
from ptvc.given_files import check_regular, read_given, read_text
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
    assert read_given(path, 11)[0] == b"0123456789a"


def test_lines_of_text_end_alike(tmp_path: Path) -> None:
    (path := tmp_path / "model.sql").write_bytes(b"select 1\r\n, 2\n")
    assert read_text(path) == "select 1\n, 2\n"


def test_standard_input_without_an_end_is_not_read_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "MOST_SQL", 10)
    for text, taken in (("select 123", True), ("select 1234", False)):
        monkeypatch.setattr("sys.stdin", io.StringIO(text))
        if taken:
            assert client._standard_input() == text
        else:
            with pytest.raises(PtvcError, match="more than 10 characters"):
                client._standard_input()


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="no /proc on this machine")
def test_what_does_not_say_how_long_it_is_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OSError, match="it has more than 10 bytes"):
        read_given(Path("/proc/self/stat"), 10)
