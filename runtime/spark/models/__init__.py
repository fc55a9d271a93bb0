"""The process in which dbt's Python models run: `python -m ptvc.spark.models FD DIRECTORY`.

dbt starts it when a run begins that has a Python model, and talks to it over the socket of that number (`channel`); it ends when the
socket does.  It has no connection to the runtime of its own: what it asks of SQL, and the rows that a model has made, go through
dbt's, so that they are in dbt's session.

```
main ── session (Spark's application; a session for each model)
  └ run ── inputs (what the model refers to, as of one time) ── fetched (through SQL) | ptvc.spark (from the stores)
      ├ result (what the model returns, as lines of COPY) ── column_types (Arrow's types as SQL's)
      └ failure (where in the user's file it went wrong)
```
"""
