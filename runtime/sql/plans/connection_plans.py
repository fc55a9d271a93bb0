"""Planned statements about secrets and connections."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ...expr.tree.relation import GlobalId
from ...storage.connections.options import ConnectionOptions, Value
from ..catalog.catalog_view import QualifiedName


@dataclass(frozen=True, slots=True)
class CreateSecret:
    """`value` is what is to be encrypted; it goes no further than to where it is."""

    name: QualifiedName
    value: bytes = field(repr=False)
    if_not_exists: bool


@dataclass(frozen=True, slots=True)
class AlterSecret:
    id: GlobalId
    value: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class CreateConnection:
    """`validate`: it is tried before it is made."""

    name: QualifiedName
    options: ConnectionOptions
    validate: bool
    if_not_exists: bool


@dataclass(frozen=True, slots=True)
class AlterConnection:
    """`set` are options with their new values, `reset` those that go; `validate` None: as its kind has it."""

    id: GlobalId
    set: Mapping[str, Value]
    reset: tuple[str, ...]
    validate: bool | None

    @property
    def secrets(self) -> tuple[GlobalId, ...]:
        """Those that the new values refer to."""
        return ConnectionOptions.secrets_of(self.set)


@dataclass(frozen=True, slots=True)
class ValidateConnection:
    id: GlobalId
