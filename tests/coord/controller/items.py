"""Catalog items for tests that need one and not what it does."""

from __future__ import annotations

from ptvc.coord.catalog.items import Source
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT4
from ptvc.sql.plans.definition_plans import CounterConnector
from ptvc.sql.plans.query_plans import Envelope

SOURCE = Source(
    id="s",
    oid=1,
    schema_name="public",
    name="s",
    schema=Schema((Column("a", INT4),)),
    cluster="quickstart",
    shard="s",
    remap="s-remap",
    create_sql="",
    label="s",
    connector=CounterConnector(1_000, None),
    key=(),
    envelope=Envelope.NONE,
)
