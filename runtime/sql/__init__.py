"""SQL: text to planned statements.  parse -> resolve -> plan -> (transform) -> coord.

`parse` splits and classifies statements; `plan` resolves names and types against a `CatalogView` and returns one of
`plans`.  sqlglot is imported in this package only.
"""
