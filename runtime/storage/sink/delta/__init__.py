"""DELTA sinks: tables of Delta Lake that hold what is read, or a log of its changes."""
