"""Coercion: which types convert to which, literals of unknown type, and the casts themselves."""
