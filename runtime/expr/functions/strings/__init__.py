"""Functions of text and bytes: strings, patterns, hashes, encodings."""
