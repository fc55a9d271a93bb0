"""Functions of arrays, lists, maps, ranges and records."""
