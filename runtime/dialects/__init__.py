"""SQL of other warehouses, made PostgreSQL's: what is proven to mean the same, and nothing else.

```
text ── reading (sqlglot: tokens, tree) ── queries ── expressions ─┬─ functions ── PostgreSQL's text
                                              └── scope            └─ rules of the dialect
```

sqlglot reads, and does not write: its generator knows no types and gives, silently, what means something else.  Every node of its
tree, and every function by the name that it was called by, has a rule here; a node without one is refused, and so is one with an
argument that its rule does not name.

| module        | what it is                                                                         |
|---------------|------------------------------------------------------------------------------------|
| `plugin`      | our SQL for sqlglot, and so for what reads SQL with it: entry point `sqlglot.dialects` |
| `translate`   | a text of another dialect to PostgreSQL's, or the places that are refused          |
| `rewriting`   | a text made PostgreSQL's in place, by as few edits as its translation takes        |
| `reading`     | text to sqlglot's tree                                                             |
| `values`      | what an expression has become: text, and the kind of its values                    |
| `scope`       | which columns a name may mean                                                      |
| `writing`     | what rules are given: the dialect, the text, refusals                              |
| `queries`     | SELECT and its clauses                                                             |
| `expressions`, `arithmetic`, `casts` | literals, operators, and forms with a syntax of their own       |
| `numbers`, `strings`, `dates`, `aggregates` | functions, by dialect and name                           |
"""
