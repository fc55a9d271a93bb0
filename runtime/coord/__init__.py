"""The coordinator: catalog, timestamps, sessions, commits, and the control of replicas.

The path of a statement: `session` (protocol state), `ptvc.sql` (plan), `sequencer` (dispatch), then `ddl` (definitions), `dml`
(writes) or `query` (reads).  They stand on `transaction`, `controller` (replicas), `storage` (the timestamp oracle, group
commit, frontiers), `catalog` and `results`; `introspection` are the catalog relations.
"""
