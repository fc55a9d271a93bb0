"""ICEBERG sinks: tables of Iceberg that hold what is read, or a log of its changes."""
