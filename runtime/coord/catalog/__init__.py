"""The catalog in memory: entries, roles, access control lists, and what follows from them alone."""
