"""Erasing contents: from the events, and from whatever was made of them; see docs/erasure.md.

A redaction is a fact of its thread. Once that is in the log, `eraser` does what it says in one
transaction, be it in another process after a crash: `blanking` the events, read models anew, and
contents that no event refers to any more deleted. `redactor` is what callers ask, `watch` tells
every process to forget, `retention` finds what is too old.
"""
