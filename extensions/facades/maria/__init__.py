"""Maria: threads as tasks of its daemon, for its user interface.

tasks      threads as tasks, and what waits in their queues
streams    the list of tasks as server-sent events
routes     the daemon's routes
"""
