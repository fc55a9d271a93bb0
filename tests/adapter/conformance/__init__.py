import pytest

slow = pytest.mark.slow(of="dbt's conformance", slices=3)
"""Of a class that CI takes in one run of three."""
