"""Functions that are written in Python or JavaScript: what a call is, and the process of its own in which the code runs.

```
evaluate -> kernel: rows that are wanted -> process: a worker per evaluation, reused ==pipe==> worker: the code, row by row
                                                                 values (Arrow) and errors of rows  <==pipe==
```

Code of users never runs in a process of the runtime: whatever it does (an endless loop, `os._exit`, a crash of the
interpreter), it is the worker's end, and an error of the row that did it.
"""
