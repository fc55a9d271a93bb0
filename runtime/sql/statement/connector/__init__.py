"""Sources and sinks: which options go together, and what they make."""
