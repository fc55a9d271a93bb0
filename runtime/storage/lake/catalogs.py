"""Clients of Iceberg's catalogs, as connections say: REST, or a SQL database.

Files are read and written through an object store's interface of Arrow: in S3 with the keys of an AWS connection, or those that a REST
catalog hands out; on this machine below the warehouse of the connection only.  Nothing comes from the server's own environment, and what a
catalog's server says does not lead anywhere else.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from pyiceberg import exceptions
from pyiceberg.catalog import Catalog
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.catalog.sql import SqlCatalog, SqlCatalogBaseTable
from pyiceberg.io.pyarrow import PyArrowFileIO
from pyiceberg.table import CommitTableResponse, Table
from sqlalchemy import make_url
from sqlalchemy.exc import SQLAlchemyError

from ..connections import aws
from ..connections.addresses import Addresses
from ..connections.failures import ConnectionFailed, Step, scrubbed
from ..connections.iceberg import local_path
from ..connections.values import Values

CATALOG_NAME = "default"
"""A database holds several catalogs, by name; this is what pyiceberg calls its own."""
CONNECT_S = 15.0
SQLITE_LOCK_TIMEOUT_S = 30
"""A commit waits so long for other users of the file; the driver's own 5 s pass while a disk is busy."""
ERRORS: tuple[type[Exception], ...] = (
    OSError,  # those of requests too
    ValueError,  # what cannot be read: those of pydantic too
    SQLAlchemyError,
    *(
        found
        for found in vars(exceptions).values()
        if isinstance(found, type) and issubclass(found, Exception)
    ),
)
"""What the library raises for what is outside."""

_ROOT, _LINK_LOCAL, _IO = "ptvc.root", "ptvc.link-local", "py-io-impl"


class Conflicted(Exception):
    """Somebody else has committed.  It is not the library's, which would try again, whoever that was."""


class Files(PyArrowFileIO):  # type: ignore[misc]
    """Files of tables.  Raises PermissionError for one that is neither in an object store nor below the warehouse."""

    def __init__(self, properties: dict[str, Any]) -> None:
        if (endpoint := properties.get("s3.endpoint")) is not None:
            host = urlsplit(endpoint).hostname or ""
            Addresses(link_local=properties.get(_LINK_LOCAL) == "true").resolve(host, 443)
        super().__init__(properties)

    def new_input(self, location: str) -> Any:
        self._check(location)
        return super().new_input(location)

    def new_output(self, location: str) -> Any:
        self._check(location)
        return super().new_output(location)

    def delete(self, location: Any) -> None:
        self._check(location if isinstance(location, str) else location.location)
        super().delete(location)

    def _check(self, location: str) -> None:
        scheme, _, path = self.parse_location(location)
        if scheme in ("s3", "s3a", "s3n"):
            return
        root = self.properties.get(_ROOT)
        if scheme != "file" or not root or not Path(path).resolve().is_relative_to(root):
            raise PermissionError(f'"{location}" is neither in S3 nor below the warehouse of the connection')


class _Guarded:
    """What both catalogs have before they are begun: `guard` are properties that nothing else says."""

    guard: dict[str, str]

    def _load_file_io(self, properties: Any = None, location: str | None = None) -> Files:
        own: dict[str, str] = self.properties  # type: ignore[attr-defined]
        return Files({**own, **(properties or {}), **self.guard})

    def commit_table(self, table: Table, requirements: Any, updates: Any) -> CommitTableResponse:
        try:
            return super().commit_table(table, requirements, updates)  # type: ignore[misc]
        except exceptions.CommitFailedException as error:
            raise Conflicted(str(error)) from None


class GuardedSqlCatalog(_Guarded, SqlCatalog):  # type: ignore[misc]
    def __init__(self, guard: dict[str, str], **properties: str) -> None:
        self.guard = guard
        try:
            super().__init__(CATALOG_NAME, **properties, **guard)
        except BaseException:
            self.close()
            raise

    def create_tables(self) -> None:
        """Those of a catalog that is new, of which somebody else may make one after it was looked for."""
        for _ in SqlCatalogBaseTable.metadata.tables:
            with suppress(SQLAlchemyError):  # the last attempt says what is wrong
                super().create_tables()
                return
        super().create_tables()

    def close(self) -> None:
        if hasattr(self, "engine"):  # it may have come no further
            self.engine.dispose()


class GuardedRestCatalog(_Guarded, RestCatalog):  # type: ignore[misc]
    def __init__(self, guard: dict[str, str], **properties: str) -> None:
        self.guard = guard
        super().__init__(CATALOG_NAME, **properties, **guard)

    def close(self) -> None:
        self._session.close()


AnyCatalog = GuardedSqlCatalog | GuardedRestCatalog


def open_catalog(values: Values, files: Values | None, deadline: float) -> AnyCatalog:
    """`files` is the AWS connection for the tables' files, if there is one.  Raises ConnectionFailed."""
    addresses = Addresses(link_local=values.link_local)
    properties = _properties(values) | (_s3(files) if files is not None else {})
    try:
        if values.required("CATALOG TYPE") == "rest":
            return _rest(values, properties, addresses, deadline)
        return _sql(values, properties, addresses, deadline)
    except ERRORS as error:
        raise _failure(error, values) from None


def validate(values: Values, addresses: Addresses, deadline: float) -> None:
    """Asks for the namespaces; raises ConnectionFailed."""
    catalog = open_catalog(values, None, deadline)
    try:
        catalog.list_namespaces()
    except ERRORS as error:
        raise _failure(error, values) from None
    finally:
        catalog.close()


def _properties(values: Values) -> dict[str, str]:
    found = {"uri": values.required("URL")}
    for name in ("WAREHOUSE", "CREDENTIAL", "TOKEN", "SCOPE"):
        if (text := values.text(name)) is not None:
            found[name.lower()] = text
    return found


def _guard(values: Values) -> dict[str, str]:
    root = local_path(values.text("WAREHOUSE") or "")
    return {
        _IO: f"{Files.__module__}.{Files.__qualname__}",
        _LINK_LOCAL: str(values.link_local).lower(),
        _ROOT: str(Path(root).resolve()) if root else "",
    }


def _s3(values: Values) -> dict[str, str]:
    settings = aws.settings(values)
    found = {
        "s3.endpoint": settings["endpoint"],
        "s3.region": settings["region"],
        "s3.access-key-id": settings["access_key_id"],
        "s3.secret-access-key": settings["secret_access_key"],
        "s3.connect-timeout": str(CONNECT_S),
    }
    return found | ({"s3.session-token": settings["session_token"]} if "session_token" in settings else {})


def _rest(
    values: Values, properties: dict[str, str], addresses: Addresses, deadline: float
) -> GuardedRestCatalog:
    url = urlsplit(properties["uri"])
    assert url.hostname is not None, "the option was checked"
    addresses.reachable(url.hostname, url.port or (443 if url.scheme == "https" else 80), deadline)
    catalog = GuardedRestCatalog(_guard(values), **properties)
    addresses.resolve(urlsplit(catalog.uri).hostname or "", 443)  # a server may send its clients elsewhere
    return catalog


def _sql(
    values: Values, properties: dict[str, str], addresses: Addresses, deadline: float
) -> GuardedSqlCatalog:
    url = make_url(properties.pop("uri"))
    if url.drivername == "sqlite":
        url = url.update_query_dict({"timeout": str(SQLITE_LOCK_TIMEOUT_S)})
    else:
        assert url.host is not None, "the option was checked"
        address = addresses.reachable(url.host, url.port or 5432, deadline)
        query = {
            "hostaddr": address,
            "connect_timeout": str(max(2, int(deadline - monotonic()))),
            "passfile": "/dev/null",
        }
        password = properties.pop("credential", None) or ""
        url = url.set(drivername="postgresql+psycopg", password=password).update_query_dict(query)
    properties["uri"] = url.render_as_string(hide_password=False)
    return GuardedSqlCatalog(_guard(values), pool_pre_ping="true", **properties)


def _failure(error: Exception, values: Values) -> ConnectionFailed:
    text = scrubbed(str(error), values.secrets.values())
    refused = isinstance(error, exceptions.UnauthorizedError | exceptions.ForbiddenError) or (
        "password authentication failed" in text
    )
    step = Step.AUTHENTICATION if refused else Step.ANSWER
    where = scrubbed(values.required("URL"), values.secrets.values())
    means = "authentication failed" if refused else "it does not answer as a catalog does"
    return ConnectionFailed(
        step, f'cannot connect to the Iceberg catalog at "{where}": {means}', detail=text or None
    )


def make_namespace(catalog: Catalog, namespace: tuple[str, ...]) -> None:
    """Unless it is there, or somebody makes it meanwhile."""
    try:
        catalog.create_namespace_if_not_exists(namespace)
    except SQLAlchemyError:
        if not catalog.namespace_exists(namespace):
            raise


def table_of(catalog: Catalog, identifier: tuple[str, ...]) -> Table | None:
    """The table as it is now; None: there is none."""
    try:
        return catalog.load_table(identifier)
    except (exceptions.NoSuchTableError, exceptions.NoSuchNamespaceError):
        return None
