"""dbt with this adapter beside dbt-postgres: runs of unchanged and of new models, cold starts, data tests."""

from .adapters import DbtResult
from .runs import run_dbt
from .tests import run_dbt_tests

__all__ = ["DbtResult", "run_dbt", "run_dbt_tests"]
