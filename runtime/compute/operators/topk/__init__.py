"""Top k: the first rows of each group."""
