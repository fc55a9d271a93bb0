"""Backups of an environment: taken while a runtime serves it or while none does, and restored into an empty place.

```
stores ── pin ── one snapshot of consensus ── the blobs that it names ── manifest      (`take`)
                                                                            │
empty stores <── consensus, at last <── the blobs, checked <────────────────┘          (`restore`)
```

What a backup holds is what a crash at the moment of its snapshot would have left: a state that the runtime goes on from.
"""
