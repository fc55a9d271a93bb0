"""The HTTP port: webhooks, and whether the runtime is alive and ready.

```
socket ── BoundedProtocol (uvicorn, httptools): heads, bounded in size and time ── routes (starlette) ── coord.webhooks
```

It needs the extra `http`; nothing here is imported unless the port is asked for.
"""
