"""`ptvc up` and `down`: a runtime in the background."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep
from typing import Annotated

import typer

from ..config import Settings
from ..directory import PRIVATE_UMASK, RuntimeInfo, installed_version, is_locked, log_file
from ..errors import PtvcError
from .client import how_to_connect
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
from .output import ERROR, HINT, console

READY_TIMEOUT_S = 60.0
STOP_TIMEOUT_S = 60.0


def up(
    path: PathOption = DEFAULT_PATH,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 picks a free one.")] = 0,
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
) -> None:
    """Start the runtime in the background, unless it runs already; returns when clients may connect."""
    options = {"--consensus": consensus, "--blob": blob}
    places = [text for name, url in options.items() if url is not None for text in (name, url)]
    if places:
        from ..persist.stores import locate

        named = locate(path, consensus, blob)  # refused here rather than in the log
    info = RuntimeInfo.read(path)
    if info is None:
        given = {
            "--secrets-key-file": secrets_key_file,
            "--http-port": http_port,
            "--tls-cert": tls_cert,
            "--tls-key": tls_key,
            "--tls-client-ca": tls_client_ca,
            "--tls-client-names": tls_client_names,
            "--tls-mode": tls_mode,
        }
        more = [text for name, value in given.items() if value is not None for text in (name, str(value))]
        info = _start(path, port, [*places, *more], assignments or [])
    elif places and named != locate(path):
        raise PtvcError(
            f"the runtime in {path} has other stores than the ones named",
            hint=f"Stop it with: ptvc down --path {path}",
        )
    elif info.version != installed_version():
        raise PtvcError(
            f"the runtime in {path} is version {info.version}, installed is {installed_version()}",
            hint=f"Stop the old one with: ptvc down --path {path}",
        )
    console.print(how_to_connect(info))


def down(path: PathOption = DEFAULT_PATH) -> None:
    """Stop the runtime of a directory.  Its data stays; `ptvc up` goes on from there."""
    info = RuntimeInfo.read(path)
    if info is None:
        console.print(f"no runtime serves {path}")
        return
    os.kill(info.pid, signal.SIGTERM)
    deadline = monotonic() + STOP_TIMEOUT_S
    while is_locked(path):
        if monotonic() > deadline:
            raise PtvcError(f"process {info.pid} does not stop", hint=f"Its log is {log_file(path)}.")
        sleep(0.05)
    console.print(f"stopped the runtime of {path}")


def _start(path: Path, port: int, places: list[str], assignments: list[str]) -> RuntimeInfo:
    Settings().with_assignments(assignments)  # refused here rather than in the log
    log = log_file(path)
    arguments = [
        sys.executable,
        "-P",
        "-m",
        "ptvc",
        "serve",
        "--path",
        str(path),
        "--port",
        str(port),
        *places,
    ]
    for assignment in assignments:
        arguments += ["--set", assignment]
    log.touch(0o600)
    with log.open("ab") as output:
        start = output.tell()
        process = subprocess.Popen(
            arguments,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
            umask=PRIVATE_UMASK,
        )
    deadline = monotonic() + READY_TIMEOUT_S
    while (info := RuntimeInfo.read(path)) is None:
        # A second `up` at the same moment loses the lock: the winner's runtime is as good.
        if process.poll() is not None and not is_locked(path):
            reason, hint = _reason(log, start)
            raise PtvcError(f"the runtime did not start: {reason}", hint=f"{hint} Its log is {log}.".strip())
        if monotonic() > deadline:
            raise PtvcError("the runtime takes too long to start", hint=f"Its log is {log}.")
        sleep(0.02)
    return info


def _reason(log: Path, start: int) -> tuple[str, str]:
    """What a runtime that ended had to say: its error and the hint, or its last line."""
    with log.open("rb") as file:
        file.seek(start)
        lines = file.read().decode(errors="replace").strip().splitlines()
    errors = [line.removeprefix(ERROR) for line in lines if line.startswith(ERROR)]
    hints = [line.removeprefix(HINT) for line in lines if line.startswith(HINT)]
    reason = errors[-1] if errors else lines[-1] if lines else "it left no message"
    return reason, hints[-1] if errors and hints else ""
