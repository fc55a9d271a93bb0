"""What FORMAT AVRO of a sink says of keys and values: the registry, names of records, and what schemas are to be like."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ....errors import InvalidParameter, PtvcError, SqlSyntaxError
from ....storage.connections.options import ConnectionKind
from ....storage.sink.kafka.options import COMPATIBILITIES, AvroOptions
from ...catalog.catalog_view import CatalogItem
from ...query.planner import Planner
from ...syntax.sink_statements import KafkaSinkClause, RegistryOption, SinkFormat
from .message_schemas import KEY, VALUE, connection_of

_NAMES = {KEY: "row", VALUE: "envelope"}
"""Of records that are given none, as in Materialize."""
_NULL_DEFAULTS = "NULL DEFAULTS"


def avro_options(
    planner: Planner, clause: KafkaSinkClause, item: CatalogItem, key: Sequence[int], headers: int | None
) -> tuple[AvroOptions | None, AvroOptions | None]:
    """Of keys and of values; None of what is not in Avro, or not there."""
    own = clause.key_format
    parts = (VALUE,) if own is not None or not key else (KEY, VALUE)
    values = [position for position in range(len(item.schema)) if position != headers]
    of_values = _avro(planner, clause.format, VALUE, parts, item, values)
    if not key:
        return None, of_values
    return _avro(
        planner, own or clause.format, KEY, (KEY,) if own is not None else parts, item, key
    ), of_values


def _avro(
    planner: Planner,
    format_: SinkFormat,
    part: str,
    parts: Sequence[str],
    item: CatalogItem,
    columns: Iterable[int],
) -> AvroOptions | None:
    """Of one of the `parts` that the clause is about."""
    if format_.registry is None:
        return None
    registry = connection_of(planner, format_.registry, ConnectionKind.CONFLUENT_SCHEMA_REGISTRY)
    name_option, level_option = f"AVRO {part.upper()} FULLNAME", f"{part.upper()} COMPATIBILITY LEVEL"
    given = _given(format_, parts)
    level = _level(given[level_option]) if level_option in given else None
    return AvroOptions(
        registry.id,
        _text(given[name_option]) if name_option in given else _NAMES[part],
        level,
        _truth(given[_NULL_DEFAULTS]) if _NULL_DEFAULTS in given else False,
        tuple(position for position in columns if not item.schema[position].nullable),
    )


def _given(format_: SinkFormat, parts: Sequence[str]) -> dict[str, RegistryOption]:
    given: dict[str, RegistryOption] = {}
    for option in format_.options:
        if option.name != _NULL_DEFAULTS and not any(part.upper() in option.name.split() for part in parts):
            raise SqlSyntaxError(
                f"option {option.name} is of something that this FORMAT AVRO does not write",
                hint="It writes "
                + (
                    "keys and values."
                    if len(parts) > 1
                    else f"{parts[0]}s; KEY (...) and KEY FORMAT say of what keys are."
                ),
                position=option.position,
            )
        given[option.name] = option
    return given


def _level(option: RegistryOption) -> str:
    level = _text(option).upper()
    if level not in COMPATIBILITIES:
        raise _wrong(option, f"it is one of {', '.join(COMPATIBILITIES)}")
    return level


def _text(option: RegistryOption) -> str:
    if not isinstance(option.value, str):
        raise _wrong(option, "it takes a text")
    return option.value


def _truth(option: RegistryOption) -> bool:
    if not isinstance(option.value, bool):
        raise _wrong(option, "it takes true or false")
    return option.value


def _wrong(option: RegistryOption, why: str) -> PtvcError:
    return InvalidParameter(f"option {option.name}: {why}", position=option.position)
