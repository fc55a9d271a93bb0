"""The context in which dbt renders a node: for most models a few names of it.

dbt makes a context with every macro of every package for each node, which takes most of what rendering takes.  A template that
names nothing but `ref`, `source` and `config` gets these, from dbt's own resolvers, and is rendered by dbt as ever.  Where the project
has a macro of one of these names, dbt's whole context decides which is meant.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from dbt.compilation import Compiler
from dbt.context.providers import RuntimeProvider
from dbt.contracts.graph.manifest import Manifest
from dbt.contracts.graph.nodes import ModelNode
from dbt_common.clients.jinja import get_environment
from jinja2 import TemplateSyntaxError, meta

NAMES = frozenset({"ref", "source", "config"})


class LeanCompiler(Compiler):
    """dbt's compiler for one manifest."""

    def __init__(self, config: Any, adapter: Any, manifest: Manifest) -> None:
        super().__init__(config)
        self._adapter = adapter
        self._manifest = manifest

    @cached_property
    def _environment(self) -> Any:
        return get_environment(None)

    @cached_property
    def _overridden(self) -> bool:
        """Whether a macro has one of the names."""
        return not NAMES.isdisjoint(macro.name for macro in self._manifest.macros.values())

    def _create_node_context(
        self, node: Any, manifest: Manifest, extra_context: dict[str, Any]
    ) -> dict[str, Any]:
        lean = (
            isinstance(node, ModelNode)
            and manifest is self._manifest
            and not extra_context
            and not self._overridden
            and self._named(node.raw_code) <= NAMES
        )
        if not lean:
            return super()._create_node_context(node, manifest, extra_context)
        provider = RuntimeProvider()
        database = provider.DatabaseWrapper(self._adapter, {})  # type: ignore[arg-type]
        return {
            "ref": provider.ref(database, node, self.config, manifest),  # type: ignore[no-untyped-call]
            "source": provider.source(database, node, self.config, manifest),  # type: ignore[no-untyped-call]
            "config": provider.Config(node, None),
        }

    def _named(self, template: str) -> set[str]:
        try:
            return meta.find_undeclared_variables(self._environment.parse(template))
        except TemplateSyntaxError:
            return {""}  # dbt says what is wrong
