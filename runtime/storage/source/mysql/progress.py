"""The position as a row: the last GTID of each domain, up to which everything is there."""

from __future__ import annotations

from ....repr.schema import Column, Schema
from ....repr.types import TEXT

PROGRESS_SCHEMA = Schema((Column("gtid_position", TEXT, False),))
