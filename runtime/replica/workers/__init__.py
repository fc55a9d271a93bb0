"""The worker processes of a replica: the resident task leads, and its children are the members (`compute.partitioned`)."""
