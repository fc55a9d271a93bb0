"""Words that statements and plans have in common: kinds of objects, formats, directions."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class CopyFormat(enum.Enum):
    TEXT = "text"
    CSV = "csv"
    BINARY = "binary"
    PARQUET = "parquet"

    @property
    def is_text(self) -> bool:
        """Whether the data is lines, rather than bytes that clients must leave alone."""
        return self in (CopyFormat.TEXT, CopyFormat.CSV)


@dataclass(frozen=True, slots=True)
class CopyOptions:
    format: CopyFormat
    delimiter: str
    null: str
    header: bool
    quote: str = '"'
    escape: str = '"'
    force_quote: bool = False
    """Of csv that is sent: every value but NULL is quoted."""


class Discarded(enum.Enum):
    """What DISCARD may name."""

    ALL = "ALL"
    TEMP = "TEMP"
    PLANS = "PLANS"
    SEQUENCES = "SEQUENCES"


class ObjectKind(enum.Enum):
    """What DROP, ALTER and COMMENT may name, as the statement spells it."""

    TABLE = "TABLE"
    VIEW = "VIEW"
    MATERIALIZED_VIEW = "MATERIALIZED VIEW"
    SOURCE = "SOURCE"
    SINK = "SINK"
    INDEX = "INDEX"
    SCHEMA = "SCHEMA"
    CLUSTER = "CLUSTER"
    COLUMN = "COLUMN"
    TYPE = "TYPE"
    SECRET = "SECRET"
    CONNECTION = "CONNECTION"
    FUNCTION = "FUNCTION"  # an aggregate, too


class OfferKind(enum.Enum):
    """What EXPLAIN SOURCE may offer, and ALTER SOURCE ... APPLY does."""

    FILTER = "filter"
    COLUMNS = "columns"
    RETENTION = "retention"


class ExplainStage(enum.Enum):
    RAW = "raw"
    DECORRELATED = "decorrelated"
    OPTIMIZED = "optimized"
    PHYSICAL = "physical"


class ExplainFormat(enum.Enum):
    TEXT = "text"
    JSON = "json"


class Direction(enum.Enum):
    FORWARD = "forward"
    BACKWARD = "backward"
    ABSOLUTE = "absolute"
    RELATIVE = "relative"
