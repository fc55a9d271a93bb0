"""Servers of the test run's own that take more than a process to start."""
