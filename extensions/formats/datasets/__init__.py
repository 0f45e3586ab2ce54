"""Readers of training data: a conversation or an exercise a record."""
