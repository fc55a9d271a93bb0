"""The syntax tree of secrets and connections: CREATE, ALTER, VALIDATE.

What a secret is made of is in none of the trees' texts (`repr`).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ...storage.connections.options import ConnectionKind
from .ast import Expression, Name
from .query_statements import ObjectName


@dataclass(frozen=True, slots=True)
class CreateSecretStatement:
    name: ObjectName
    value: Expression = field(repr=False)
    if_not_exists: bool


@dataclass(frozen=True, slots=True)
class AlterSecretStatement:
    """ALTER SECRET ... AS: another value under the same name."""

    name: ObjectName
    value: Expression = field(repr=False)
    if_exists: bool


@dataclass(frozen=True, slots=True)
class ConnectionOption:
    """`value` is a text, several, or the name of a secret; None: the statement says the option's name only."""

    name: str
    value: str | tuple[str, ...] | Name | None = field(repr=False)
    position: int


@dataclass(frozen=True, slots=True)
class CreateConnectionStatement:
    """`validate` None: as the kind of connection has it."""

    name: ObjectName
    kind: ConnectionKind
    options: tuple[ConnectionOption, ...]
    validate: bool | None
    if_not_exists: bool


@dataclass(frozen=True, slots=True)
class AlterConnectionStatement:
    """`set` are options that get another value, `reset` those that are taken away."""

    name: ObjectName
    set: tuple[ConnectionOption, ...]
    reset: tuple[ConnectionOption, ...]
    validate: bool | None
    if_exists: bool


@dataclass(frozen=True, slots=True)
class ValidateConnectionStatement:
    name: ObjectName


SecretStatement = CreateSecretStatement | AlterSecretStatement
"""Statements that hold the value of a secret: nothing keeps or shows their text."""

ConnectionStatement = (
    SecretStatement | CreateConnectionStatement | AlterConnectionStatement | ValidateConnectionStatement
)
