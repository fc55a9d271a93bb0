"""Avro: payloads as schemas of a registry describe them, to columns."""
