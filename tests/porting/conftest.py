"""dbt in this process, when what was ported is checked."""

from tests.check.conftest import _what_dbt_leaves_open as _what_dbt_leaves_open
