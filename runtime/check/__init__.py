"""`ptvc check` and `ptvc lineage`: a dbt project is typed without a runtime.

```
manifest.json ─┐                        seeds, sources ─┐
               ├─ nodes ── statements ── environment ───┼─ checker ── findings ── text, json
dbt's parser ──┘     └─ rendering (Jinja)               └─ contracts, changes
```

| module           | what it is                                                                             |
|------------------|----------------------------------------------------------------------------------------|
| `commands`       | the command line                                                                       |
| `run`            | what is opened to be checked: a compiled manifest, or a project's files                |
| `nodes`          | the project as its manifest has it: models, seeds, tests, in an order to build them in |
| `rendering`      | dbt's own Jinja, with `stand_in` where its connection would be                         |
| `environment`    | the catalog in memory; `opaque`: as one sees it who does not look into views           |
| `statements`     | what a node's materialization would send                                               |
| `declared`       | columns that are declared rather than computed: of seeds and of sources                |
| `contracts`      | a model's columns, and what its contract or its documentation says of them             |
| `checker`        | node by node, what is wrong                                                            |
| `findings`       | what is wrong, and where; `places` and `yaml_places` find the line                     |
| `changes`        | what a change of the project does to the objects that are there, by `parts` of queries |
| `running`        | a runtime that is asked: columns of sources, rows, what it was built of                |
| `lineage`        | columns of the project's nodes; `lineage_text` and `lineage_datasets` show it          |
| `text`, `report` | what is wrong and what changes, for people, and as JSON                                |
"""
