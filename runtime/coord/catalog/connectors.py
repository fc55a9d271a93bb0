"""Connectors of sources and sinks as the catalog stores them, and replicas get them: a word, and options by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, assert_never

from ...sql.plans.definition_plans import CounterConnector, FileConnector, FileSinkConnector

Connector = FileConnector | CounterConnector | FileSinkConnector

_FILE, _COUNTER = "file", "counter"


def connector_word(connector: Connector) -> str:
    match connector:
        case FileConnector() | FileSinkConnector():
            return _FILE
        case CounterConnector():
            return _COUNTER
        case _:
            assert_never(connector)


def connector_options(connector: Connector) -> dict[str, Any]:
    return asdict(connector)


def source_connector(word: str, options: Mapping[str, Any]) -> FileConnector | CounterConnector:
    return CounterConnector(**options) if word == _COUNTER else FileConnector(**options)
