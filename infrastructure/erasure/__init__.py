"""Erasure of contents, from events and from all data derived of them; see docs/how-to/erase.md.

A redaction is a fact of its thread. Once it is in the log, `eraser` carries it out in one
transaction, possibly in another process after a crash: `erased_events` redacts events, `renewal`
writes the thread's rows of read models again, and contents without references are deleted.
`redactor` takes requests, `watch` clears memory in every process, `retention` finds expired
threads.
"""
