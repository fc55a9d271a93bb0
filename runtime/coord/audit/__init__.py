"""The audit log: who has logged in or was refused, and who has defined what.

```
definition ── events of its changes ── durable in its transaction ─┐
login, logout, refused ── waiting ── durable a second later ───────┴── mz_catalog.mz_audit_events
```
"""
