"""A session: one client's settings, roles, prepared statements and cursors, and the planning of its statements."""
