"""PostgreSQL's regular expressions: syntax, text for other engines, and where those find the same match."""
