"""What a source in a replica is made from, and what it has read elsewhere."""
