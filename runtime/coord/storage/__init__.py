"""Storage: the timestamp oracle, group commit, frontiers and read holds of collections, the durable catalog."""
