"""Python models: what one asks for and returns, and the process that they run in."""
