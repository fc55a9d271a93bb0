"""One-off queries over many rows by DuckDB, where its answer is PostgreSQL's whatever the rows are.

`relations` says which those are, and writes them as DuckDB's SQL, `scalars` and `aggregates` what is in them; `sums` has what is not
the same there; `evaluate` splits a query into the parts that DuckDB computes and those that the operators do, and runs them.
"""
