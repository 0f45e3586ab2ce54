"""Integrity: the hash chain of a thread, the Merkle tree of the log, and checks of both."""
