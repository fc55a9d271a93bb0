"""Nodes that derive their schemas."""

from __future__ import annotations

import pytest
from ptvc.expr.tree.derived_schema import DerivedSchema
from ptvc.repr.schema import Schema


def test_a_node_that_derives_no_schema_is_no_class() -> None:
    with pytest.raises(TypeError, match="Incomplete does not derive its schema"):
        type("Incomplete", (DerivedSchema,), {})


def test_it_is_derived_once() -> None:
    """Planning asks for it again and again."""
    derived = []

    class Node(DerivedSchema):
        def derive_schema(self) -> Schema:
            derived.append(self)
            return Schema(())

    node = Node()
    assert node.schema is node.schema
    assert derived == [node]
