"""Reductions: one row per group from its rows, by kind of aggregate."""
