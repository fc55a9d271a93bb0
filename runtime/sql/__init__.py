"""SQL: text to planned statements.  parse -> resolve -> plan -> (transform) -> coord.

`parse` splits and classifies statements; `plan` resolves names and types against a `CatalogView` and returns one of
`plans`.  No syntax tree leaves this package.
"""
