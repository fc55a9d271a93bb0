"""The subjects of a sink's topic: what its schemas are registered under, before the first message that has one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ....repr.schema import Schema
from ...connections.failures import ConnectionFailed
from ...formats.registry import Registry
from ..change_records import SinkEnvelope
from ..contract import SinkStalled
from .options import AvroOptions, KafkaSinkOptions, key_schema, value_schema


@dataclass(frozen=True, slots=True)
class SchemaIds:
    """Those that a registry knows the schemas by; None of what is in another format."""

    key: int | None = None
    value: int | None = None


def registered(
    options: KafkaSinkOptions,
    schema: Schema,
    envelope: SinkEnvelope,
    key: Sequence[int],
    registries: Mapping[str, Registry],
) -> SchemaIds:
    """Once more gives the same.  `registries` are those of the options' connections.  Raises SinkStalled and SchemaRefused."""

    def id_(part: str, text: str | None, avro: AvroOptions | None) -> int | None:
        if text is None or avro is None:
            return None
        subject, registry = f"{options.topic}-{part}", registries[avro.connection]
        try:
            if avro.compatibility is not None:
                _ensure_level(registry, subject, avro.compatibility)
            return registry.register(subject, text)
        except ConnectionFailed as error:
            raise SinkStalled(
                f'cannot register the schema of subject "{subject}": {error.message}',
                sqlstate=error.sqlstate,
                detail=error.detail,
                hint=error.hint,
            ) from None

    return SchemaIds(
        id_("key", key_schema(options, schema, key), options.key_avro),
        id_("value", value_schema(options, schema, envelope), options.value_avro),
    )


def _ensure_level(registry: Registry, subject: str, wanted: str) -> None:
    """Sets the level where there is none.  Another one may be somebody's will: it is not changed."""
    found = registry.compatibility(subject)
    if found is None:
        registry.set_compatibility(subject, wanted)
    elif found != wanted:
        raise SinkStalled(
            f'subject "{subject}" has compatibility level {found}, and the sink asks for {wanted}',
            sqlstate="55000",
            hint="Change it in the registry, or create the sink without it.",
        )
