"""Where immutable parts are kept."""
