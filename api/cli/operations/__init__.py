"""Commands that run, guard and keep a service."""
