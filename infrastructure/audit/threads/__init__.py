"""Audit of one thread, by itself or in processes of their own.

thread_audit  a thread's contents, chain and redactions recomputed
heads         its head and ledger recomputed
fork_audit    what it copied, beside its origin
processes     many threads at a time
"""
