"""AG-UI: a thread as a run that shows it, for the clients of that protocol.

router     the route
answers    interrupts: approvals that wait, and what clients answer
"""
