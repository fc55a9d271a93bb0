"""Results of statements: rows as pgwire fetches them, buffers that spill to disk, cursors over both."""
