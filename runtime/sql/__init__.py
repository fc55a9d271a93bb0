"""SQL: text to planned statements.

```
text ── parser ── syntax ── binding ── plans ──> transform, coord
                              statement > query > calls > scalars, over the catalog
```

`plan` is the entrance to binding: it resolves names and types against a `CatalogView` and returns one of `plans`; `cache`
keeps what it returned.  No syntax tree leaves this package.
"""
