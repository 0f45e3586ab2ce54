"""Takes spans of running agents into threads."""
