"""Compute: views as graphs of differential operators over arranged state (see docs/architecture.md)."""
