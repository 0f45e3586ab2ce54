"""Requests that are passed on to another server, and its answers, which are passed back."""
