"""Everything that touches Spark: the session, resident tasks, and large steps as jobs."""
