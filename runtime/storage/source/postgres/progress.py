"""The position as a row: the LSN up to which everything is there."""

from __future__ import annotations

from ....repr.schema import Column, Schema
from ....repr.types import UINT8

PROGRESS_SCHEMA = Schema((Column("lsn", UINT8, False),))
