"""Nodes that derive their schemas."""

from __future__ import annotations

import pytest
from ptvc.expr.tree.derived_schema import DerivedSchema


def test_a_node_that_derives_no_schema_is_no_class() -> None:
    with pytest.raises(TypeError, match="Incomplete does not derive its schema"):
        type("Incomplete", (DerivedSchema,), {})
