"""Properties of a request: credentials, id, limits and errors."""
