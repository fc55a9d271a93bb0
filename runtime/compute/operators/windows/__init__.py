"""Window functions over partitions."""
