"""A transaction: its read timestamp, its pending writes, and the catalog as its own definitions change it."""
