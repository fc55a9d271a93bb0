"""PostgreSQL's dialect, as dbt's dispatch sees it: a parent of the adapter.

Packages write macros for `postgres__`, and a `default__` that may be another database's.  dbt looks for a macro of the
adapter's, then of its parents', then for the default.  A parent is a plug-in; this one has a name and nothing else, so that
neither dbt-postgres nor its macros and materializations are needed, or get in between.
"""

from __future__ import annotations

from copy import copy
from pathlib import Path
from typing import Any

from dbt.adapters.base.plugin import AdapterPlugin
from dbt.adapters.factory import FACTORY
from dbt.include.global_project import PROJECT_NAME

from dbt.adapters.ptvc.credentials import PtvcCredentials
from dbt.include import ptvc

_KEY = "ptvc_postgres"
"""dbt-postgres itself is `postgres`, in the same process perhaps."""


class PostgresDialect:
    """Never made: dispatch asks for its type."""

    @classmethod
    def type(cls) -> str:
        return "postgres"


def become_parent_of(adapter_type: str) -> None:
    """For an adapter whose plug-in is loaded: while that is done, dbt looks for parents among installed adapters."""
    include_path = str(Path(ptvc.PACKAGE_PATH) / "postgres")
    plugin = AdapterPlugin(
        adapter=PostgresDialect,  # type: ignore[arg-type]
        credentials=PtvcCredentials,
        include_path=include_path,
        project_name="dbt_ptvc_postgres",
    )
    FACTORY.plugins[_KEY] = plugin
    FACTORY.packages[plugin.project_name] = Path(include_path)
    # The module's own stays as it is: it may be loaded again.
    child = copy(FACTORY.plugins[adapter_type])
    child.dependencies = [_KEY]
    FACTORY.plugins[adapter_type] = child


def package_of_default(manifest: Any, project_name: str, materialization: str) -> str:
    """The package whose default materialization of that name dbt takes for PostgreSQL: `dbt`, unless the project has one, or a package that
    the project's flags let override dbt's own."""
    macro = manifest.find_materialization_macro_by_name(project_name, materialization, _KEY)
    built_in = FACTORY.get_adapter_package_names(manifest.metadata.adapter_type)
    return PROJECT_NAME if macro is None or macro.package_name in built_in else str(macro.package_name)
