"""Tables of Iceberg as sources."""
