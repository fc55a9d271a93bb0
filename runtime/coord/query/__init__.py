"""Reads: peeks at a timestamp, the choice of indexes and parts, subscriptions, EXPLAIN."""
