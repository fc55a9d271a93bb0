"""dbt's plug-in for the ptvc streaming SQL runtime.

| module           | noun                                                                |
|------------------|---------------------------------------------------------------------|
| credentials      | a profile: where the runtime is, and as whom to speak to it         |
| embedded         | a runtime of one's own, under a local path                          |
| connections      | a pgwire connection, and what a statement answered                  |
| relation         | the name of an object, its kind, and the hash of its definition     |
| column           | a column's type as dbt writes it                                    |
| relation_configs | what a model asks for, and how that differs from what exists        |
| dialect          | PostgreSQL's, whose macros packages have                            |
| deployment       | schemas and clusters that are built beside production, and swapped  |
| deploying        | the steps of a deployment, against a runtime                        |
| python           | a Python model's run, and the process that Python models run in     |
| translation      | the query of a model that is written for another warehouse          |
| model_lines      | which line of a model's file an error is in                         |
| relations        | what there is, and what rests on what                               |
| waiting          | when a relation is of use, and its model ends                       |
| staging          | what a run builds beside, and how it takes its place                |
| impl             | the adapter: what Jinja may call                                    |
"""

from dbt.adapters.base.plugin import AdapterPlugin

from dbt.adapters.ptvc.column import PtvcColumn
from dbt.adapters.ptvc.connections import PtvcConnectionManager
from dbt.adapters.ptvc.credentials import PtvcCredentials
from dbt.adapters.ptvc.impl import PtvcAdapter
from dbt.adapters.ptvc.relation import PtvcRelation
from dbt.include import ptvc

Plugin = AdapterPlugin(
    adapter=PtvcAdapter,  # type: ignore[arg-type]
    credentials=PtvcCredentials,
    include_path=ptvc.PACKAGE_PATH,
)

__all__ = ["Plugin", "PtvcAdapter", "PtvcColumn", "PtvcConnectionManager", "PtvcCredentials", "PtvcRelation"]
