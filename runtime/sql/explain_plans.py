"""Planned statements that explain others."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from ..expr.relation import Finishing, GlobalId, Relation
from .query_plans import Reads, Select


class ExplainStage(enum.Enum):
    RAW = "raw"
    DECORRELATED = "decorrelated"
    OPTIMIZED = "optimized"
    PHYSICAL = "physical"


class ExplainFormat(enum.Enum):
    TEXT = "text"
    JSON = "json"


@dataclass(frozen=True, slots=True)
class Explain:
    """EXPLAIN PLAN of a query, which is optimized unless the stage is earlier, or of the definition of `object`."""

    stage: ExplainStage
    relation: Relation | None
    finishing: Finishing | None
    object: GlobalId | None
    format: ExplainFormat
    reads: Reads = frozenset()


@dataclass(frozen=True, slots=True)
class ExplainTimestamp:
    query: Select
    format: ExplainFormat


@dataclass(frozen=True, slots=True)
class ExplainPushdown:
    """Of a query's relation, or of an object's."""

    relation: Relation | None
    object: GlobalId | None
    reads: Reads = frozenset()


@dataclass(frozen=True, slots=True)
class ExplainAnalyze:
    """Of a query, which is run, or of a maintained object; `measures` are cpu, memory, hydration, or none for all."""

    query: Select | None
    object: GlobalId | None
    measures: tuple[str, ...]
    format: ExplainFormat
