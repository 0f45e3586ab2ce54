"""How the log is kept: PostgreSQL, its schema, the writer, the store, files and settings."""
