"""PostgreSQL's `jsonb`: documents as canonical text, and what is computed from them."""
