"""AG-UI: a thread as a run that shows it, for the clients of that protocol.

router     the route
"""
