"""Sinks: one connector a file.  A sink receives consolidated changes, interval after interval, exactly once."""
