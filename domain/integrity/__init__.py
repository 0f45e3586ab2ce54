"""Integrity: hash chain of a thread, Merkle tree of the log, and checks of both."""
