"""Binding of every statement but queries: one module per family, syntax to plan."""
