"""`ptvc port`: a dbt project that was written for another warehouse, rewritten for this one.

```
project files ── project ─┬─ models ── templates ── dialects (translate, rewrite) ── environment ─┐
                          └─ properties (YAML) ── configs, data types ────────────────────────────┴─ outcomes ── text, report
```

| module       | what it is                                                                                     |
|--------------|------------------------------------------------------------------------------------------------|
| `commands`   | the command line                                                                               |
| `run`        | a port from beginning to end: file by file, each model after those that it reads               |
| `project`    | the project's files, what they are, and the configs that folders have                          |
| `templates`  | SQL with Jinja in it: text and placeholders, and the texts that its conditions choose among     |
| `jinja`      | what a piece of Jinja stands for: a relation, a value, nothing                                 |
| `relations`  | columns of what models read: declared, from a catalog, or planned as models are ported          |
| `models`     | one SQL file                                                                                   |
| `configs`    | configs of other warehouses, and what becomes of them; `config_calls`: those in `config(...)`   |
| `properties` | `dbt_project.yml` and the other YAML; `yaml_edits`: edits that leave the rest as it was written |
| `outcomes`   | what has become of a file, and what is doubtful in it                                          |
| `text`, `report` | for people, and as JSON                                                                    |
"""
