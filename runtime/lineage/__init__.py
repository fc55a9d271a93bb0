"""Column lineage: of which columns of its inputs each column of a relation is made.

| module        | what it is                                                          |
|---------------|---------------------------------------------------------------------|
| `columns`     | of a plan: each output column, and what decides which rows there are |
| `graph`       | of many relations: what is above and below a column                  |
| `openlineage` | as facets of the OpenLineage standard                                |
"""
