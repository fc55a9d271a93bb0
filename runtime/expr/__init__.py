"""Typed expressions: scalars, relations, the function registry and their evaluation over batches."""
