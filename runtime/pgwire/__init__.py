"""PostgreSQL's protocol, version 3: clients in, `coord` sessions behind.

wire (framing) -> codec (messages) -> startup (handshake) -> protocol, extended, copy (conversation) -> listener.
"""
