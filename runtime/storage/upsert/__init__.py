"""The state of an upsert source: the entry of every key, in memory and in mapped files, under a budget.

```
apply ── look_up ──┐                 ┌── scratch: nameless files, mapped
                   ├── keyed_rows ── run ── block
commit ── add ─────┘        └── merge
start ── restore: the source's own output, sorted by key ──┘
```
"""
