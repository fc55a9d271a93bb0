"""A column's type as dbt writes it: PostgreSQL's names, lengths and scales."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from dbt.adapters.base.column import Column


@dataclass
class PtvcColumn(Column):
    """A text without a length stays `text`: it never turns into varchar(256)."""

    TYPE_LABELS: ClassVar[dict[str, str]] = {
        "STRING": "text",
        "TIMESTAMP": "timestamp without time zone",
        "FLOAT": "double precision",
        "INTEGER": "integer",
    }

    @property
    def data_type(self) -> str:
        dtype = self.dtype.lower()
        if dtype == "text" or (self.is_string() and self.char_size is None):
            return self.dtype
        return super().data_type

    def can_expand_to(self, other_column: Column) -> bool:
        """A column without a length limit holds everything already."""
        if not self.is_string() or not other_column.is_string() or self.char_size is None:
            return False
        return other_column.char_size is not None and other_column.string_size() > self.string_size()

    @classmethod
    def numeric_type(cls, dtype: str, precision: Any, scale: Any) -> str:
        if precision is None or scale is None:
            return dtype
        return f"{dtype}({int(precision)},{int(scale)})"
