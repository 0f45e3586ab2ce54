"""Tapes: recorded runs that answer the requests of another run, and what is changed in those."""
