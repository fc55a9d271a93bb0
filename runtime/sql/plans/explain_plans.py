"""Planned statements that explain others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ...expr.tree.relation import Finishing, GlobalId, Relation
from ...storage.row_filter import RowFilter
from ..syntax.vocabulary import ExplainFormat, ExplainStage
from .query_plans import Reads, Select

BindCondition = Callable[[str], RowFilter]
"""What the text of a condition means; raises PtvcError for what is none of a source."""


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


@dataclass(frozen=True, slots=True)
class ExplainSource:
    """What is needed of a source, or of a table of one: the readers that are there, and the rows as they are now.  `bind` makes a
    condition of its text, over the columns that it shows."""

    source: GlobalId
    reads: Reads
    bind: BindCondition


Explanation = Explain | ExplainTimestamp | ExplainPushdown | ExplainAnalyze | ExplainSource
