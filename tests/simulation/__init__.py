"""A deterministic simulation of the control plane: the real coordinator on virtual time.

```
clients ── statements, cancels, disconnects ──> Coordinator ── executors ──> stores that are slow and fail
                                                    │
                                          control socket (in memory)
                                                    │
                                       driver, replicas (real dataflows) that die
```

Everything that is not the coordinator is played by this package, on one event loop without threads, sockets or waiting.
A seed decides the clients' scripts, the latencies, the order of what is concurrent, and the faults: the same seed gives
the same run (`python -m tests.simulation --seeds 7:8 --trace`).  `checks` says what must hold whatever happens.
"""
