"""The operators: one noun a file, each a function from input updates and state to output updates."""
