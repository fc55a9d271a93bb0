"""Storage: what is durable, and what is known of it in memory.  `storage.Storage` is its face to the rest of `coord`.

`group_commit` makes writes durable (accepted as `acceptance` says), at times of the `oracle`; `catalog_transactions` does so with
definitions, over the `catalog_store` and the `shards` of objects.  `collections` has the frontiers, `reads` and `input_holds` what is
held readable, `unique_keys` (`key_counts`, `key_values`) the keys of tables, `expectation` what writes were computed from (and
`group_writes` what those before them in their group write), `remap` the positions of sources and sinks.  `parts`,
`part_choice`, `stored_changes` and `differences` read and write rows.  `upkeep` compacts.
"""
