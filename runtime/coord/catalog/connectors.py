"""Connectors of sources and sinks as the catalog stores them, and replicas get them: a word, and options by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, assert_never

from ...errors import UndefinedObject
from ...expr.tree.relation import GlobalId
from ...sql.plans.definition_plans import CounterConnector, FileConnector, FileSinkConnector, SinkConnector
from ...storage.sink.delta.options import DeltaSinkOptions
from ...storage.sink.iceberg.options import IcebergSinkOptions
from ...storage.sink.kafka.options import KafkaSinkOptions
from ...storage.sink.postgres.options import PostgresSinkOptions
from ...storage.source.delta.options import DeltaSourceOptions
from ...storage.source.generator.kinds import KINDS
from ...storage.source.generator.options import GeneratorOptions
from ...storage.source.iceberg.options import IcebergSourceOptions
from ...storage.source.kafka.options import KafkaOptions
from ...storage.source.mysql.options import MysqlOptions
from ...storage.source.postgres.options import PostgresOptions
from ...storage.source.s3.options import S3Options

LakeSourceOptions = DeltaSourceOptions | IcebergSourceOptions
SourceConnector = (
    FileConnector | CounterConnector | GeneratorOptions | KafkaOptions | S3Options | LakeSourceOptions
)
SharedConnector = GeneratorOptions | PostgresOptions | MysqlOptions
"""Of sources that are no relations."""
Connector = SourceConnector | SharedConnector | SinkConnector


def connector_word(connector: Connector) -> str:
    match connector:
        case FileConnector() | FileSinkConnector():
            return "file"
        case CounterConnector():
            return "counter"
        case GeneratorOptions(kind=kind):
            return kind
        case KafkaOptions() | KafkaSinkOptions():
            return "kafka"
        case PostgresOptions() | PostgresSinkOptions():
            return "postgres"
        case MysqlOptions():
            return "mysql"
        case IcebergSinkOptions() | IcebergSourceOptions():
            return "iceberg"
        case DeltaSinkOptions() | DeltaSourceOptions():
            return "delta"
        case S3Options():
            return "s3"
        case _:
            assert_never(connector)


def connections_of(connector: Connector) -> tuple[GlobalId, ...]:
    """The ids of the connections that it goes through, which are among what its source or sink uses."""
    of_several = (
        KafkaOptions
        | KafkaSinkOptions
        | PostgresOptions
        | PostgresSinkOptions
        | MysqlOptions
        | IcebergSinkOptions
        | DeltaSinkOptions
        | S3Options
        | LakeSourceOptions
    )
    return connector.connections if isinstance(connector, of_several) else ()


def connector_options(connector: Connector) -> dict[str, Any]:
    """Plain values, which JSON has."""
    if isinstance(connector, KafkaOptions):
        return connector.to_json()
    options = asdict(connector)
    options.pop("kind", None)  # the word says it
    return options


def shared_connector(word: str, options: Mapping[str, Any]) -> SharedConnector:
    """UndefinedObject for one that this version does not know."""
    if word == "postgres":
        return PostgresOptions.from_json(options)
    if word == "mysql":
        return MysqlOptions.from_json(options)
    connector = source_connector(word, options)
    assert isinstance(connector, GeneratorOptions)
    return connector


def sink_connector(word: str, options: Mapping[str, Any]) -> SinkConnector:
    """UndefinedObject for one that this version does not know."""
    match word:
        case "file":
            return FileSinkConnector(**options)
        case "kafka":
            return KafkaSinkOptions.from_json(options)
        case "postgres":
            return PostgresSinkOptions.from_json(options)
        case "iceberg":
            return IcebergSinkOptions.from_json(options)
        case "delta":
            return DeltaSinkOptions.from_json(options)
        case _:
            raise UndefinedObject(
                f'the catalog holds a sink of the unknown connector "{word}"',
                hint="It was written by a newer version: use that one.",
            )


def source_connector(word: str, options: Mapping[str, Any]) -> SourceConnector:
    """UndefinedObject for one that this version does not know."""
    match word:
        case "file":
            return FileConnector(**options)
        case "counter":
            return CounterConnector(**options)
        case "kafka":
            return KafkaOptions.from_json(options)
        case "s3":
            return S3Options.from_json(options)
        case "delta":
            return DeltaSourceOptions.from_json(options)
        case "iceberg":
            return IcebergSourceOptions.from_json(options)
        case _ if word in KINDS:
            return GeneratorOptions(word, **options)
        case _:
            raise UndefinedObject(
                f'the catalog holds a source of the unknown connector "{word}"',
                hint="It was written by a newer version: use that one.",
            )
