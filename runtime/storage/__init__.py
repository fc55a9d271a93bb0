"""Storage: what brings data in (sources) and hands it on (sinks).  Depends on expr and repr, not on compute.

The path of a record: `source/` reads bytes and knows the position -> `decode*` turns them into columns and errors ->
`envelope` turns records into updates -> `ingestion` hands updates and position to the committer as one unit.
"""
