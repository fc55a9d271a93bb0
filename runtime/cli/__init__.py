"""The `ptvc` command: serve, up, down, status, sql, watch, check, lineage, port, pack, doctor, persist."""

from .program import app, main

__all__ = ["app", "main"]
