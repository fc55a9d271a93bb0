"""Rows of sinks in Avro: `types` says what columns are written as, `encoding` writes whole columns, `payloads` what a message has."""
