"""The syntax tree: expressions, queries and statements by kind, as the text states them, before names are resolved.

`vocabulary` holds the enums that statements and plans share.
"""
