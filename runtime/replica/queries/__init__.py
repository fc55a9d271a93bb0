"""One-off queries of a replica, in processes of their own.

```
reader thread ── Pool ── a thread for each query under way ──(socket)── worker process: snapshot -> rows
                                                    └── ForkServer: forks workers, ends them
```

`pool` says which query runs where, watches what it takes and relays the answer; `fork_server` is the process that workers
are forked from, `processes` its client; `worker` is what a worker runs.  Nothing is imported here: the fork server has only
what a query needs.
"""
