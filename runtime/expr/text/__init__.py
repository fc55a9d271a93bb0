"""Text form of values: PostgreSQL's input and output syntax by type, whole columns at once."""
