"""WEBHOOK: what a source that is posted to takes of a request, and who may post.

```
request ── check: over headers, body, secrets ── rows: body [, headers] [, a column for each included header]
```

The source has no position and no replica: the coordinator writes what it is given, and answers when that is durable
(`coord/webhooks`).
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ...expr.tree.codec import scalar_from_json, scalar_to_json
from ...expr.tree.relation import GlobalId
from ...expr.tree.scalar import Scalar
from ...repr.schema import Column, Schema
from ...repr.types import BYTEA, JSONB, TEXT, ScalarType, map_of
from ..row_filter import RowFilter, where_from_json

Json = dict[str, Any]

BODY, HEADERS = "body", "headers"
"""Names of the columns."""


class BodyFormat(enum.Enum):
    JSON = "json"
    TEXT = "text"
    BYTES = "bytes"

    @property
    def type(self) -> ScalarType:
        match self:
            case BodyFormat.JSON:
                return JSONB
            case BodyFormat.TEXT:
                return TEXT
            case BodyFormat.BYTES:
                return BYTEA


@dataclass(frozen=True, slots=True)
class HeaderFilter:
    """Which headers are in the map of headers: those of `only`, if there are any, without those of `but`."""

    only: tuple[str, ...] = ()
    but: tuple[str, ...] = ()

    def takes(self, name: str) -> bool:
        return name not in self.but and (not self.only or name in self.only)


@dataclass(frozen=True, slots=True)
class HeaderColumn:
    """A header that has a column of its own: NULL where a request has none of that name."""

    header: str
    column: str
    binary: bool = False


class InputKind(enum.Enum):
    HEADERS = "headers"
    BODY = "body"
    SECRET = "secret"


@dataclass(frozen=True, slots=True)
class CheckInput:
    """What the check's expression knows under `name`, as bytea where it is `binary`; `secret` is the id of one."""

    kind: InputKind
    name: str
    binary: bool = False
    secret: GlobalId | None = None

    @property
    def type(self) -> ScalarType:
        value = BYTEA if self.binary else TEXT
        return map_of(value) if self.kind is InputKind.HEADERS else value


@dataclass(frozen=True, slots=True)
class Check:
    """A request is taken where `predicate`, over the inputs in their order, is true; `text` is how it was written."""

    inputs: tuple[CheckInput, ...]
    predicate: Scalar
    text: str

    @property
    def secrets(self) -> tuple[GlobalId, ...]:
        return tuple(dict.fromkeys(i.secret for i in self.inputs if i.secret is not None))


@dataclass(frozen=True, slots=True)
class WebhookOptions:
    """`array`: each element of a body that is an array is a row.  `headers` is None where they are no column.  Of the header
    `key_header` a value that was seen before is written no second time.  Of the rows those are
    written that `where` keeps."""

    format: BodyFormat
    array: bool = False
    headers: HeaderFilter | None = None
    columns: tuple[HeaderColumn, ...] = ()
    check: Check | None = None
    key_header: str | None = None
    where: RowFilter | None = None

    @property
    def schema(self) -> Schema:
        return Schema(tuple(self._columns()))

    def _columns(self) -> Iterator[Column]:
        yield Column(BODY, self.format.type, nullable=False)
        if self.headers is not None:
            yield Column(HEADERS, map_of(TEXT), nullable=False)
        for header in self.columns:
            yield Column(header.column, BYTEA if header.binary else TEXT)

    def to_json(self) -> Json:
        """What is not set is left out."""
        value: Json = {"format": self.format.value}
        if self.array:
            value["array"] = True
        if self.headers is not None:
            value["headers"] = {"only": list(self.headers.only), "but": list(self.headers.but)}
        if self.columns:
            value["columns"] = [[c.header, c.column, c.binary] for c in self.columns]
        if self.check is not None:
            inputs = [[i.kind.value, i.name, i.binary, i.secret] for i in self.check.inputs]
            predicate = scalar_to_json(self.check.predicate)
            value["check"] = {"inputs": inputs, "predicate": predicate, "text": self.check.text}
        if self.key_header is not None:
            value["key_header"] = self.key_header
        if self.where is not None:
            value["where"] = self.where.to_json()
        return value

    @classmethod
    def from_json(cls, value: Json) -> WebhookOptions:
        headers, check = value.get("headers"), value.get("check")
        return cls(
            BodyFormat(value["format"]),
            value.get("array", False),
            None if headers is None else HeaderFilter(tuple(headers["only"]), tuple(headers["but"])),
            tuple(HeaderColumn(*column) for column in value.get("columns", ())),
            None if check is None else _check_from_json(check),
            value.get("key_header"),
            where_from_json(value.get("where")),
        )


def _check_from_json(value: Json) -> Check:
    inputs = tuple(CheckInput(InputKind(kind), *rest) for kind, *rest in value["inputs"])
    return Check(inputs, scalar_from_json(value["predicate"]), value["text"])
