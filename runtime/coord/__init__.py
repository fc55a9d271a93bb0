"""The coordinator: catalog, timestamps, sessions, commits, and the control of replicas.

A statement's way: `session` (protocol state, transactions) -> `sql` (plan) -> `sequencer` (execution) -> `catalog` and
`controller` (definitions), `group_commit` (writes) or `peeks` (reads at a time that the `oracle` gives).
"""
