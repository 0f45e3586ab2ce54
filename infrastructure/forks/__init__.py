"""Forks: threads that begin with a copy of another's messages, and the trees that they make."""
