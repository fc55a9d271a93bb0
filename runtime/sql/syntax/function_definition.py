"""A function that is defined in SQL, Python or JavaScript: its signature, and its body as it was written.

A body in SQL is planned anew where the function is called, with the names that the caller's search path finds, as PostgreSQL
does with a body that is a string.  So a definition holds no plan, and depends on no other object.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from ...expr.coercion.type_rules import base_name
from ...expr.tree.external_function import DEFAULT_TIMEOUT_MS
from ...repr.schema import type_from_json, type_to_json
from ...repr.types import ScalarType


class FunctionKind(enum.Enum):
    """As in pg_proc.prokind."""

    FUNCTION = "f"
    AGGREGATE = "a"


class Volatility(enum.Enum):
    """As in pg_proc.provolatile.  Of functions in SQL nothing depends on it: what a body may hold does not.  Of the
    others only immutable ones are maintained."""

    IMMUTABLE = "i"
    STABLE = "s"
    VOLATILE = "v"


class Parallel(enum.Enum):
    """As in pg_proc.proparallel."""

    SAFE = "s"
    RESTRICTED = "r"
    UNSAFE = "u"


@dataclass(frozen=True, slots=True)
class FunctionArgument:
    """`name` None: it is known by its number only.  `type` is without length or precision, which mean nothing here, as in
    PostgreSQL; `default` is the text of an expression."""

    name: str | None
    type: ScalarType
    default: str | None = None


@dataclass(frozen=True, slots=True)
class ExternalOptions:
    """What CREATE FUNCTION says beside the source in a language other than SQL.  Of Python only are `handler`, None where it
    has the function's name, and the packages and the version, which were there when the function was created."""

    language: str
    handler: str | None = None
    runtime_version: str | None = None
    packages: tuple[str, ...] = ()
    timeout_ms: int = DEFAULT_TIMEOUT_MS


@dataclass(frozen=True, slots=True)
class FunctionDefinition:
    """`body` is the text of a SELECT, of an aggregate an expression over aggregates; with `returned` of the expression
    behind RETURN; with `external` it is the source.  `strict`: NULL where an argument is; an aggregate passes over such rows."""

    arguments: tuple[FunctionArgument, ...]
    returns: ScalarType
    body: str
    kind: FunctionKind = FunctionKind.FUNCTION
    returned: bool = False
    strict: bool = False
    volatility: Volatility = Volatility.VOLATILE
    parallel: Parallel = Parallel.UNSAFE
    external: ExternalOptions | None = None

    @property
    def language(self) -> str:
        return "sql" if self.external is None else self.external.language

    @property
    def types(self) -> tuple[ScalarType, ...]:
        """What tells the function from others of its name."""
        return tuple(argument.type for argument in self.arguments)

    @property
    def parameters(self) -> tuple[str, ...]:
        """The arguments' names, `$1` for the first if it has none."""
        return tuple(a.name or f"${number}" for number, a in enumerate(self.arguments, 1))

    @property
    def least(self) -> int:
        """How many arguments a call has to give."""
        return sum(argument.default is None for argument in self.arguments)

    def signature(self, name: str, separator: str = ",") -> str:
        """`name(integer,text)`"""
        return f"{name}({separator.join(map(base_name, self.types))})"

    def means_the_same(self, other: FunctionDefinition) -> bool:
        """Whether whatever has been planned with the other one holds for this one."""
        return self._meaning() == other._meaning()

    def _meaning(self) -> FunctionDefinition:
        """Views over functions that are not in SQL rely on their volatility."""
        if self.external is not None:
            external = replace(self.external, runtime_version=None, packages=())
            return replace(self, parallel=Parallel.UNSAFE, external=external)
        return replace(self, volatility=Volatility.VOLATILE, parallel=Parallel.UNSAFE)

    def to_json(self) -> dict[str, Any]:
        found = {
            "arguments": [
                {"name": argument.name, "type": type_to_json(argument.type), "default": argument.default}
                for argument in self.arguments
            ],
            "returns": type_to_json(self.returns),
            "body": self.body,
            "kind": self.kind.value,
            "returned": self.returned,
            "strict": self.strict,
            "volatility": self.volatility.value,
            "parallel": self.parallel.value,
        }
        return found if self.external is None else found | {"external": asdict(self.external)}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> FunctionDefinition:
        return cls(
            arguments=tuple(
                FunctionArgument(v["name"], type_from_json(v["type"]), v["default"])
                for v in value["arguments"]
            ),
            returns=type_from_json(value["returns"]),
            body=value["body"],
            kind=FunctionKind(value["kind"]),
            returned=value["returned"],
            strict=value["strict"],
            volatility=Volatility(value["volatility"]),
            parallel=Parallel(value["parallel"]),
            external=_external_from_json(value),
        )


def _external_from_json(definition: Mapping[str, Any]) -> ExternalOptions | None:
    """Before there was another language, the key was `python`."""
    value = definition.get("external", definition.get("python"))
    if value is None:
        return None
    return ExternalOptions(
        value.get("language", "python"),
        value["handler"],
        value["runtime_version"],
        tuple(value["packages"]),
        value["timeout_ms"],
    )
