import pytest

slow = pytest.mark.slow(of="dbt's conformance", slices=12)
"""Of a class that CI takes in one run of six."""
