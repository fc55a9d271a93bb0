"""Representation: types, schemas, batches of updates, hashes, consolidation.  Depends on nothing above it."""
