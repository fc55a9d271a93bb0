"""Where the state of every shard is kept, and compare-and-set decides."""
