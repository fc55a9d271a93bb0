"""Functions of `json` and `jsonb`, and SQL/JSON paths."""
