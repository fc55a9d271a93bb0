"""The schemas of a registry: one by its id, or the latest of a subject, with those that they refer to; and new ones of a subject.

What an id stands for never changes, so it is asked for once.  A registry that does not answer, or answers with something else, raises:
its reader or writer stalls.  That there is no such id is an answer too.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from time import monotonic
from typing import Any
from urllib.parse import quote
from uuid import UUID

from ...errors import PtvcError, UndefinedObject
from ..connections.addresses import Addresses
from ..connections.failures import ConnectionFailed, Step, scrubbed
from ..connections.schema_registry import Request, ask, check_status, settings
from ..connections.values import Values
from .schemas import AVRO, SchemaText

_NO_SUBJECT, _NO_VERSION, _NO_SCHEMA = 40401, 40402, 40403
_NO_LEVEL = 40408
_CONFLICT, _UNPROCESSABLE = 409, 422
_MOST_REFERENCES = 1000
_SECONDS = 10.0
_HINT = "Write to another topic, or have the registry allow it by the subject's compatibility level."


class SchemaRefused(PtvcError):
    """A registry does not take a schema: the subject's earlier ones are of another shape, or it does not understand it."""

    sqlstate = "55000"


@dataclass(frozen=True, slots=True)
class Registered:
    """A version of a subject."""

    id: int
    schema: SchemaText


class Registry:
    """Not thread-safe."""

    def __init__(self, values: Values, *, seconds: float = _SECONDS) -> None:
        self._values = values
        self._addresses = Addresses(link_local=values.link_local)
        self._seconds = seconds
        self._known: dict[int | UUID, SchemaText] = {}
        self._what = f"the schema registry at {settings(values).where}"

    def schema(self, id_: int | UUID) -> SchemaText | None:
        """None: there is no schema of this id, or GUID.  Raises ConnectionFailed."""
        if (known := self._known.get(id_)) is not None:
            return known
        deadline = monotonic() + self._seconds
        path = f"/schemas/{'guids' if isinstance(id_, UUID) else 'ids'}/{id_}"
        answer = self._ask(Request(path), deadline, absent=(_NO_SCHEMA,))
        if answer is None:
            return None
        found = self._known[id_] = self._complete(answer, deadline)
        return found

    def latest(self, subject: str) -> Registered:
        """UndefinedObject when there is no such subject."""
        deadline = monotonic() + self._seconds
        request = Request(f"/subjects/{quote(subject, safe='')}/versions/latest")
        answer = self._ask(request, deadline, absent=(_NO_SUBJECT, _NO_VERSION))
        if answer is None:
            raise UndefinedObject(
                f'{self._what} has no subject "{subject}"',
                hint="A subject is there once a schema was registered; STRATEGY ID or INLINE need none.",
            )
        id_ = answer.get("id")
        if not isinstance(id_, int):
            raise self._odd("a version of a subject without an id")
        found = self._known[id_] = self._complete(answer, deadline)
        return Registered(id_, found)

    def register(self, subject: str, schema: str) -> int:
        """The id of an Avro schema, as a version of the subject; one that is there keeps its id.  Raises SchemaRefused."""
        path = f"/subjects/{quote(subject, safe='')}/versions"
        what = f'the schema of subject "{subject}"'
        answer = self._ask(
            Request(path, "POST", {"schema": schema}), monotonic() + self._seconds, refuses=what
        )
        id_ = None if answer is None else answer.get("id")
        if not isinstance(id_, int):
            raise self._odd("a schema without an id")
        return id_

    def compatibility(self, subject: str) -> str | None:
        """The level that is set for the subject itself."""
        path = f"/config/{quote(subject, safe='')}"
        absent = (_NO_SUBJECT, _NO_LEVEL)
        answer = self._ask(Request(path), monotonic() + self._seconds, absent=absent)
        if answer is None:
            return None
        level = answer.get("compatibilityLevel")
        if not isinstance(level, str):
            raise self._odd("a compatibility without a level")
        return level

    def set_compatibility(self, subject: str, level: str) -> None:
        """Raises SchemaRefused for a level that the registry does not know."""
        request = Request(f"/config/{quote(subject, safe='')}", "PUT", {"compatibility": level})
        what = f'compatibility level {level} of subject "{subject}"'
        self._ask(request, monotonic() + self._seconds, refuses=what)

    def _complete(self, answer: dict[str, Any], deadline: float) -> SchemaText:
        texts: dict[tuple[str, int], str] = {}
        self._gather(answer, texts, frozenset(), deadline)
        return SchemaText(self._text(answer), tuple(texts.values()), str(answer.get("schemaType") or AVRO))

    def _gather(
        self,
        answer: dict[str, Any],
        texts: dict[tuple[str, int], str],
        above: frozenset[tuple[str, int]],
        deadline: float,
    ) -> None:
        """Adds what the schema refers to, each behind what it refers to itself."""
        for reference in answer.get("references") or ():
            subject, version = reference.get("subject"), reference.get("version")
            if not isinstance(subject, str) or not isinstance(version, int):
                raise self._odd("a reference without a subject or a version")
            named = (subject, version)
            if named in texts:
                continue
            if named in above or len(texts) + len(above) >= _MOST_REFERENCES:
                raise self._odd("schemas that refer to each other without an end")
            path = f"/subjects/{quote(subject, safe='')}/versions/{version}"
            found = self._ask(Request(path), deadline)
            assert found is not None, "what has to be there is there, or raises"
            self._gather(found, texts, above | {named}, deadline)
            texts[named] = self._text(found)

    def _text(self, answer: dict[str, Any]) -> str:
        text = answer.get("schema")
        if not isinstance(text, str):
            raise self._odd("something without a schema")
        return text

    def _ask(
        self, request: Request, deadline: float, *, absent: tuple[int, ...] = (), refuses: str | None = None
    ) -> dict[str, Any] | None:
        """The object that it answers with; None if it says that there is none, in its own words and not a proxy's.  SchemaRefused
        says that it `refuses` something, in its own words, too."""
        status, body = ask(self._values, self._addresses, request, deadline)
        try:
            answer = json.loads(body)
        except (ValueError, RecursionError):
            answer = None
        if status == 404 and isinstance(answer, dict) and answer.get("error_code") in absent:
            return None
        if refuses is not None and status in (_CONFLICT, _UNPROCESSABLE):
            words = str(answer.get("message") if isinstance(answer, dict) else answer)
            raise SchemaRefused(
                f"{self._what} refuses {refuses}: {scrubbed(words, self._values.secrets.values())}",
                hint=_HINT if status == _CONFLICT else None,
            )
        check_status(status, f"{self._what} was asked for {request.path}")
        if not isinstance(answer, dict):
            raise self._odd("something that is no object of JSON")
        return answer

    def _odd(self, what: str) -> ConnectionFailed:
        return ConnectionFailed(Step.ANSWER, f"{self._what} answers with {what}")
