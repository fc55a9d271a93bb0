"""Stores, replicas and processes that are slow, full, gone or restarted, under a runtime inside the test process."""
