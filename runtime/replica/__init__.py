"""What runs in a resident Spark task: one replica of a cluster.

`main` dials the coordinator and turns messages (`protocol`) into work: `dataflows` steps views and indexes, `ingest`
runs sources, `egress` sinks, `peeks` one-off queries.  A replica touches blobs but never consensus: the
coordinator commits for it.
"""
