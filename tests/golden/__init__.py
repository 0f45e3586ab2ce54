"""Golden files, added once and never edited to pass.

threads  histories to render: the example threads as they were when their goldens were made
views    what each view, in each of its options, makes of these threads
events   the bytes that the log stores for a message of every type
spans    recordings of traced agents, see `tests/extensions/traces/traced`

AGENTLOG_ADD_GOLDEN=1 makes `tests/test_golden.py` write the files that are missing, and no other.
"""
