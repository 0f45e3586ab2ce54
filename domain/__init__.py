"""The domain model: messages, threads, their rules, and the cognitive kernel's states.

Pure: no IO, no clock, no randomness. Nothing here knows of databases, HTTP or any wire format
but the kernel's own JSON.
"""
