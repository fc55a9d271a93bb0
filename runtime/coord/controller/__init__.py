"""The control of replicas: dataflows of the catalog are installed, commits are sent to their readers, outputs are committed.

`controller` puts it together.  `control_listener` is dialled by the driver (`driver_process`, `driver_client`) and by
replicas (`replica_connection`; `clusters` of `replicas`, the coordinator's end of each).  Commits go out by
`commit_feed`; what comes back is committed by `output_commits` and `ingests`, `sink_frontiers` and `statuses` are heard of.
`installer` tries until an `installation` succeeds, from one of the `checkpoints` or, from inputs that storage holds.
`jobs` are Spark's: `hydration_jobs`, `step_jobs`, `source_jobs`, `compaction_jobs`, `query_jobs`.
"""

from .controller import Controller

__all__ = ["Controller"]
