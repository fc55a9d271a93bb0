"""Writes: INSERT, UPDATE, DELETE, MERGE, TRUNCATE and COPY FROM to changes of a transaction."""
