"""What an environment costs in S3 and in consensus, and how far that goes: measured small, simulated longer, and reckoned up.

```
commits of some sizes ── a store whose requests are counted ── requests, bytes          (`measured`)
a stream of commits ──── the choice of merges alone ────────── bytes that are rewritten (`simulated`)
both, and prices ─────── a month ─────────────────────────────────────────────────────── (`model`)
```

`python -m benchmarks.capacity` prints the tables of docs/capacity.md.
"""
