"""Answers written in the words of an API."""
