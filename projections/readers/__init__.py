"""Readers: convert wire formats to messages for `import`, the inverse of the views."""
