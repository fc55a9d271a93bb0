"""The folder is importable from those below it: `support` and `values` are shared."""
