"""Tables of lakes as sources: their rows as of one commit, then what each later commit has changed."""
