"""Maria: threads as tasks of its daemon, for its user interface.

tasks      threads as tasks, and what waits in their queues
routes     the daemon's routes
"""
