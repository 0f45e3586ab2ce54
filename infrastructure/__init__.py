"""Infrastructure: PostgreSQL, its schema, the writer, the store, files and settings."""
