"""Comparison of values of every type, and tests for NULL and truth."""
