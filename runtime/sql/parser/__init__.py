"""Text to syntax trees: `lexer` cuts tokens, `token_cursor` walks them, `expression` and `query` parse what
statements are made of, and one module per family of statements builds the tree.

`parse` is the entrance; `statement` dispatches on the first word.
"""
