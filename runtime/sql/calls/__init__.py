"""Binding of function calls: scalar, aggregate, table, catalog and user-defined functions."""
