"""Expression trees: typed scalars, relations, functions, and their JSON."""
