"""The syntax tree of statements about functions: CREATE, DROP, ALTER and COMMENT ON FUNCTION."""

from __future__ import annotations

from dataclasses import dataclass

from .ast import Name, TypeName
from .function_definition import ExternalOptions, FunctionKind, Parallel, Volatility
from .role_statements import RoleSpec


@dataclass(frozen=True, slots=True)
class ArgumentDefinition:
    """`default` is the text of an expression, which begins at the 0-based offset `start` of the statement's text."""

    name: str | None
    type: TypeName
    default: str | None
    position: int
    start: int = 0


@dataclass(frozen=True, slots=True)
class CreateFunctionStatement:
    """`offset` is where the body begins in the text that was sent; None where its characters are not those that were written."""

    name: Name
    kind: FunctionKind
    arguments: tuple[ArgumentDefinition, ...]
    returns: TypeName
    body: str
    offset: int | None
    returned: bool
    strict: bool
    volatility: Volatility
    parallel: Parallel
    or_replace: bool
    external: ExternalOptions | None = None


@dataclass(frozen=True, slots=True)
class FunctionReference:
    """A function by name, and by the types of its arguments unless it is the only one of that name; `kind` None: whichever it
    is."""

    name: Name
    kind: FunctionKind | None
    types: tuple[TypeName, ...] | None


@dataclass(frozen=True, slots=True)
class DropFunctionStatement:
    functions: tuple[FunctionReference, ...]
    if_exists: bool
    cascade: bool


@dataclass(frozen=True, slots=True)
class AlterFunctionStatement:
    """One of RENAME TO, OWNER TO and SET SCHEMA."""

    function: FunctionReference
    new_name: str | None = None
    owner: RoleSpec | None = None
    schema: str | None = None


@dataclass(frozen=True, slots=True)
class CommentFunctionStatement:
    function: FunctionReference
    text: str | None


FunctionStatement = (
    CreateFunctionStatement | DropFunctionStatement | AlterFunctionStatement | CommentFunctionStatement
)
