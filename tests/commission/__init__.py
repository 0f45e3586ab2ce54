"""The documents that the project was commissioned from, field by field, against the service."""
