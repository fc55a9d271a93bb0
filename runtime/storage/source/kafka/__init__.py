"""KAFKA: the messages of a topic, by partition and offset."""
