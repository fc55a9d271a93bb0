"""What all who read a source have in common, what could be left out of it for that, and what EXPLAIN SOURCE says."""
