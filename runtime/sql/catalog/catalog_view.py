"""What planning knows: the catalog as it sees it, and the session's context."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ...expr.tree.relation import GlobalId, Relation
from ...expr.tree.scalar import Scalar
from ...repr.schema import Schema
from ...repr.types import ScalarType
from ...storage.connections.options import ConnectionKind
from ...storage.source.upstream_tables import UpstreamOptions
from ..syntax.constraints import Constraint
from ..syntax.function_definition import FunctionDefinition
from .privilege_view import PrivilegeView


class ItemKind(enum.Enum):
    TABLE = "table"
    VIEW = "view"
    MATERIALIZED_VIEW = "materialized-view"
    SOURCE = "source"
    SINK = "sink"
    INDEX = "index"
    TYPE = "type"  # a name for a list or a map, found among types only
    SECRET = "secret"  # secrets, and connections, are found among their like only
    CONNECTION = "connection"
    FUNCTION = "function"  # found by its name and its arguments, not among the relations
    SYSTEM = "system"  # a relation of pg_catalog, information_schema, mz_catalog or mz_internal

    @property
    def is_relation(self) -> bool:
        """Whether it shares its names with tables; the others are found among their like only."""
        return self not in (ItemKind.TYPE, ItemKind.FUNCTION, ItemKind.SECRET, ItemKind.CONNECTION)


@dataclass(frozen=True, slots=True)
class QualifiedName:
    """A full name; `database` is always `ptvc` today.  Temporary objects live in schema `pg_temp_<n>`."""

    database: str
    schema: str
    name: str

    def __str__(self) -> str:
        return f"{self.schema}.{self.name}"


@dataclass(frozen=True, slots=True)
class CatalogItem:
    """What planning needs to know of an object.  `definition` is a view's relation, inlined where it is used.

    `defaults` has one entry per column of a table: the expression of its DEFAULT, or None.  `constraints` are a
    table's.  Where columns of a table have been dropped, `layout` says where those that are left are stored, and
    `definition` projects them.  A type's schema has one column, of what its name stands for.  `connects` is the kind of a
    connection.  `source` writes the table, and nobody else, which may be that of its `dead_letters`; `offers` are the tables that can be made from a source,
    but for those that `upstream` has.  One without columns has no rows of its own.
    """

    id: GlobalId
    name: QualifiedName
    kind: ItemKind
    schema: Schema
    definition: Relation | None = None
    defaults: tuple[Scalar | None, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    layout: tuple[int, ...] = ()
    function: FunctionDefinition | None = None
    connects: ConnectionKind | None = None
    source: GlobalId | None = None
    dead_letters: bool = False
    offers: Mapping[str, Schema] | None = None
    upstream: UpstreamOptions | None = None

    @property
    def is_relation(self) -> bool:
        """Whether it has rows, if it is of a kind that may: a source may be no relation itself."""
        return self.kind is not ItemKind.SOURCE or len(self.schema) > 0

    @property
    def written(self) -> bool:
        """Whether it has the rows that statements write."""
        return self.kind is ItemKind.TABLE and self.source is None

    @property
    def named_type(self) -> ScalarType:
        """What a type's name stands for."""
        return self.schema[0].type

    def stored_position(self, index: int) -> int:
        """Where a table's column stands among those that are stored."""
        return self.layout[index] if self.layout else index

    def shown_position(self, place: int) -> int:
        """Which column is stored there: the inverse of `stored_position`."""
        return self.layout.index(place) if self.layout else place

    @property
    def shape(self) -> tuple[Schema, tuple[Constraint, ...]]:
        """What a write depends on of a table's definition."""
        return self.schema, self.constraints


class CatalogView(Protocol):
    """The catalog as planning sees it: one consistent version."""

    def schema_exists(self, schema: str) -> bool: ...

    def item(self, schema: str, name: str) -> CatalogItem | None:
        """The object of that exact name.  Relations and indexes share one name space per schema, and types have none of
        their names."""

    def type(self, schema: str, name: str) -> CatalogItem | None:
        """The type of that exact name that was created."""

    def all_types(self) -> Sequence[CatalogItem]: ...

    def of_kind(self, kind: ItemKind, schema: str, name: str) -> CatalogItem | None:
        """The secret or the connection of that exact name: each of the two has names of its own."""

    def functions(self, name: str) -> Sequence[CatalogItem]:
        """The functions of that name that were created, in all schemas, in order of creation."""

    def all_functions(self) -> Sequence[CatalogItem]: ...

    def item_by_id(self, id: GlobalId) -> CatalogItem: ...

    def items(self) -> Mapping[GlobalId, CatalogItem]: ...

    def oid(self, id: GlobalId) -> int:
        """The object's OID in pg_catalog."""

    def schema_oids(self) -> Mapping[str, int]: ...

    def clusters(self) -> tuple[str, ...]: ...

    def role_oids(self) -> Mapping[str, int]:
        """OIDs of roles by name."""


@dataclass(frozen=True, slots=True)
class PlanContext:
    """What of the session a plan depends on.  `now_us` is the transaction's time, microseconds since 1970 UTC, `statement_us`
    (None: the same) the statement's; `zone` the
    session's time zone; `prepared` are its prepared statements, `cursors` what its cursors show; `pid` is what other sessions
    know it by.

    `user` is the current role's name, `session_user` (None: the same) who has connected; `hidden` are schemas that the role
    may not use: nothing is found in them.  `role` is the current role itself, where `user` is only a name for it; `privileges`
    (None: everything is allowed) answers for all.
    """

    catalog: CatalogView
    search_path: tuple[str, ...]
    database: str
    user: str
    cluster: str
    now_us: int
    temp_schema: str
    settings: Mapping[str, str]
    zone: str = "UTC"
    prepared: Mapping[str, Prepared] = field(default_factory=dict)
    cursors: Mapping[str, Schema] = field(default_factory=dict)
    session_user: str | None = None
    hidden: frozenset[str] = frozenset()
    role: str | None = None
    privileges: PrivilegeView | None = None
    pid: int = 0
    statement_us: int | None = None

    def hold_once(self) -> None:
        """Called while planning by what makes the plan valid for one execution only: the cache does not keep it."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A statement that was parsed and described, its parameters still open.

    `parameter_types` are inferred where the client left them unspecified; `schema` is the shape of its rows, or None
    for a statement that returns none.  `text` is the PREPARE that made it, at the time `prepared_us`.
    `late`: another statement or cursor may have come under the name that it uses, so its rows are described when it is bound.
    """

    sql: str
    parameter_types: tuple[ScalarType, ...]
    schema: Schema | None
    text: str | None = None
    prepared_us: int = 0
    late: bool = False
