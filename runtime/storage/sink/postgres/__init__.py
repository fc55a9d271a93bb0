"""POSTGRES sinks: rows and how far the sink is, in one transaction of the target's."""
