"""Followers of the log: the hub that tells them, and subscriptions that the server keeps.

hub            one reader of the log a process, for streams
subscription   what a subscription is, and its errors
terms          what one is to be, read from JSON
subscriptions  made, listed, paused, deleted
conditions     what events may mean beside their types
intake         events of the log made deliveries
queue          deliveries given out, acknowledged, refused, parked
"""
