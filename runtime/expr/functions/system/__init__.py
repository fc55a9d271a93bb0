"""Functions about names, types and the server."""
