"""Few rows by a key, found without a process of their own.

```
of an index ──────────────────────────── in its arrangement, by the thread that reads messages (`answers`)
of a table, by a primary or unique key ─ in what is stored (`stored_rows`): by that thread, or by one beside it (`stored_look_ups`)
of a view that the replica maintains ─── in what is stored and in what it has put out since (`view_rows`), by the thread beside
```
"""
