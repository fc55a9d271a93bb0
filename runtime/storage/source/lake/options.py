"""What sources over tables of lakes have in common."""

SCAN_MS = 10_000
"""How often a table is asked for new commits."""
