"""Formats of messages: bytes of a key or a value become columns."""
