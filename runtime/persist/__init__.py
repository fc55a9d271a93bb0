"""Persist: durable partial time-varying collections.

A **shard** is a set of updates `(row, time, diff)` known for every time in `[since, upper)`: `upper` promises
that no update below it will come, `since` is the time below which times can no longer be distinguished.  Both only advance.

The path of a write: `write.write_parts` encodes a delta (`codec`) into parts, inline or in `blob`;
`client.PersistClient.append` turns them into batches by a pure transition (`state`), checks the named
`invariants`, and commits by compare-and-set in `consensus`.  The path of a read: `client` names the parts of a
snapshot or an interval, `read` fetches and decodes them.  `compact` merges batches, `gc` deletes what no
live state refers to.

Other packages import `persist.client`, `persist.write`, `persist.read`, and the implementations of `blob` and
`consensus` that they are built with.
"""
