"""Facades: the routes of other services, so that their clients work with another address.

Each reads and writes the messages of threads as the other routes do, and has no tables of its own.
"""
