"""The `ptvc` command: serve, up, down, status, sql, watch, check, lineage, port, pack, doctor, backup, restore, backups, persist."""

from .program import app, main

__all__ = ["app", "main"]
