"""Connections: where the outside is, and how one proves who one is there.

```
options ── checked ── with the values of secrets ──> a client's settings ── connect ──> what is wrong, or nothing
```

`options` knows every option of every kind; `kafka`, `schema_registry`, `postgres`, `mysql` and `aws` make the settings of the kind's client, and
try them; `addresses` says where a connection may lead.
"""
