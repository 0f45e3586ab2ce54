"""Audit of one thread, by itself or in processes of their own.

thread_audit  a thread's contents, chain and redactions recomputed; a fork beside its origin
heads         its head and ledger recomputed
processes     many threads at a time
"""
