"""Where a runtime may listen, and with what."""

from __future__ import annotations

from pathlib import Path

import pytest
from ptvc.errors import PtvcError
from ptvc.network.addresses import from_here, is_loopback
from ptvc.network.certificates import CertificateFiles
from ptvc.network.exposure import Exposure

FILES = CertificateFiles(Path("cert"), Path("key"))


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "localhost", "::ffff:127.0.0.1"])
def test_the_loopback_is_this_machine_s(host: str) -> None:
    assert is_loopback(host)
    assert not Exposure.of(host, 1, None, None, None, insecure=False).tls_only
    assert not Exposure.of(host, 1, None, FILES, None, insecure=False).tls_only
    assert Exposure.of(host, 1, None, FILES, "require", insecure=False).tls_only


@pytest.mark.parametrize(
    "host", ["0.0.0.0", "::", "10.1.2.3", "db.example.com", "localhost.example.com", "", "::ffff:10.0.0.1"]
)
def test_beyond_it_there_must_be_tls(host: str) -> None:
    assert not is_loopback(host)
    for files, mode in ((None, None), (FILES, "allow")):
        with pytest.raises(PtvcError, match="refusing to listen"):
            Exposure.of(host, 1, None, files, mode, insecure=False)
        assert not Exposure.of(host, 1, None, files, mode, insecure=True).tls_only
    assert Exposure.of(host, 1, None, FILES, None, insecure=False).tls_only


def test_a_mode_needs_a_certificate() -> None:
    with pytest.raises(PtvcError, match="means nothing without a certificate"):
        Exposure.of("127.0.0.1", 1, None, None, "require", insecure=False)


def test_how_it_is_reached_from_here() -> None:
    assert [from_here(host) for host in ("0.0.0.0", "::", "10.1.2.3")] == ["127.0.0.1", "::1", "10.1.2.3"]
