"""Queries: what stands around a SELECT, a SELECT's clauses, items of FROM."""

from .query import QueryParser, spelled_out

__all__ = ["QueryParser", "spelled_out"]
