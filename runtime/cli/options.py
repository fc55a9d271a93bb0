"""Options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

DEFAULT_PATH = Path(".ptvc")

PathOption = Annotated[Path, typer.Option("--path", help="Directory that holds the environment.")]
SetOption = Annotated[list[str] | None, typer.Option("--set", help="name=value; repeat for more.")]
ConsensusOption = Annotated[
    str | None,
    typer.Option(
        "--consensus",
        envvar="PTVC_CONSENSUS",
        metavar="URL",
        help="Where what is durable is decided: sqlite:///path or postgresql://user@host/database; "
        "a file in the directory unless named.",
    ),
]
BlobOption = Annotated[
    str | None,
    typer.Option(
        "--blob",
        envvar="PTVC_BLOB",
        metavar="URL",
        help="Where large parts are: file:///path or s3://bucket/prefix; in the directory unless named.",
    ),
]
KeyFileOption = Annotated[
    Path | None,
    typer.Option(
        "--secrets-key-file",
        envvar="PTVC_SECRETS_KEY_FILE",
        help="Keys that secrets are encrypted with; a file in the directory unless named, made with the first secret.",
    ),
]

HttpPortOption = Annotated[
    int | None,
    typer.Option(
        "--http-port",
        min=0,
        max=65535,
        help="Port to listen on for HTTP, of webhooks; 0 picks a free one; none unless given.",
    ),
]

TlsCertOption = Annotated[
    Path | None, typer.Option("--tls-cert", help="Certificate to show, in PEM; read again when it changes.")
]
TlsKeyOption = Annotated[
    Path | None, typer.Option("--tls-key", help="Its key, in PEM, for nobody else to read.")
]
TlsClientCaOption = Annotated[
    Path | None,
    typer.Option(
        "--tls-client-ca", help="Authorities; a certificate of theirs stands for its name's password."
    ),
]
TlsClientNamesOption = Annotated[
    Path | None,
    typer.Option("--tls-client-names", help="Lines `name in a certificate = role`, where they differ."),
]
TlsModeOption = Annotated[
    Literal["allow", "require"] | None,
    typer.Option(
        "--tls-mode",
        help="What is not TLS: allow, or refuse (require). By default it is allowed on the loopback.",
    ),
]
