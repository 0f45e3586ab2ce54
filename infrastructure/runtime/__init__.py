"""Process-level services: logging, background work, key files, file locks."""
