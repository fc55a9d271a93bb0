"""`ptvc check` and `ptvc lineage`: a dbt project is typed without a runtime.

```
manifest.json ─┐                        seeds, sources ─┐
               ├─ nodes ── statements ── environment ───┼─ checker ── findings ── text, json
dbt's parser ──┘     └─ rendering (Jinja)               └─ contracts, changes
```

| module         | what it is                                                                            |
|----------------|---------------------------------------------------------------------------------------|
| `nodes`        | the project as its manifest has it: models, seeds, tests, in an order to build them in |
| `rendering`    | dbt's own Jinja, with `stand_in` where its connection would be                        |
| `environment`  | the catalog in memory                                                                 |
| `statements`   | what a node's materialization would send                                              |
| `declared`     | columns that are declared rather than computed: of seeds and of sources               |
| `contracts`    | a model's columns, and what its contract or its documentation says of them            |
| `checker`      | node by node, what is wrong                                                           |
| `findings`     | what is wrong, and where; `places` and `yaml_places` find the line                    |
| `changes`      | what a change of the project does to the views that are there                         |
| `text`, `report` | all that for people, and as JSON                                                    |
"""
