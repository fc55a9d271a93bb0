"""Binding of queries: SELECT and its clauses to one relation."""
