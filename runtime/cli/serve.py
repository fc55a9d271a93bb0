"""`ptvc serve`."""

from __future__ import annotations

import asyncio
import logging
import os
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from ..config import DEFAULT_HOST, DEFAULT_PORT, Settings
from ..directory import CONTROL_SOCKET, KEYS_VARIABLE, PRIVATE_UMASK, lock
from ..driver_start import BegunDriver, DriverCommand
from ..errors import PtvcError
from ..network.certificates import CertificateFiles
from ..network.exposure import Exposure
from ..network.ports import Ports
from .options import (
    DEFAULT_PATH,
    BlobOption,
    ConsensusOption,
    HttpPortOption,
    KeyFileOption,
    PathOption,
    SetOption,
    TlsCertOption,
    TlsClientCaOption,
    TlsClientNamesOption,
    TlsKeyOption,
    TlsModeOption,
)


def serve(
    path: PathOption = DEFAULT_PATH,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = DEFAULT_HOST,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port to listen on; 0 picks a free one.")
    ] = DEFAULT_PORT,
    consensus: ConsensusOption = None,
    blob: BlobOption = None,
    assignments: SetOption = None,
    secrets_key_file: KeyFileOption = None,
    http_port: HttpPortOption = None,
    tls_cert: TlsCertOption = None,
    tls_key: TlsKeyOption = None,
    tls_client_ca: TlsClientCaOption = None,
    tls_client_names: TlsClientNamesOption = None,
    tls_mode: TlsModeOption = None,
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Listen beyond this machine without TLS and passwords.")
    ] = False,
    verbose: Annotated[bool, typer.Option("--verbose", help="Log more.")] = False,
) -> None:
    """Run the runtime in the foreground; Ctrl-C stops it."""
    os.umask(PRIVATE_UMASK)  # and that of all processes that are started from here
    certificate = _certificate(tls_cert, tls_key, tls_client_ca, tls_client_names)
    exposure = Exposure.of(host, port, http_port, certificate, tls_mode, insecure=insecure)
    logging.basicConfig(
        level=logging.DEBUG if verbose else logging.INFO,
        format="%(asctime)s %(levelname)s %(name)s %(message)s",
    )
    from ..no_pandas import without_pandas

    without_pandas()  # modules of the server make arrays while they are imported
    from ..persist.stores import locate
    from ..spark_cluster import check_spark

    settings = Settings().with_assignments(assignments or ())
    location = locate(path, consensus, blob)
    check_spark(settings, location, insecure=insecure)
    secrets_keys = os.environ.pop(KEYS_VARIABLE, None)
    path = path.resolve()
    blobs = location.under(path).blob
    command = DriverCommand.of(settings, str(path / CONTROL_SOCKET), path, blobs)
    with (
        closing(lock(path)),
        closing(Ports.bind(exposure, settings.control_address)) as ports,
        BegunDriver(command) as driver,
    ):
        # Spark starts while half of the package is imported, which no other command needs.
        from ..allocator import return_what_is_freed

        return_what_is_freed()
        from .. import server

        try:
            asyncio.run(
                server.run(path, exposure, ports, settings, location, driver, secrets_keys, secrets_key_file)
            )
        except server.PartFailed as failure:
            server.start_anew(failure)


def _certificate(
    certificate: Path | None, key: Path | None, client_ca: Path | None, client_names: Path | None
) -> CertificateFiles | None:
    if (certificate is None) != (key is None):
        raise PtvcError("--tls-cert and --tls-key go together", sqlstate="22023")
    if certificate is None or key is None:
        if client_ca is not None or client_names is not None:
            raise PtvcError(
                "clients show certificates to a server that has one",
                sqlstate="22023",
                hint="Give it with --tls-cert and --tls-key.",
            )
        return None
    return CertificateFiles(certificate, key, client_ca, client_names)
