"""`ptvc serve`: the composition root.  Builds the coordinator and its listener, says that it is ready, and stops both.

See `directory` for who serves a directory, and how clients find it.
"""

from __future__ import annotations

import asyncio
import gc
import importlib.util
import logging
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from .clock import SystemClock
from .config import SWITCH_INTERVAL_S, Settings
from .coord.controller.driver_process import launching
from .coord.coordinator import Coordinator
from .coord.garbage import GarbageCollection
from .coord.secrets.key_ring import KeyRing
from .coord.storage.storage import Storage
from .directory import KEY_FILE, KEYS_VARIABLE, RUNTIME_FILE, RuntimeInfo, installed_version, login_key
from .driver_start import BegunDriver
from .errors import Fenced, PtvcError
from .network.addresses import from_here
from .network.certificates import Certificates
from .network.exposure import Exposure
from .network.issuer import Issuer
from .network.names import read_names
from .network.ports import HTTP_PORT, PORT, BoundPort, Ports
from .network.tokens import TokenRules, Tokens
from .persist.location import Location
from .persist.stores import open_stores
from .pgwire.listener import Limits
from .pgwire.listener import serve as listen
from .pgwire.passwords import of_roles, of_tokens
from .sql.warm_up import warm_up
from .supervision import Supervisor

if TYPE_CHECKING:
    from .http.listener import HttpListener

logger = logging.getLogger(__name__)


class PartFailed(PtvcError):
    """The runtime has stopped in order, because a part of it cannot go on; started anew, it goes on from what is durable."""

    sqlstate = "57P01"
    port: int | None = None
    http_port: int | None = None
    secrets_keys: str | None = None


STARTED = "PTVC_STARTED_ANEW"
"""Environment variable: when this process was started anew, in seconds since 1970, one number for each time."""
MOST_STARTS, WITHIN_S = 5, 600
HTTP_PACKAGES = ("uvicorn", "starlette", "httptools")
"""Those of the extra `http`."""
OIDC_PACKAGES = ("jwt",)
"""Those of the extra `oidc`."""
CERTIFICATE_LOOK_S = 10.0
"""How often it is looked whether the files of the certificate have changed."""
STOP_TIMEOUT_S = 30.0
"""A process of which a part has failed stops in order within this time, or without order."""


def start_anew(failure: PartFailed) -> None:
    """Replaces this process by a new one that goes on from what is durable, under the same pid; not for ever, if that fails
    again and again: then the failure is raised."""
    now = SystemClock().now_ms() // 1000
    starts = [int(start) for start in os.environ.get(STARTED, "").split() if now - int(start) < WITHIN_S]
    if len(starts) >= MOST_STARTS:
        raise failure
    logger.error("%s: it is started anew", failure)
    os.environ[STARTED] = " ".join(map(str, [*starts, now]))
    if failure.port is not None:
        os.environ[PORT] = str(failure.port)
    if failure.http_port is not None:
        os.environ[HTTP_PORT] = str(failure.http_port)
    if failure.secrets_keys is not None:
        os.environ[KEYS_VARIABLE] = failure.secrets_keys
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])


async def run(
    directory: Path,
    exposure: Exposure,
    ports: Ports,
    settings: Settings,
    location: Location,
    driver: BegunDriver,
    secrets_keys: str | None = None,
    key_file: Path | None = None,
) -> None:
    """Serves a directory that is locked, on ports that are bound, until SIGINT or SIGTERM; prints one line when clients may connect.

    The keys of secrets are `secrets_keys`, or in `key_file`, or in the directory.
    """
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    exposure = ports.of(exposure)
    if ports.http is not None:
        _check_http()  # before anything is begun
    certificates = None if exposure.certificate is None else Certificates(exposure.certificate)
    tokens = tokens_of(settings)
    keys = KeyRing.open(key_file or directory / KEY_FILE, secrets_keys, made=key_file is None)
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopping.set)

    lost = asyncio.Event()
    failures: list[BaseException] = []

    def fenced() -> None:
        logger.error("another coordinator has taken over %s: this one stops", directory)
        lost.set()
        stopping.set()

    def failed(error: BaseException) -> None:
        failures.append(error)
        loop.call_soon_threadsafe(stopping.set)

    clock = SystemClock()
    storage = Storage(open_stores(directory, location), clock)
    supervisor = Supervisor(lambda name, error: failed(error))
    launch = launching(settings, storage.blobs, supervisor, driver)
    coordinator = Coordinator(storage, directory, settings, clock, supervisor, fenced, launch, keys)
    await coordinator.start()
    try:
        entrance = _Entrance(exposure, ports, settings, certificates, tokens)
        await entrance.serve(directory, coordinator, stopping, failed)
    finally:
        await _stop(coordinator, bool(failures))
    if failures:
        failure = PartFailed(f"a part of the runtime has failed: {failures[0]!r}")
        failure.port, failure.http_port = exposure.port, exposure.http_port
        failure.secrets_keys = secrets_keys
        raise failure from failures[0]
    if lost.is_set():
        raise Fenced(f"another coordinator has taken over {directory}", hint="This process has stopped.")


@dataclass(frozen=True, slots=True)
class _Entrance:
    """Where clients come in, and by what."""

    exposure: Exposure
    ports: Ports
    settings: Settings
    certificates: Certificates | None
    tokens: Tokens | None

    async def serve(
        self,
        directory: Path,
        coordinator: Coordinator,
        stopping: asyncio.Event,
        failed: Callable[[BaseException], None],
    ) -> None:
        """Until `stopping`; prints one line when clients may connect."""
        exposure, certificates, tokens = self.exposure, self.certificates, self.tokens
        _check_who_may_enter(exposure, coordinator, by_token=tokens is not None)
        listener = await listen(
            self.ports.postgres,
            coordinator,
            passwords=of_roles(coordinator),
            is_superuser=coordinator.is_superuser,
            limits=_limits(self.settings),
            fake_salt_key=login_key(directory),
            certificates=certificates,
            tls_only=exposure.tls_only,
            insecure=exposure.insecure,
            on_refused=coordinator.audit.refused,
            token_role=None if tokens is None else of_tokens(tokens, coordinator),
        )
        web: HttpListener | None = None
        loop = asyncio.get_running_loop()
        try:
            if self.ports.http is not None:
                web = await _listen_http(self.ports.http, certificates, coordinator, self.settings, failed)
            web_url = "" if web is None else f", {coordinator.webhooks.base_url}"
            _say_ready(directory, exposure, web_url)
            warm = loop.run_in_executor(None, _settle)
            supervisor = Supervisor(lambda _, error: failed(error))
            supervisor.start("garbage collection", GarbageCollection().run())
            if certificates is not None:
                loop.add_signal_handler(signal.SIGHUP, certificates.reload)
                supervisor.start("certificates", _look_at(certificates))
            await stopping.wait()
            await supervisor.stop()
            await warm
            logger.info("stopping")
        finally:
            (directory / RUNTIME_FILE).unlink(missing_ok=True)
            await asyncio.gather(listener.close(), *([] if web is None else [web.close()]))
            if tokens is not None:
                tokens.close()


def _check_http() -> None:
    _check_extra("the HTTP port", HTTP_PACKAGES, "http")


def _check_extra(what: str, packages: tuple[str, ...], extra: str) -> None:
    missing = [name for name in packages if importlib.util.find_spec(name) is None]
    if missing:
        raise PtvcError(
            f"{what} needs {', '.join(missing)}, which is not installed",
            hint=f"Install them with: pip install 'dbt-ptvc[{extra}]'",
        )


def tokens_of(settings: Settings) -> Tokens | None:
    """What takes tokens, where an issuer is named.  Raises PtvcError where that cannot be."""
    if not settings.oidc_issuer:
        return None
    _check_extra("oidc_issuer", OIDC_PACKAGES, "oidc")
    names = Path(settings.oidc_names_file) if settings.oidc_names_file else None
    rules = TokenRules(
        [part for text in settings.oidc_audience.split(",") if (part := text.strip())],
        settings.oidc_authentication_claim,
        {} if names is None else read_names(names),
    )
    authorities = Path(settings.oidc_ca_file) if settings.oidc_ca_file else None
    return Tokens(Issuer(settings.oidc_issuer, authorities), rules)


def _say_ready(directory: Path, exposure: Exposure, web_url: str) -> None:
    """Where it listens, to clients of this machine by a file, and to who has started it by a line."""
    host, pid, version = from_here(exposure.host), os.getpid(), installed_version()
    scheme = "http" if exposure.certificate is None else "https"
    RuntimeInfo(host, exposure.port, pid, version, exposure.http_port, scheme).write(directory)
    print(f"ptvc {version} is ready: psql -h {host} -p {exposure.port} -U ptvc ptvc{web_url}", flush=True)


async def _stop(coordinator: Coordinator, failed: bool) -> None:
    """Where a part has failed others may not end either."""
    try:
        async with asyncio.timeout(STOP_TIMEOUT_S if failed else None):
            await coordinator.stop()
    except Exception:
        if not failed:
            raise
        logger.exception("the runtime does not stop in order")


def _limits(settings: Settings) -> Limits:
    return Limits(
        max_connections=settings.max_connections,
        max_statement_bytes=settings.max_statement_bytes,
        reserved_connections=settings.superuser_reserved_connections,
        max_per_address=settings.max_connections_per_address,
        max_opening=max(settings.max_opening_connections, 1),
        max_opening_per_address=settings.max_opening_connections_per_address,
        failed_login_seconds=settings.failed_login_delay_ms / 1000,
        startup_seconds=settings.authentication_timeout_ms / 1000,
    )


def _check_who_may_enter(exposure: Exposure, coordinator: Coordinator, *, by_token: bool) -> None:
    """Beyond the loopback a role needs a password, a certificate or a token: where there are none nobody could come in, and nobody
    else should."""
    by_certificate = exposure.certificate is not None and exposure.certificate.client_authorities is not None
    if not (
        exposure.is_local or exposure.insecure or by_certificate or by_token or coordinator.asks_passwords
    ):
        raise PtvcError(
            f"refusing to listen on {exposure.host}: no role has a password",
            hint="Start the runtime on 127.0.0.1, give one with: ALTER ROLE ptvc PASSWORD '...', and start it again; or take "
            "clients' certificates with --tls-client-ca, or tokens with --set oidc_issuer=...",
        )


async def _look_at(certificates: Certificates) -> None:
    while True:
        await asyncio.sleep(CERTIFICATE_LOOK_S)
        certificates.look()


async def _listen_http(
    place: BoundPort,
    certificates: Certificates | None,
    coordinator: Coordinator,
    settings: Settings,
    failed: Callable[[BaseException], None],
) -> HttpListener:
    from .http.listener import listen as listen_http  # of an extra
    from .http.protocol import Bounds

    bounds = Bounds(
        settings.http_max_connections,
        settings.http_timeout_ms / 1000,
        settings.http_max_connections_per_address,
    )
    supervisor = Supervisor(lambda _, error: failed(error))
    tls = None if certificates is None else certificates.http_context
    return await listen_http(place, coordinator.webhooks, bounds, supervisor, tls)


def _settle() -> None:
    """What is imported and made by the first statements stays: the garbage collector need not look at it again, which
    takes 100 ms each time and would stop whatever statement it falls into."""
    warm_up()
    gc.collect()
    gc.freeze()
