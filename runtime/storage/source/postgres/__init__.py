"""POSTGRES sources: tables of a publication, by logical replication."""
