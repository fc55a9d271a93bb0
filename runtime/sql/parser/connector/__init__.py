"""Clauses of what is outside, each by its connector."""
