"""Sources: one connector a file.  A connector reads from a position and says which position comes next."""
