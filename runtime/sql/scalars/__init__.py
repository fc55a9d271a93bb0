"""Binding of expressions: syntax to typed scalars over the columns of a scope."""
