"""Change events of Debezium: what they say of the row of their key."""
