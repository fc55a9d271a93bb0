"""Loops: recursion to its fixpoint, and what runs inside it."""
