"""Planned statements: the dataclasses that `sql` returns and `coord` executes."""
